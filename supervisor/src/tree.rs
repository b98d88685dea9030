//! The whole tree on one screen: who is started, who watches whom, what ends it. Run on the main thread, because the
//! kernel ties an actor's death signal to the thread that bore it.
//!
//! Root -> {Router (hub and journal), Control (operator's socket), one Child per role}.

use crate::{
    child::{self, Child},
    control::{self, Control},
    hub::{self, Hub},
    journal::{self, Journal},
    lock::{self, Lock},
    logring::LogRing,
    measures,
    paths::Paths,
    reap::Reaper,
    router::{self, Parts, Router},
    settings::{self, Settings},
};
use kit::{Exit, clock};
use protocol::role::Role;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::{collections::BTreeMap, io, path::Path, time::Duration};
use tokio::signal::unix::{SignalKind, signal};

/// Why the tree cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The places cannot be used.
    #[error(transparent)]
    Paths(#[from] crate::paths::Error),
    /// Another supervisor runs.
    #[error("passepartout runs already for this memex, as process {0}")]
    Running(u32),
    /// The configuration is at fault.
    #[error("{}", .0.join("\n"))]
    Config(Vec<String>),
    /// The journal cannot be read.
    #[error("the journal cannot be opened: {0}")]
    Journal(#[source] journal::Error),
    /// The system refused something.
    #[error("{what}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// Returns the exit code that tells a service manager what to do.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Running(_) => Exit::Temporary,
            Self::Paths(_) | Self::Config(_) | Self::Journal(_) => Exit::Config,
            Self::System { .. } => Exit::System,
        }
    }
}

/// Runs the tree until it has drained.
///
/// # Errors
/// When it cannot be started; nothing was spawned then.
pub fn run(paths: &Paths) -> Result<Exit, Error> {
    let ring = LogRing::default();
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    paths.prepare()?;
    let _lock = be_the_only_one(paths)?;
    let started = start(paths, &ring);
    if let Err(error) = &started {
        // For `ctl`, when nobody answers any more.
        drop(std::fs::write(paths.last_words(), error.to_string()));
    } else {
        drop(std::fs::remove_file(paths.last_words()));
    }
    let (reload, settings, journal, state) = started?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::System { what: "the runtime", source })?;
    let exit = runtime.block_on(live(paths, reload, &settings, journal, state, ring));
    runtime.shutdown_timeout(Duration::from_millis(200));
    exit
}

type Started = (Reload, Settings, Journal, journal::State);

fn start(paths: &Paths, ring: &LogRing) -> Result<Started, Error> {
    let settings = Reload::read(paths).map_err(Error::Config)?;
    let reload = Reload { paths: paths.clone(), zone: system_zone(), current: settings.clone() };
    let copy = ring.clone();
    kit::log::start_beside(&settings.log.level, move |line| copy.push(line));
    prepare_system().map_err(|source| Error::System { what: "limits of this process", source })?;
    make_memex(&paths.memex).map_err(|source| Error::System { what: "the memex folder", source })?;
    let options = measures::journal(&settings);
    let open = || Journal::open(&paths.journal(), &options);
    let opened = open().or_else(|error| {
        // A full disk must not keep the tree down: the reserve is there for that.
        if error.is_disk_full() && journal::release_reserve(&paths.journal()).is_ok() {
            open()
        } else {
            Err(error)
        }
    });
    let (journal, state, recovered) = opened.map_err(Error::Journal)?;
    if let Some(cut) = &recovered.cut {
        tracing::warn!(detail = ?cut, "the end of the journal was torn and has been cut");
    }
    Ok((reload, settings, journal, state))
}

fn be_the_only_one(paths: &Paths) -> Result<std::fs::File, Error> {
    let fault = |source| Error::System { what: "the lock of the state folder", source };
    match lock::take(&paths.state.join("supervisor.lock")).map_err(fault)? {
        Lock::Taken(mut file) => {
            lock::sign(&mut file, std::process::id()).map_err(fault)?;
            Ok(file)
        }
        Lock::Held(pid) => Err(Error::Running(pid)),
    }
}

/// What the kernel is asked to do for the supervisor itself.
fn prepare_system() -> io::Result<()> {
    use rustix::process::{DumpableBehavior, Resource, Rlimit};
    rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let files = rustix::process::getrlimit(Resource::Nofile);
    rustix::process::setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum })?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

