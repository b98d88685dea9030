//! What the system does to it: descriptors, orphans, memory, disk, clock, a new binary, no more processes.

use crate::{
    Check, Fault, Instance, Outcome, Row, Setup, client, ensure,
    home::Settings,
    instance::actors,
    procs,
    report::pass,
    wait::{eventually, in_ms, ms, now, pass_time, s},
    wire::Wire,
};
use protocol::{control::Verb, limits::CTL_FRAME_MAX};
use rustix::process::Signal;
use std::{path::Path, process::Command};

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// What an actor has open.
pub const DESCRIPTORS: Row =
    Row { name: "fd-leak", about: "each actor has 0 to 4 and what its role opened itself", run: descriptors };

fn descriptors(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::new(setup, "fds", Settings::default())?;
    // The supervisor itself is born with descriptors that do not belong to it, as from a careless shell.
    instance
        .wrapped(&["/bin/sh", "-c", "exec 7</etc/passwd 8</etc/group 9</etc/hosts; exec \"$0\" \"$@\""], &[]);
    instance.start()?;
    instance.ready()?;
    // Some history: clients, deaths, other actors' sockets.
    for n in 0..3 {
        instance.ask("fds", &format!("m{n}"), &format!("note: descriptor {n}"))?;
        let of = instance.role("reason")?;
        procs::kick(of.pid, Signal::KILL);
        instance.reborn("reason", of.generation, s(10))?;
    }
    let mut words = Vec::new();
    let home = instance.home.dir().to_string_lossy().into_owned();
    for role in actors() {
        let pid = instance.role(role)?.pid;
        let open = procs::descriptors(pid);
        ensure!(!open.is_empty(), "/proc/{pid}/fd cannot be read: run this as root");
        for (number, target) in &open {
            let is_born = match number {
                0 => target == "/dev/null",
                1 | 2 => target.starts_with("pipe:"),
                3 => target.starts_with("socket:"),
                4 => target.ends_with(".lock"),
                _ => false,
            };
            let runtime = *number > 4
                && [
                    "anon_inode:[eventpoll]",
                    "anon_inode:[eventfd]",
                    "anon_inode:[signalfd]",
                    "socket:",
                    "anon_inode:inotify",
                ]
                .iter()
                .any(|kind| target.starts_with(kind));
            // Its own files: the outside double for act, memex and store for memory.
            let own = *number > 4
                && target.starts_with(&home)
                && match role {
                    "act" => target.ends_with("outside.txt"),
                    "memory" => target.contains("/memex") || target.contains("/state/memory"),
                    _ => false,
                };
            ensure!(is_born || runtime || own, "{role} has fd {number} = {target}");
        }
        let locks = open.iter().filter(|(_, target)| target.ends_with(".lock")).count();
        ensure!(locks == 1, "{role} holds {locks} locks");
        let sockets = open.iter().filter(|(_, target)| target.starts_with("socket:")).count();
        // 3; tokio's pair for signals, one end of it twice; the gateway's listener and the client that has just gone.
        let most = if role.starts_with("gateway") { 6 } else { 4 };
        ensure!(sockets <= most, "{role} has {sockets} sockets: {open:?}");
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        ensure!(environment.is_empty(), "{role} has an environment of {} bytes", environment.len());
        words.push(format!("{role} {}", open.len()));
    }
    instance.finish()?;
    pass(format!("no stranger among them, environment empty: {}", words.join(", ")))
}

/// Children of actors.
pub const ORPHANS: Row = Row {
    name: "zombies-orphans",
    about: "a double-forked child that ignores SIGTERM goes with its actor",
    run: orphans,
};

fn orphans(setup: &Setup) -> Check<Outcome> {
    let settings =
        Settings { ladder_ms: vec![0], ..Settings::default() }.fault("act", "take", "leave one", "orphan", 0);
    let mut instance = Instance::up(setup, "orphans", settings)?;
    let supervisor = instance.supervisor()?;
    for n in 0..3 {
        instance.ask("orphans", &format!("m{n}"), &format!("note: leave one {n}"))?;
    }
    let act = instance.role("act")?;
    let strays = |group: u32| {
        procs::all().into_iter().filter(|p| p.group == group && p.pid != group && p.state != 'Z').count()
    };
    let there = strays(act.pid);
    ensure!(there >= 3, "{there} orphans were made, expected 3: the fault does not work");
    procs::kick(act.pid, Signal::KILL);
    instance.reborn("act", act.generation, s(10))?;
    let begun = now();
    eventually("the orphans of a dead actor are gone", s(2), || (strays(act.pid) == 0).then_some(()))?;
    let took = in_ms(begun.elapsed());
    eventually("no zombie is left", s(1), || {
        procs::descendants(supervisor).iter().all(|p| p.state != 'Z').then_some(())
    })?;
    // And at the end, with the actor still alive.
    instance.ask("orphans", "m9", "note: leave one more")?;
    let act = instance.role("act")?.pid;
    ensure!(strays(act) >= 1, "no orphan to be left at the end");
    instance.finish()?;
    ensure!(strays(act) == 0, "{} orphans survive the stop", strays(act));
    pass(format!("{there} orphans gone {took:.0} ms after their actor, no zombie, none survives the stop"))
}

