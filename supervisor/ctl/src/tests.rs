//! Commands against a daemon that the test plays on real sockets: output, exit codes, what is said twice.

use super::*;
use crate::wire::{Got, Wire};
use link::{Codec, Frame};
use protocol::{
    control::{Client, Reply, Request, RoleStatus, Server, Status, Verb},
    limits::FRAME_MAX,
    route::Kind as Word,
};
use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, net::UnixListener},
    path::PathBuf,
    sync::mpsc,
    thread::JoinHandle,
    time::Duration,
};

/// A folder of its own for a test, taken away at the end.
struct Home(PathBuf);

impl Home {
    fn new(test: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("pp-ctl-{}-{test}", std::process::id()));
        fs::create_dir_all(dir.join("run")).unwrap();
        Self(dir)
    }

    /// Runs a command line as a process would, with its output in hand.
    fn run(&self, line: &str) -> (Result<(), Failure>, String) {
        let places = ["--memex", "m", "--config", "c.toml", "--state-dir", "", "--runtime-dir", "run"];
        let mut words: Vec<OsString> = vec!["passepartout".into()];
        for word in places {
            let is_option = word.starts_with("--");
            words.push(if is_option { word.into() } else { self.0.join(word).into() });
        }
        words.extend(line.split_whitespace().map(OsString::from));
        let cli = Cli::try_parse_from(words).unwrap();
        let wishes = place::wishes(cli.places, Wishes::default());
        let paths = place::find(&wishes).unwrap();
        let mut out = Vec::new();
        let done = match cli.command {
            Command::Ask(args) => ask::run(&paths, &args, &mut out),
            Command::Ctl { verb } => operate::run(&paths, verb, &mut out),
            Command::Config { what } => offline::config(&wishes, &what, &mut out),
            Command::Completions { shell } => offline::completions(shell, &mut out),
            Command::Man { dir } => offline::man(dir.as_deref(), &mut out),
            Command::Version => offline::version(&mut out),
            Command::Up | Command::Chat(_) => panic!("not from here"),
        };
        (done, String::from_utf8(out).unwrap())
    }

    /// Runs a command line that must fail.
    fn fails(&self, line: &str) -> Failure {
        self.run(line).0.unwrap_err()
    }

    /// Answers one connection after the other on a socket; returns what was heard on each.
    fn daemon<T, F>(&self, socket: &str, connections: usize, mut answer: F) -> Daemon<T>
    where
        T: Send + 'static,
        F: FnMut(usize, &mut Peer) -> T + Send + 'static,
    {
        let listener = UnixListener::bind(self.0.join("run").join(socket)).unwrap();
        let (sender, heard) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            for number in 0..connections {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                sender.send(answer(number, &mut Peer::new(stream))).unwrap();
            }
        });
        Daemon { heard, thread }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

struct Daemon<T> {
    heard: mpsc::Receiver<T>,
    thread: JoinHandle<()>,
}

impl<T> Daemon<T> {
    fn heard(self) -> Vec<T> {
        self.thread.join().unwrap();
        self.heard.into_iter().collect()
    }
}

/// The daemon's end of a connection.
struct Peer(Wire);

impl Peer {
    fn new(stream: std::os::unix::net::UnixStream) -> Self {
        Self(Wire::over(stream, FRAME_MAX))
    }

    fn frame(&mut self) -> Option<Frame> {
        match self.0.next(kit::clock::monotonic() + Duration::from_secs(20)).unwrap() {
            Got::Frame(frame) => Some(frame),
            Got::Closed => None,
            Got::Late => panic!("nothing heard"),
        }
    }

    fn request(&mut self) -> Request {
        self.frame().unwrap().read(Codec::Json).unwrap()
    }

    fn reply(&mut self, reply: &Reply) {
        self.0.send(Word::Controlled, reply).unwrap();
    }

    fn client(&mut self) -> Option<Client> {
        self.frame().map(|frame| frame.read(Codec::Json).unwrap())
    }

