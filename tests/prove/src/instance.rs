//! A daemon in its home: started, asked, killed, started again, and at the end nothing of it left.

use crate::{
    Check, Fault, Home, Setup, client, ensure,
    home::Settings,
    procs,
    wait::{eventually, ms, s},
    wire,
};
use protocol::{
    control::{Held, Reply, RoleStatus, Status, Verb},
    role::Role,
};
use rustix::process::Signal;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::Mutex,
    time::Duration,
};

/// How long a tree may take to come up on a busy machine.
const UP: Duration = Duration::from_secs(20);

/// A daemon in its home.
#[derive(Debug)]
pub struct Instance {
    /// Where it lives.
    pub home: Home,
    binary: PathBuf,
    /// Words before the binary, such as a wrapper with its arguments.
    wrap: Vec<String>,
    environment: Vec<(String, String)>,
    child: Option<Child>,
    /// Every process that was ever seen to belong to it.
    seen: Mutex<BTreeSet<u32>>,
    /// The settings in force, for changes.
    pub settings: Settings,
}

impl Instance {
    /// Makes a home with settings; starts nothing.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn new(setup: &Setup, tag: &str, settings: Settings) -> Check<Self> {
        // Orphans of a killed supervisor become ours, so that none can hide.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let home = Home::new(tag)?;
        home.configure(&settings.text(&home))?;
        Ok(Self {
            home,
            binary: setup.binary.clone(),
            wrap: Vec::new(),
            environment: Vec::new(),
            child: None,
            seen: Mutex::default(),
            settings,
        })
    }

    /// Makes a home and brings the daemon up in it.
    ///
    /// # Errors
    /// When it does not get ready.
    pub fn up(setup: &Setup, tag: &str, settings: Settings) -> Check<Self> {
        let mut instance = Self::new(setup, tag, settings)?;
        instance.start()?;
        instance.ready()?;
        Ok(instance)
    }

    /// Starts through another program, such as `faketime` or `sh -c`.
    pub fn wrapped(&mut self, wrap: &[&str], environment: &[(&str, &str)]) {
        self.wrap = wrap.iter().map(|word| (*word).to_owned()).collect();
        self.environment = environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    }

    /// Uses another binary file.
    pub fn use_binary(&mut self, path: &Path) {
        self.binary = path.into();
    }

    /// Writes other settings; the daemon hears of them at its next start or reload.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn set(&mut self, settings: Settings) -> Check {
        self.home.configure(&settings.text(&self.home))?;
        self.settings = settings;
        Ok(())
    }

    /// Returns the command that brings a daemon up here.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub fn command(&self, log: &Path) -> Check<Command> {
        let mut words = self.wrap.iter().map(PathBuf::from).chain([self.binary.clone()]);
        let Some(first) = words.next() else { return Err("no program".into()) };
        let mut command = Command::new(first);
        let log = std::fs::OpenOptions::new().append(true).create(true).open(log)?;
        command
            .args(words)
            .arg("up")
            .arg("--memex")
            .arg(self.home.memex())
            .arg("--state-dir")
            .arg(self.home.state())
            .arg("--runtime-dir")
            .arg(self.home.run())
            .arg("--config")
            .arg(self.home.config())
            .env_clear()
            .env("HOME", self.home.dir())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        Ok(command)
    }

    /// Starts the daemon; does not wait.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn start(&mut self) -> Check {
        let child = self.command(&self.home.log())?.spawn()?;
        self.note([child.id()]);
        self.child = Some(child);
        Ok(())
    }

    fn note(&self, pids: impl IntoIterator<Item = u32>) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.extend(pids.into_iter().filter(|pid| *pid != 0));
        }
    }

    /// Returns the supervisor's process id.
    ///
    /// # Errors
    /// When none was started.
    pub fn supervisor(&self) -> Check<u32> {
        self.child.as_ref().map(Child::id).ok_or_else(|| Fault("not started".into()))
    }

    /// Waits until every actor is ready.
    ///
    /// # Errors
    /// When one is not in time, with what the log says last.
    pub fn ready(&mut self) -> Check<Status> {
        self.ready_within(UP)
    }

    /// The same, with a time.
    ///
    /// # Errors
    /// As [`Self::ready`].
    pub fn ready_within(&mut self, within: Duration) -> Check<Status> {
        let mut last = String::new();
        let mut gone = None;
        let mut child = self.child.take();
        let found = eventually("every actor is ready", within, || {
            if let Some(child) = &mut child
                && let Ok(Some(status)) = child.try_wait()
            {
                gone = Some(status);
                return Some(Status::default());
            }
            match self.status() {
                Ok(status) if status.roles.iter().all(|role| role.actual == "ready") => Some(status),
                Ok(status) => {
                    let words = status.roles.iter().map(|r| format!("{} {}", r.role, r.actual));
                    last = words.collect::<Vec<_>>().join(", ");
                    None
                }
                Err(_) => None,
            }
        });
        self.child = child;
        match (gone, found) {
            (Some(status), _) => Err(Fault(format!("the daemon ended with {status}: {}", self.last_words()))),
            (None, Ok(status)) => Ok(status),
            (None, Err(fault)) => Err(Fault(format!("{fault} ({last}); {}", self.last_words()))),
        }
    }

    /// Returns the end of the log.
    #[must_use]
    pub fn last_words(&self) -> String {
        let text = std::fs::read(self.home.log()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(3)..].join(" | ")
    }

    /// Asks the operator's socket.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn ctl(&self, verb: Verb) -> Check<Reply> {
        wire::ctl(&self.ctl_socket(), verb, s(20))
    }

    /// Asks for something that ends in `Done`.
    ///
    /// # Errors
    /// When it is refused.
    pub fn order(&self, verb: Verb) -> Check<String> {
        match self.ctl(verb)? {
            Reply::Done(text) => Ok(text),
            other => Err(Fault(format!("not done: {other:?}"))),
        }
    }

    /// The operator's socket.
    #[must_use]
    pub fn ctl_socket(&self) -> PathBuf {
        self.home.run().join("ctl.sock")
    }

    /// The people's socket.
    #[must_use]
    pub fn local_socket(&self) -> PathBuf {
        self.home.run().join("local.sock")
    }

    /// Returns the state of the tree.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn status(&self) -> Check<Status> {
        match wire::ctl(&self.ctl_socket(), Verb::Status, s(5))? {
            Reply::Status(status) => {
                self.note(status.roles.iter().map(|role| role.pid));
                self.note([status.pid]);
                Ok(*status)
            }
            other => Err(Fault(format!("no status: {other:?}"))),
        }
    }

    /// Returns the state of one actor.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn role(&self, role: &str) -> Check<RoleStatus> {
        let status = self.status()?;
        status.roles.into_iter().find(|r| r.role == role).ok_or_else(|| Fault(format!("no role {role}")))
    }

    /// Returns the process ids of all actors, in their order.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn pids(&self) -> Check<Vec<(String, u32)>> {
        Ok(self.status()?.roles.into_iter().map(|role| (role.role, role.pid)).collect())
    }

    /// Waits until an actor is ready in a later life.
    ///
    /// # Errors
    /// When it is not in time.
    pub fn reborn(&self, role: &str, since: u32, within: Duration) -> Check<RoleStatus> {
        eventually(&format!("{role} is ready again"), within, || {
            let now = self.role(role).ok()?;
            (now.generation > since && now.actual == "ready").then_some(now)
        })
    }

    /// Returns what waits for the owner's decision.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn held(&self, verb: Verb) -> Check<Vec<Held>> {
        match self.ctl(verb)? {
            Reply::Held(held) => Ok(held),
            other => Err(Fault(format!("no list: {other:?}"))),
        }
    }

    /// Asks as a person does, and waits.
    ///
    /// # Errors
    /// When no answer comes.
    pub fn ask(&self, conversation: &str, message: &str, text: &str) -> Check<client::Answer> {
        client::ask(&self.local_socket(), conversation, message, text, s(30))
    }

    /// Kills the supervisor, and waits until it is gone.
    ///
    /// # Errors
    /// When there is none.
    pub fn kill_supervisor(&mut self) -> Check {
        // Who belongs to it must be known before nobody can be asked any more.
        let pid = self.supervisor()?;
        self.note(procs::descendants(pid).iter().map(|p| p.pid));
        let Some(mut child) = self.child.take() else { return Err("not started".into()) };
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Sends the supervisor a unix signal.
    ///
    /// # Errors
    /// When it is gone.
    pub fn kick(&self, signal: Signal) -> Check {
        let pid = self.supervisor()?;
        ensure!(procs::kick(pid, signal), "the supervisor is gone");
        Ok(())
    }

    /// Waits for the supervisor's end.
    ///
    /// # Errors
    /// When it does not end in time.
    pub fn wait(&mut self, within: Duration) -> Check<ExitStatus> {
        let Some(mut child) = self.child.take() else { return Err("not started".into()) };
        let ended = eventually("the supervisor ends", within, || child.try_wait().ok().flatten());
        if ended.is_err() {
            self.child = Some(child);
        }
        ended
    }

    /// Stops in good order and looks for what was left behind.
    ///
    /// # Errors
    /// When the exit code is not 0, or a process, socket or temporary file is left.
    pub fn finish(&mut self) -> Check {
        if self.child.is_some() {
            self.note(procs::descendants(self.supervisor()?).iter().map(|p| p.pid));
            self.kick(Signal::TERM)?;
            let status = self.wait(s(50))?;
            ensure!(status.code() == Some(0), "stopped with {status}, not 0: {}", self.last_words());
        }
        self.leftovers()
    }

    /// Looks for processes, sockets and temporary files that outlived the daemon.
    ///
    /// # Errors
    /// Naming them.
    pub fn leftovers(&self) -> Check {
        let seen = self.seen.lock().map(|seen| seen.clone()).unwrap_or_default();
        procs::bury(&BTreeSet::new());
        let alive: Vec<u32> = seen.iter().copied().filter(|pid| procs::is_alive(*pid)).collect();
        ensure!(alive.is_empty(), "processes left behind: {alive:?}");
        let groups: Vec<u32> = procs::all()
            .iter()
            .filter(|p| seen.contains(&p.group) && p.state != 'Z')
            .map(|p| p.pid)
            .collect();
        ensure!(groups.is_empty(), "children of actors left behind: {groups:?}");
        for socket in [self.ctl_socket(), self.local_socket()] {
            ensure!(!socket.exists(), "socket left behind: {}", socket.display());
        }
        let mut temporary = Vec::new();
        for folder in [self.home.memex(), self.home.state()] {
            let files = crate::org::files(&folder)?;
            temporary.extend(files.into_keys().filter(|name| is_temporary(name)));
        }
        ensure!(temporary.is_empty(), "temporary files left behind: {temporary:?}");
        Ok(())
    }

    /// Keeps the home for somebody to look at.
    pub fn keep(&self) {
        drop(std::fs::write(self.home.dir().join("keep"), ""));
    }
}

