//! What a service manager and a first-time user see.

use prove::{
    Instance,
    home::Settings,
    wait::{eventually, s},
};
use std::{os::unix::net::UnixDatagram, process::Command};

#[test]
fn service_manager_is_told_ready_watchdog_and_stopping() {
    let _alone = prove::home::alone().expect("the lock of the proofs");
    let setup = super::setup(&[]);
    let mut instance = Instance::new(&setup, "notify", Settings::default()).expect("a home");
    let path = instance.home.dir().join("notify.sock");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    manager.set_nonblocking(true).expect("a flag");
    let path = path.display().to_string();
    let environment = [("NOTIFY_SOCKET", path.as_str()), ("WATCHDOG_USEC", "400000")];
    instance.wrapped(&[], &environment);
    instance.start().expect("a start");
    let mut said = String::new();
    let mut hear = |word: &str| {
        eventually(word, s(10), || {
            let mut bytes = [0; 512];
            while let Ok(n) = manager.recv(&mut bytes) {
                said.push_str(&String::from_utf8_lossy(&bytes[..n]));
                said.push('\n');
            }
            said.contains(word).then_some(())
        })
        .expect("the service manager is told");
    };
    hear("READY=1");
    hear("WATCHDOG=1");
    instance.ready().expect("ready");
    instance.finish().expect("a clean end");
    hear("STOPPING=1");
}

#[test]
fn first_question_starts_the_daemon_and_makes_the_memex() {
    let _alone = prove::home::alone().expect("the lock of the proofs");
    let setup = super::setup(&[]);
    let home = prove::Home::new("first").expect("a home");
    let run = |words: &[&str]| {
        let output = Command::new(&setup.binary)
            .args(words)
            .env_clear()
            .env("HOME", home.dir())
            .env("XDG_RUNTIME_DIR", home.dir())
            .output()
            .expect("a run");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let new = home.dir().join("fresh");
    let memex = new.display().to_string();
    let (code, _, error) = run(&["--memex", &memex, "ask", "--no-spawn", "agenda"]);
    assert_eq!(code, Some(3), "{error}");
    let (code, answer, error) = run(&["--memex", &memex, "ask", "note: the first one"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(answer.contains("the first one"), "{answer}");
    let inbox = std::fs::read_to_string(new.join("inbox.org")).expect("an inbox");
    assert!(inbox.contains("* the first one\n"), "{inbox}");
    assert!(new.join("welcome.org").exists());
    let (code, said, error) = run(&["--memex", &memex, "ctl", "drain"]);
    assert_eq!(code, Some(0), "{said}{error}");
    eventually("the daemon is gone", s(10), || {
        (run(&["--memex", &memex, "ctl", "status"]).0 == Some(3)).then_some(())
    })
    .expect("drained");
}