    /// Hears the other end out. Closed with words unread, the kernel would throw away what was said last.
    fn until_gone(&mut self) {
        while self.client().is_some() {}
    }

    fn say(&mut self, words: &Server) {
        self.0.send(Word::Server, words).unwrap();
    }
}

fn refused(code: u8) -> Reply {
    Reply::Refused { code, why: "no".into(), hint: "passepartout ctl status".into() }
}

#[test]
fn without_a_daemon_the_code_is_three_and_its_last_words_are_shown() {
    let home = Home::new("nobody");
    fs::write(home.0.join("last-words.txt"), "the disk is full").unwrap();
    for line in ["ctl status", "ctl drain", "ctl tail -f", "ask --no-spawn hi"] {
        let failure = home.fails(line);
        assert_eq!(failure.kind, Kind::NotRunning, "{line}");
        assert_eq!(failure.source.last_words(), Some("the disk is full"), "{line}");
    }
}

#[test]
fn refusals_have_the_code_that_the_daemon_says() {
    let home = Home::new("refused");
    let codes = [(1, Kind::Refused), (4, Kind::Version), (5, Kind::Timeout)];
    let daemon = home.daemon("ctl.sock", codes.len(), move |number, peer| {
        let request = peer.request();
        peer.reply(&refused(codes[number].0));
        request.verb
    });
    for (_, kind) in codes {
        let failure = home.fails("ctl rollback ab12");
        assert_eq!((failure.kind, failure.hint.as_str()), (kind, "passepartout ctl status"));
    }
    assert_eq!(daemon.heard()[0], Verb::Rollback { turn: "ab12".into() });
}

#[test]
fn verb_is_asked_again_under_the_same_id_when_the_connection_is_lost() {
    let home = Home::new("again");
    let daemon = home.daemon("ctl.sock", 2, |number, peer| {
        let request = peer.request();
        if number == 1 {
            peer.reply(&Reply::Done("turn ab12cd34".into()));
        }
        request
    });
    let (done, out) = home.run("ctl inject note: milk");
    assert!(done.is_ok());
    assert_eq!(out, "turn ab12cd34\n");
    let requests = daemon.heard();
    assert_eq!(requests[0], requests[1]);
    assert_eq!(requests[0].verb, Verb::Inject { text: "note: milk".into() });
}

#[test]
fn status_comes_as_a_table_or_as_json() {
    let home = Home::new("status");
    let daemon = home.daemon("ctl.sock", 2, |_, peer| {
        peer.request();
        let status = Status { health: "healthy".into(), ..Status::default() };
        peer.reply(&Reply::Status(Box::new(status)));
    });
    assert!(home.run("ctl status").1.starts_with("healthy  pid 0"));
    let json: Status = serde_json::from_str(&home.run("ctl status --json").1).unwrap();
    assert_eq!(json.health, "healthy");
    daemon.heard();
}

#[test]
fn answer_of_a_newer_daemon_is_a_difference_of_versions() {
    let home = Home::new("newer");
    let daemon = home.daemon("ctl.sock", 1, |_, peer| {
        peer.request();
        peer.0.send(Word::Controlled, &serde_json::json!({"marvel": 1})).unwrap();
    });
    assert_eq!(home.fails("ctl version").kind, Kind::Version);
    daemon.heard();
}

#[test]
fn doctor_that_finds_something_bad_ends_with_one() {
    let home = Home::new("doctor");
    let daemon = home.daemon("ctl.sock", 2, |number, peer| {
        peer.request();
        let grade = ["warn", "bad"][number].into();
        let finding = protocol::control::Finding { grade, subject: "s".into(), text: "t".into() };
        peer.reply(&Reply::Findings(vec![finding]));
    });
    assert!(home.run("ctl doctor").0.is_ok());
    let (done, out) = home.run("ctl doctor");
    assert_eq!((done.unwrap_err().kind, out.as_str()), (Kind::Refused, "bad  s  t\n"));
    daemon.heard();
}