/// Names that only unfinished writes have.
fn is_temporary(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    [".tmp", ".new", ".part", "~"].iter().any(|ending| last.ends_with(ending)) || last.starts_with(".#")
}

impl Drop for Instance {
    fn drop(&mut self) {
        let mut doomed = self.seen.lock().map(|seen| seen.clone()).unwrap_or_default();
        if let Some(mut child) = self.child.take() {
            doomed.extend(procs::descendants(child.id()).iter().map(|p| p.pid));
            drop(child.kill());
            drop(child.wait());
        }
        let own = std::process::id();
        for _ in 0..5 {
            // Also what an actor left in its process group, and what has become ours since.
            let left: Vec<u32> = procs::all()
                .iter()
                .filter(|p| {
                    p.state != 'Z' && p.pid != own && (doomed.contains(&p.pid) || doomed.contains(&p.group))
                })
                .map(|p| p.pid)
                .collect();
            for pid in &left {
                procs::kick(*pid, Signal::KILL);
            }
            procs::bury(&BTreeSet::new());
            if left.is_empty() {
                break;
            }
            crate::wait::pass_time(ms(5));
        }
    }
}

/// Names of all actors.
#[must_use]
pub fn actors() -> Vec<&'static str> {
    Role::ACTORS.iter().map(|role| role.as_str()).collect()
}