/// Runs out of memory.
pub const MEMORY: Row =
    Row { name: "out-of-memory", about: "parked at the limit, twenty behind it done", run: memory };

fn memory(setup: &Setup) -> Check<Outcome> {
    let settings = Settings {
        ladder_ms: vec![0],
        more: "[roles.reason]\nmemory_mib = 96\n".into(),
        ..Settings::default()
    };
    let mut instance = Instance::up(setup, "oom", settings.fault("reason", "take", "glutton", "devour", 0))?;
    let bad = {
        let socket = instance.local_socket();
        std::thread::spawn(move || client::ask(&socket, "bad", "m", "note: glutton", s(40)))
    };
    let mut noted = 0;
    for n in 0..20 {
        noted += usize::from(
            instance.ask("good", &format!("m{n}"), &format!("note: modest {n}"))?.text.starts_with("Noted"),
        );
    }
    let answer = bad.join().map_err(|_| "the asking thread panicked")??;
    let reason = instance.role("reason")?;
    ensure!(noted == 20, "{noted} of 20 behind it done");
    ensure!(answer.parked, "answered `{}`", answer.text);
    ensure!(
        reason.restarts <= 3 && reason.generation <= 4,
        "{} deaths, {} starts",
        reason.restarts,
        reason.generation
    );
    let parked = instance.held(Verb::ParkedList)?.len();
    ensure!(parked == 1, "{parked} parked");
    instance.finish()?;
    pass(format!("20 done, 1 parked, {} starts, cause `{}`", reason.generation, reason.last_death))
}

/// No room on the disk.
pub const DISK: Row = Row {
    name: "disk-full",
    about: "admission closes and says so, ctl answers, nothing accepted is lost",
    run: disk,
};

fn disk(setup: &Setup) -> Check<Outcome> {
    if !is_root() {
        return Ok(Outcome::Skip("needs root for a tmpfs of its own".into()));
    }
    let mut instance = Instance::new(
        setup,
        "disk",
        Settings { more: "[journal]\nreserve_bytes = 262144\n".into(), ..Settings::default() },
    )?;
    std::fs::create_dir(instance.home.state())?;
    let mount = Mount::new(&instance.home.state(), "size=6m,mode=700")?;
    instance.start()?;
    instance.ready()?;
    let mut done = 0;
    for n in 0..10 {
        instance.ask("disk", &format!("a{n}"), &format!("note: before {n}"))?;
        done += 1;
    }
    let before = instance.pids()?;
    let filler = instance.home.state().join("filler.bin");
    fill(&filler)?;
    // Some may still fit into the last block.
    let (mut refused, mut held) = (String::new(), Vec::new());
    for n in 0..400 {
        match client::ask(
            &instance.local_socket(),
            "disk",
            &format!("b{n}"),
            &format!("note: during {n} {}", "x".repeat(2_000)),
            s(3),
        ) {
            Ok(answer) if answer.text.starts_with("Noted") => done += 1,
            Ok(answer) => return Err(Fault(format!("neither done nor refused: `{}`", answer.text))),
            Err(fault) => {
                refused = fault.to_string();
                let words = refused.to_lowercase();
                if words.contains("disk") || words.contains("journal") {
                    break;
                }
                // Taken while there was room and not answered since: its answer cannot be made durable yet.
                held.push(n);
                ensure!(held.len() < 5, "refused without a reason: {refused}");
            }
        }
    }
    ensure!(!refused.is_empty(), "400 messages fitted on a full disk");
    let begun = now();
    let status = instance.status()?;
    let took = in_ms(begun.elapsed());
    ensure!(took < setup.bound(100.0), "status took {took:.0} ms");
    ensure!(
        status.notices.iter().any(|line| line.contains("journal") || line.contains("disk")),
        "status does not say it: {:?}",
        status.notices
    );
    ensure!(instance.pids()? == before, "a process was replaced on a full disk");
    // A restart on the full disk must not lose anything either.
    std::fs::remove_file(&filler)?;
    let begun = now();
    let answer = client::ask(&instance.local_socket(), "disk", "c", "note: after", s(20))?;
    let back = in_ms(begun.elapsed());
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    done += 1;
    for n in held {
        let text = format!("note: during {n} {}", "x".repeat(2_000));
        let answer = client::ask(&instance.local_socket(), "disk", &format!("b{n}"), &text, s(20))?;
        done += usize::from(answer.text.starts_with("Noted"));
    }
    let entries = crate::org::entries(&instance.home.memex())?.len();
    // The refused one may have been taken once there was room: it was never promised either way.
    ensure!(entries == done || entries == done + 1, "{entries} entries, {done} were answered as noted");
    instance.finish()?;
    drop(mount);
    pass(format!(
        "refused with a reason, status {took:.1} ms, taken again {back:.0} ms after there was room, {done} notes each once"
    ))
}