/// Makes the memex with a short welcome when there is none. One that is there is never touched here.
fn make_memex(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(path)?;
    std::fs::write(path.join("welcome.org"), include_str!("welcome.org"))
}

async fn live(
    paths: &Paths,
    reload: Reload,
    settings: &Settings,
    journal: Journal,
    state: journal::State,
    ring: LogRing,
) -> Result<Exit, Error> {
    let zero = clock::monotonic();
    let mut seed = [0; 8];
    if getrandom::fill(&mut seed).is_err() {
        tracing::warn!("no randomness, restarts are not spread");
    }
    let config = reload.config(settings);
    let hub = Hub::new(config, state, 0, clock::wall(), u64::from_le_bytes(seed), std::process::id());
    let (done, finished) = tokio::sync::oneshot::channel();
    let parts = Parts { hub, journal, reload, done, zero };
    let reaper = Reaper::default();
    let plan = Plan {
        parts: Some(parts),
        paths: paths.clone(),
        ring: ring.clone(),
        reaper: reaper.clone(),
        level: settings.log.level.clone(),
    };
    let fault = |what| Error::System { what, source: io::Error::other("see the log") };
    let (root, handle) = Actor::spawn(Some("root".into()), Root, plan).await.map_err(|error| {
        tracing::error!(err = %error, "root not started");
        fault("the tree")
    })?;
    let mut signals = Signals::listen().map_err(|source| Error::System { what: "signals", source })?;
    tokio::pin!(finished);
    tokio::pin!(handle);
    let exit = loop {
        tokio::select! {
            biased;
            ended = &mut finished => break if ended.is_ok() { Exit::Drained } else { Exit::Bug },
            _ = &mut handle => break Exit::Bug,
            got = signals.next() => match got {
                Got::Child => reaper.bury_strangers(),
                Got::Terminate => drop(root.cast(RootMsg::Terminate)),
                Got::Hangup => drop(root.cast(RootMsg::Hangup)),
            },
        }
    };
    reaper.kill_all();
    control::remove_socket(&paths.ctl_socket());
    drop(std::fs::remove_file(paths.local_socket()));
    Ok(exit)
}

struct Signals {
    child: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

enum Got {
    Child,
    Terminate,
    Hangup,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            child: signal(SignalKind::child())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Cancel safe: each of the four is.
    async fn next(&mut self) -> Got {
        tokio::select! {
            _ = self.terminate.recv() => Got::Terminate,
            _ = self.interrupt.recv() => Got::Terminate,
            _ = self.hangup.recv() => Got::Hangup,
            _ = self.child.recv() => Got::Child,
        }
    }
}

/// What the root is made of.
#[derive(Debug)]
struct Plan {
    parts: Option<Parts>,
    paths: Paths,
    ring: LogRing,
    reaper: Reaper,
    level: String,
}

#[derive(Debug)]
enum RootMsg {
    Terminate,
    Hangup,
}

/// Watches the other ractor actors.
#[derive(Debug)]
struct Root;

#[derive(Debug)]
struct RootState {
    router: ActorRef<router::Msg>,
    children: BTreeMap<Role, ActorRef<child::Msg>>,
    seeds: BTreeMap<Role, child::Seed>,
    control: ActorRef<control::Msg>,
    control_seed: control::Seed,
}

impl Actor for Root {
    type Msg = RootMsg;
    type State = RootState;
    type Arguments = Plan;

    async fn pre_start(
        &self,
        myself: ActorRef<RootMsg>,
        mut plan: Plan,
    ) -> Result<RootState, ActorProcessingErr> {
        let parts = plan.parts.take().ok_or("the plan has no parts")?;
        let cell = myself.get_cell();
        let (router, _) = Actor::spawn_linked(Some("router".into()), Router, parts, cell.clone()).await?;
        let control_seed =
            control::Seed { router: router.clone(), paths: plan.paths.clone(), ring: plan.ring.clone() };
        let (control, _) =
            Actor::spawn_linked(Some("control".into()), Control, control_seed.clone(), cell.clone()).await?;
        let mut children = BTreeMap::new();
        let mut seeds = BTreeMap::new();
        for role in Role::ACTORS {
            let seed = child::Seed {
                role,
                router: router.clone(),
                locks: plan.paths.state.clone(),
                ring: plan.ring.clone(),
                reaper: plan.reaper.clone(),
                level: plan.level.clone(),
            };
            let name = format!("child {role}");
            let (child, _) = Actor::spawn_linked(Some(name), Child, seed.clone(), cell.clone()).await?;
            children.insert(role, child);
            seeds.insert(role, seed);
        }
        router.cast(router::Msg::Start(children.clone()))?;
        Ok(RootState { router, children, seeds, control, control_seed })
    }