#[test]
fn restart_waits_for_the_next_life() {
    let home = Home::new("restart");
    let lives = [(1, "ready"), (0, ""), (1, "draining"), (2, "starting"), (2, "ready")];
    let daemon = home.daemon("ctl.sock", lives.len(), move |number, peer| {
        let request = peer.request();
        let (generation, actual) = lives[number];
        let role = RoleStatus {
            role: "act".into(),
            actual: actual.into(),
            pid: 7,
            generation,
            ..RoleStatus::default()
        };
        if request.verb == Verb::Status {
            let status = Status { roles: vec![role], ..Status::default() };
            peer.reply(&Reply::Status(Box::new(status)));
        } else {
            peer.reply(&Reply::Done("act starts".into()));
        }
        request.verb
    });
    let (done, out) = home.run("ctl restart act");
    assert!(done.is_ok());
    assert_eq!(out, "act is ready, process 7\n");
    assert_eq!(daemon.heard()[1], Verb::Restart { role: "act".into() });
}

#[test]
fn drain_waits_until_the_daemon_has_gone() {
    let home = Home::new("drain");
    let daemon = home.daemon("ctl.sock", 1, |_, peer| {
        peer.request();
        peer.reply(&Reply::Done("draining".into()));
    });
    let (done, out) = home.run("ctl drain");
    assert!(done.is_ok());
    assert_eq!(out, "draining\ndrained\n");
    daemon.heard();
}

#[test]
fn tail_shows_lines_until_the_daemon_ends() {
    let home = Home::new("tail");
    let daemon = home.daemon("ctl.sock", 1, |_, peer| {
        let request = peer.request();
        peer.reply(&Reply::Lines(vec!["one".into(), "two".into()]));
        peer.reply(&Reply::Lines(vec!["three \x1b[2J".into()]));
        request.verb
    });
    let (done, out) = home.run("ctl tail -n 2 -f");
    assert_eq!(done.unwrap_err().kind, Kind::NotRunning);
    assert_eq!(out, "one\ntwo\nthree ?[2J\n");
    assert_eq!(daemon.heard(), [Verb::Tail { lines: 2, follow: true }]);
}

/// Hears hello and the message; returns the message's id.
fn message(peer: &mut Peer) -> String {
    assert!(matches!(peer.client(), Some(Client::Hello { .. })));
    peer.say(&Server::Welcome { version: "0".into() });
    match peer.client() {
        Some(Client::Say { message, text }) if text == "what now" => message,
        other => panic!("{other:?}"),
    }
}

/// The connection that only looks whether somebody is there.
fn looked(number: usize, peer: &mut Peer) -> bool {
    number == 0 && peer.client().is_none()
}

#[test]
fn ask_prints_its_own_answer_once_and_confirms_it() {
    let home = Home::new("ask");
    let daemon = home.daemon("local.sock", 2, |number, peer| {
        if looked(number, peer) {
            return None;
        }
        let message = message(peer);
        let answer = |message: &str, turn: &str| Server::Answer {
            turn: turn.into(),
            message: message.into(),
            text: "milk".into(),
        };
        peer.say(&answer("somebody else's", "t0"));
        peer.say(&Server::Accepted { message: message.clone(), turn: "t1".into() });
        peer.say(&answer(&message, "t1"));
        peer.client()
    });
    let (done, out) = home.run("ask --no-spawn --json what now");
    assert!(done.is_ok());
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["turn"], &json["answer"]), (&"t1".into(), &"milk".into()));
    assert_eq!(daemon.heard(), [None, Some(Client::Seen { turn: "t1".into() })]);
}