fn fill(path: &Path) -> Check {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path)?;
    for size in [65_536, 4_096, 512, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    Ok(())
}

struct Mount(std::path::PathBuf);

impl Mount {
    fn new(at: &Path, options: &str) -> Check<Self> {
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output()?;
        ensure!(done.status.success(), "tmpfs: {}", String::from_utf8_lossy(&done.stderr).trim());
        Ok(Self(at.into()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

/// The clock jumps.
pub const CLOCK: Row = Row {
    name: "clock-jump",
    about: "an hour back and forth while starting and waiting: no effect",
    run: clock,
};

fn clock(setup: &Setup) -> Check<Outcome> {
    let library = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/faketime/libfaketime.so.1",
    ];
    let Some(library) = library.into_iter().find(|path| Path::new(path).exists()) else {
        return Ok(Outcome::Skip("libfaketime is not installed".into()));
    };
    let mut figures = Vec::new();
    let mut base = 0.0;
    for jump in ["+0", "-1h", "+1h"] {
        let settings = Settings { ladder_ms: vec![800], ..Settings::default() }
            .fault("memory", "start", "", "sleep", 600);
        let mut instance = Instance::new(setup, "clock", settings)?;
        let hand = instance.home.dir().join("hand");
        std::fs::write(&hand, "+0\n")?;
        let shown = hand.to_string_lossy().into_owned();
        // Only the clock on the wall: the monotonic one cannot be set by anybody.
        instance.wrapped(
            &[],
            &[
                ("LD_PRELOAD", library),
                ("FAKETIME_TIMESTAMP_FILE", &shown),
                ("FAKETIME_NO_CACHE", "1"),
                ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
                ("DONT_FAKE_MONOTONIC", "1"),
            ],
        );
        let begun = now();
        instance.start()?;
        pass_time(ms(200));
        std::fs::write(&hand, format!("{jump}\n"))?;
        instance.ready()?;
        let started = in_ms(begun.elapsed());
        let of = instance.role("reason")?;
        let begun = now();
        procs::kick(of.pid, Signal::KILL);
        pass_time(ms(200));
        std::fs::write(&hand, "+0\n")?;
        instance.reborn("reason", of.generation, s(10))?;
        let back = in_ms(begun.elapsed());
        ensure!((700.0..1_800.0).contains(&back), "jump {jump}: back after {back:.0} ms of a delay of 800");
        if jump == "+0" {
            base = started;
        }
        ensure!(
            started < base * 1.1 + 400.0,
            "jump {jump}: ready after {started:.0} ms instead of {base:.0}"
        );
        let answer = instance.ask("clock", "m", "note: what time is it")?;
        ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
        let deaths: u32 = instance.status()?.roles.iter().map(|r| r.restarts).sum();
        ensure!(deaths == 1, "jump {jump}: {deaths} deaths, not the one that was ordered");
        instance.finish()?;
        figures.push(format!("{jump}: ready {started:.0} ms, back {back:.0} ms"));
    }
    pass(format!("jump while starting and while waiting: {}", figures.join("; ")))
}

/// Another binary in the same place.
pub const UPGRADE: Row = Row {
    name: "upgrade-in-place",
    about: "actors come back from the running image, not from the new file",
    run: upgrade,
};

fn upgrade(setup: &Setup) -> Check<Outcome> {
    let mut instance =
        Instance::new(setup, "upgrade", Settings { ladder_ms: vec![0], ..Settings::default() })?;
    let copy = instance.home.dir().join("passepartout");
    std::fs::copy(&setup.binary, &copy)?;
    instance.use_binary(&copy);
    instance.start()?;
    instance.ready()?;
    // As a package manager does it: another inode under the same name; then none at all.
    let fresh = instance.home.dir().join("fresh");
    std::fs::copy("/bin/false", &fresh)?;
    std::fs::rename(&fresh, &copy)?;
    for (n, role) in actors().into_iter().enumerate() {
        if n == 2 {
            std::fs::remove_file(&copy)?;
        }
        let of = instance.role(role)?;
        procs::kick(of.pid, Signal::KILL);
        instance.reborn(role, of.generation, s(10)).map_err(|fault| Fault(format!("{role}: {fault}")))?;
    }
    let answer = instance.ask("upgrade", "m", "note: the old image")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    instance.finish()?;
    pass("file replaced, then deleted: each of 5 roles came back")
}

/// No more descriptors.
pub const NO_DESCRIPTORS: Row = Row {
    name: "emfile",
    about: "a start that fails for want of descriptors takes the ladder",
    run: no_descriptors,
};

fn no_descriptors(setup: &Setup) -> Check<Outcome> {
    let mut instance =
        Instance::new(setup, "emfile", Settings { ladder_ms: vec![0, 100, 200], ..Settings::default() })?;
    instance.wrapped(&["/bin/sh", "-c", "ulimit -n 72; exec \"$0\" \"$@\""], &[]);
    instance.start()?;
    instance.ready()?;
    let before = procs::descriptors(instance.supervisor()?).len();
    // Every descriptor that is left goes to clients who just sit there.
    let mut sitting = Vec::new();
    while sitting.len() < 80 {
        match Wire::open(&instance.ctl_socket(), CTL_FRAME_MAX) {
            Ok(wire) => sitting.push(wire),
            Err(_) => break,
        }
    }
    pass_time(ms(300));
    let at_most = procs::descriptors(instance.supervisor()?).len();
    let pids: Vec<u32> = procs::descendants(instance.supervisor()?).iter().map(|p| p.pid).collect();
    for pid in &pids {
        procs::kick(*pid, Signal::KILL);
    }
    pass_time(ms(700));
    let supervisor = instance.supervisor()?;
    ensure!(
        procs::is_alive(supervisor),
        "the supervisor died for want of descriptors: {}",
        instance.last_words()
    );
    drop(sitting);
    instance.ready()?;
    let answer = instance.ask("emfile", "m", "note: after the drought")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    instance.finish()?;
    pass(format!(
        "limit 72, {before} in use, {at_most} with clients; all 5 actors killed then: supervisor lives, all back once there were some"
    ))
}

/// No more processes.
pub const NO_PROCESSES: Row =
    Row { name: "fork-failure", about: "the same for want of processes", run: no_processes };

fn no_processes(setup: &Setup) -> Check<Outcome> {
    // The superuser is exempt from the limit, so an ordinary user has to run it.
    if !is_root() || !Path::new("/usr/bin/setpriv").exists() {
        return Ok(Outcome::Skip("needs root and setpriv, to run it as a user of its own".into()));
    }
    let mut instance =
        Instance::new(setup, "nproc", Settings { ladder_ms: vec![0, 100, 200], ..Settings::default() })?;
    // A user that nobody else is, so that the count is ours alone: six processes, and room for two more.
    let user = 54_321;
    let as_user = ["/usr/bin/setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"];
    let limited = ["/bin/sh", "-c", "ulimit -u 8 2>/dev/null || ulimit -p 8; exec \"$@\"", "sh"];
    let copy = instance.home.dir().join("passepartout");
    std::fs::copy(&setup.binary, &copy)?;
    instance.use_binary(&copy);
    for path in [instance.home.dir().to_path_buf(), instance.home.memex(), instance.home.config(), copy] {
        std::os::unix::fs::chown(&path, Some(user), Some(user))?;
    }
    instance.wrapped(&[&limited[..], &as_user[..]].concat(), &[]);
    instance.start()?;
    instance.ready()?;
    let supervisor = instance.supervisor()?;
    let mut crowd = Vec::new();
    for _ in 0..8 {
        crowd.push(Command::new(as_user[0]).args(&as_user[1..]).args(["sleep", "60"]).spawn()?);
    }
    let of = instance.role("reason")?;
    let failed = eventually("the start fails", s(5), || {
        // Again and again, because the crowd gathers meanwhile.
        let now = instance.role("reason").ok()?;
        if now.last_death.contains("could not be started") {
            return Some(now);
        }
        procs::kick(now.pid, Signal::KILL);
        None
    });
    let alive = procs::is_alive(supervisor);
    let others = instance
        .status()
        .is_ok_and(|status| status.roles.iter().filter(|r| r.role != "reason").all(|r| r.restarts == 0));
    for one in &mut crowd {
        drop(one.kill());
        drop(one.wait());
    }
    let failed = failed?;
    ensure!(alive, "the supervisor died of it");
    ensure!(others, "another role was hit");
    instance.reborn("reason", of.generation, s(10))?;
    instance.finish()?;
    pass(format!(
        "`{}` took the ladder ({} times), back once there was room",
        failed.last_death, failed.restarts
    ))
}