    async fn handle(
        &self,
        _: ActorRef<RootMsg>,
        msg: RootMsg,
        state: &mut RootState,
    ) -> Result<(), ActorProcessingErr> {
        match msg {
            RootMsg::Terminate => state.router.cast(router::Msg::Terminate)?,
            RootMsg::Hangup => state.router.cast(router::Msg::Hangup)?,
        }
        Ok(())
    }

    /// A bug in one ractor actor: the router's takes the process along, and the journal brings everything back; a
    /// child's costs its process; control is started anew.
    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<RootMsg>,
        event: SupervisionEvent,
        state: &mut RootState,
    ) -> Result<(), ActorProcessingErr> {
        let who = match event {
            SupervisionEvent::ActorTerminated(who, _, _) => who.get_id(),
            SupervisionEvent::ActorFailed(who, error) => {
                tracing::error!(err = %error, "an actor of the supervisor failed");
                who.get_id()
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {
                return Ok(());
            }
        };
        if who == state.router.get_id() {
            myself.stop(Some("router ended".into()));
        } else if who == state.control.get_id() {
            let seed = state.control_seed.clone();
            (state.control, _) = Actor::spawn_linked(None, Control, seed, myself.get_cell()).await?;
        } else if let Some(role) =
            state.children.iter().find(|(_, child)| child.get_id() == who).map(|(role, _)| *role)
            && let Some(seed) = state.seeds.get(&role)
        {
            let (child, _) = Actor::spawn_linked(None, Child, seed.clone(), myself.get_cell()).await?;
            state.children.insert(role, child.clone());
            state.router.cast(router::Msg::Replaced(role, child))?;
        }
        Ok(())
    }
}

/// Looks a zone up in the system's database.
fn zone_exists(zone: &str) -> bool {
    let clean = !zone.starts_with('/') && !zone.split('/').any(|part| part == "..");
    clean && Path::new("/usr/share/zoneinfo").join(zone).is_file()
}

/// Returns the name of the system's zone; empty when it has none, which means UTC.
fn system_zone() -> String {
    let link = std::fs::read_link("/etc/localtime").unwrap_or_default();
    let text = link.to_string_lossy();
    text.split_once("zoneinfo/").map(|(_, zone)| zone.to_owned()).unwrap_or_default()
}

/// Reads the settings, again and again.
#[derive(Debug, Clone)]
pub struct Reload {
    paths: Paths,
    /// The system's zone.
    zone: String,
    current: Settings,
}

impl Reload {
    fn read(paths: &Paths) -> Result<Settings, Vec<String>> {
        let file = &paths.config;
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(vec![format!("{}: {error}", file.display())]),
        };
        let name = file.display().to_string();
        let known = |zone: &str| zone.is_empty() || zone_exists(zone);
        Settings::parse_with(&text, &name, &known)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    /// Reads the file again; what was in force stays when it is at fault.
    ///
    /// # Errors
    /// The faults, one line each.
    pub fn again(&mut self) -> Result<(hub::Config, String), Vec<String>> {
        let settings = Self::read(&self.paths)?;
        let config = self.config(&settings);
        let difference = settings::Reload::compare(&self.current, &settings);
        let deferred: Vec<&str> = difference.deferred().collect();
        let mut text = format!("{} changes are in force", difference.changes.len() - deferred.len());
        if !deferred.is_empty() {
            text.push_str("; these wait for the next start: ");
            text.push_str(&deferred.join(", "));
        }
        self.current = settings;
        Ok((config, text))
    }

    /// Turns settings into the hub's measures.
    fn config(&self, settings: &Settings) -> hub::Config {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let places = measures::Places {
            memex: shown(&self.paths.memex),
            memory_state: shown(&self.paths.memory()),
            local_socket: shown(&self.paths.local_socket()),
        };
        measures::config(settings, &self.zone, places)
    }
}