#[test]
fn ask_says_the_same_message_again_after_a_lost_connection() {
    let home = Home::new("lost");
    let daemon = home.daemon("local.sock", 3, |number, peer| {
        if looked(number, peer) {
            return String::new();
        }
        let message = message(peer);
        if number == 2 {
            let answer = Server::Answer { turn: "t".into(), message: message.clone(), text: "milk".into() };
            peer.say(&answer);
            peer.client();
        }
        message
    });
    let (done, out) = home.run("ask what now");
    assert!(done.is_ok());
    assert_eq!(out, "milk\n");
    let messages = daemon.heard();
    assert_eq!(messages[1], messages[2]);
}

#[test]
fn ask_waits_for_a_gateway_that_is_away_while_the_daemon_runs() {
    let home = Home::new("away");
    let daemon = home.daemon("ctl.sock", 1, |_, peer| peer.client());
    let failure = home.fails("ask --no-spawn --timeout 1 what now");
    assert_eq!((failure.kind, failure.hint.as_str()), (Kind::Timeout, "passepartout ctl status"));
    assert_eq!(daemon.heard(), [None]);
}

#[test]
fn ask_that_is_refused_late_or_of_another_version_says_so() {
    let home = Home::new("ask-fails");
    let daemon = home.daemon("local.sock", 6, |number, peer| match number {
        1 => {
            let message = message(peer);
            peer.say(&Server::Refused { message, why: "busy".into() });
            peer.until_gone();
        }
        3 => {
            peer.client();
            peer.say(&Server::Error { why: "version".into() });
            peer.until_gone();
        }
        5 => {
            message(peer);
            assert_eq!(peer.client(), None);
        }
        _ => assert!(looked(0, peer)),
    });
    assert_eq!(home.fails("ask --no-spawn what now").kind, Kind::Refused);
    assert_eq!(home.fails("ask --no-spawn what now").kind, Kind::Version);
    let late = home.fails("ask --no-spawn --timeout 2 what now");
    assert_eq!((late.kind, late.hint.contains("chat")), (Kind::Timeout, true));
    daemon.heard();
}

#[test]
fn configuration_is_checked_without_a_daemon() {
    let home = Home::new("config");
    let (done, out) = home.run("config check");
    assert!(done.is_ok() && out.contains("default"));
    let (done, example) = home.run("config example");
    assert!(done.is_ok());
    fs::write(home.0.join("c.toml"), example).unwrap();
    assert!(home.run("config check").1.contains("no faults"));
    fs::write(home.0.join("c.toml"), "nonsense = 1\nrubbish = 2\n").unwrap();
    let failure = home.fails("config check");
    assert_eq!(failure.kind, Kind::Config);
    assert_eq!(failure.source.to_string().lines().count(), 2);
    assert_eq!(home.fails("config check /nowhere.toml").kind, Kind::Config);
}

#[test]
fn journal_is_repaired_only_while_nobody_uses_it() {
    let home = Home::new("repair");
    assert_eq!(home.fails("ctl journal repair").kind, Kind::Refused);
    fs::create_dir_all(home.0.join("journal")).unwrap();
    fs::set_permissions(&home.0, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(home.run("ctl journal repair").1, "nothing to repair\n");
    assert!(home.run("ctl journal verify").0.is_ok());
    let lock = supervisor::lock::take(&home.0.join("supervisor.lock")).unwrap();
    let failure = home.fails("ctl journal repair");
    assert_eq!((failure.kind, failure.hint.as_str()), (Kind::Refused, "passepartout ctl drain"));
    drop(lock);
}

#[test]
fn routes_completions_manual_and_version_need_nobody() {
    let home = Home::new("offline");
    assert!(home.run("ctl routes").1.contains("gateway:local -> supervisor"));
    assert!(home.run("completions bash").1.contains("passepartout"));
    assert!(home.run("man").1.contains("Exit codes"));
    assert!(home.run("version").1.starts_with("passepartout "));
    let pages = home.0.join("man");
    assert!(home.run(&format!("man {}", pages.display())).0.is_ok());
    assert!(pages.join("passepartout-ctl-status.1").is_file());
}
