//! `chat`: lines in, answers out, for as long as the person stays. The terminal's own line editing; no screen.

use crate::{
    Error, Failure, Kind, args,
    ask::first_words,
    show::printable,
    start::{self, Found, Spawn},
    talk::{Show, Talk, Whose},
    wire::{self, fresh_id},
};
use kit::clock;
use link::{
    Channel, Codec,
    channel::{Arrival, Flow},
};
use protocol::{
    control::{Client, Server},
    limits::{FRAME_MAX, TEXT_MAX},
    route::Kind as Word,
    stimulus::Refusal,
};
use std::{
    io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _},
    time::{Duration, Instant},
};
use supervisor::paths::Paths;
use tokio::{
    net::UnixStream,
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::{Receiver, Sender, channel},
};

/// Messages that may wait for their answers before no further line is read.
const WAITING_MAX: usize = 16;

/// Between two tries to connect.
const AGAIN: Duration = Duration::from_millis(100);

/// How long nobody may be there before a daemon is started in its place: whoever looks after it goes first.
const ABSENCE: Duration = Duration::from_secs(3);

/// How long the last answers are waited for when the input has ended: as long as `ask` waits.
const LAST: Duration = Duration::from_secs(60);

/// Talks until the person leaves.
pub(crate) fn run(paths: &Paths, args: &args::Talk) -> Result<(), Failure> {
    let spawn = if args.no_spawn { Spawn::Never } else { Spawn::May };
    let found = start::ensure(paths, spawn)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::system("the runtime", error))?;
    let mut chat = Chat {
        paths,
        spawn,
        talk: Talk::new(args.conversation.clone(), Whose::All),
        line: None,
        absent: None,
        terminal: io::stdin().is_terminal() && io::stdout().is_terminal(),
        stopping: false,
        ended: None,
    };
    if found == Found::First || (chat.terminal && found == Found::Started) {
        drop(writeln!(io::stderr(), "{}", first_words(paths)));
    }
    let done = runtime.block_on(chat.live());
    runtime.shutdown_background();
    done
}

struct Chat<'a> {
    paths: &'a Paths,
    spawn: Spawn,
    talk: Talk,
    line: Option<Channel>,
    /// Since when nobody has been there.
    absent: Option<Instant>,
    /// Whether a person sits there, rather than a pipe.
    terminal: bool,
    /// Whether `/stop` was sent for what waits.
    stopping: bool,
    /// When the input ended.
    ended: Option<Instant>,
}

enum Wake {
    Interrupt,
    Line(Option<String>),
    Arrival(Result<Arrival, link::Error>),
    Look,
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

impl Chat<'_> {
    async fn live(&mut self) -> Result<(), Failure> {
        let mut interrupt = signal(SignalKind::interrupt())
            .map_err(|error| Failure::system("the signal of Ctrl-C", error))?;
        let mut lines = lines();
        self.prompt()?;
        loop {
            if self.line.is_none() {
                self.connect().await?;
            }
            let next = match self.wake(&mut interrupt, &mut lines).await {
                Wake::Interrupt => self.interrupted()?,
                Wake::Line(line) => self.typed(line)?,
                Wake::Arrival(arrival) => {
                    self.arrived(arrival)?;
                    Next::Go
                }
                Wake::Look => Next::Go,
            };
            let late = self.ended.is_some_and(|ended| clock::monotonic() > ended + LAST);
            if next == Next::Leave || (self.ended.is_some() && self.talk.waiting() == 0) {
                return self.leave().await;
            }
            if late {
                let source = Error::Late("the input has ended and answers are missing".into());
                return Err(Failure::new(Kind::Timeout, source, "passepartout ctl status"));
            }
        }
    }

    async fn wake(&mut self, interrupt: &mut Signal, lines: &mut Receiver<String>) -> Wake {
        let more = self.ended.is_none() && self.talk.waiting() < WAITING_MAX;
        let arrival = async {
            match &mut self.line {
                Some(line) => line.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = interrupt.recv() => Wake::Interrupt,
            arrival = arrival => Wake::Arrival(arrival),
            line = lines.recv(), if more => Wake::Line(line),
            () = tokio::time::sleep(AGAIN) => Wake::Look,
        }
    }

    async fn connect(&mut self) -> Result<(), Failure> {
        match UnixStream::connect(self.paths.local_socket()).await {
            Ok(stream) => {
                self.absent = None;
                self.line = Some(Channel::new(stream, FRAME_MAX, Flow::Free));
                for words in self.talk.greet() {
                    self.send(&words);
                }
                Ok(())
            }
            Err(error) if wire::is_nobody(&error) => {
                let now = clock::monotonic();
                let since = *self.absent.get_or_insert(now);
                if now.duration_since(since) <= ABSENCE {
                    return Ok(());
                }
                self.absent = None;
                // With --no-spawn this ends the chat: nobody will come.
                start::ensure(self.paths, self.spawn).map(|_| ())
            }
            Err(error) => Err(Failure::system("the local socket", error)),
        }
    }

    /// Puts words on their way; what does not arrive is said again on the next connection.
    fn send(&mut self, words: &Client) {
        let Some(line) = &mut self.line else { return };
        let sent = wire::frame(Word::Client, words).and_then(|frame| line.send(frame));
        if sent.and_then(|()| line.flush_now()).is_err() {
            self.line = None;
        }
    }

    fn say(&mut self, text: String) -> Result<(), Failure> {
        let id = fresh_id().map_err(|error| Failure::system("randomness", error))?;
        let words = self.talk.say(id, text);
        self.send(&words);
        Ok(())
    }

    /// Ctrl-C: once to stop what runs, again, or with nothing running, to leave.
    fn interrupted(&mut self) -> Result<Next, Failure> {
        if self.talk.waiting() == 0 || self.stopping {
            return Ok(Next::Leave);
        }
        self.stopping = true;
        self.print("(stopping; Ctrl-C again leaves)")?;
        self.say("/stop".into())?;
        Ok(Next::Go)
    }

    fn typed(&mut self, line: Option<String>) -> Result<Next, Failure> {
        let Some(line) = line else {
            self.ended = Some(clock::monotonic());
            // A person who leaves does not want to wait; a pipe wants its answers.
            return Ok(if self.terminal { Next::Leave } else { Next::Go });
        };
        match line.trim() {
            "" => self.prompt()?,
            "/exit" | "/quit" => return Ok(Next::Leave),
            "/clear" if self.terminal => {
                write!(io::stdout(), "\x1b[H\x1b[2J")?;
                self.prompt()?;
            }
            _ if line.len() > TEXT_MAX => self.print(Refusal::TooLong.sentence())?,
            _ => self.say(line)?,
        }
        Ok(Next::Go)
    }

    fn arrived(&mut self, arrival: Result<Arrival, link::Error>) -> Result<(), Failure> {
        let frame = match arrival {
            Ok(Arrival::Frame(frame)) => frame,
            Ok(Arrival::Unknown { .. }) => return Ok(()),
            Ok(Arrival::Closed) | Err(_) => {
                self.line = None;
                return Ok(());
            }
        };
        let words = frame.read::<Server>(Codec::Json).map_err(|error| {
            Failure::new(Kind::Version, Error::Stranger(error), "passepartout ctl version")
        })?;
        let heard = self.talk.hear(words);
        if self.talk.waiting() == 0 {
            self.stopping = false;
        }
        match heard.show {
            Some(Show::Answer { text, .. }) => self.print(&text)?,
            Some(Show::Refused(why) | Show::Wrong(why)) => self.print(&why)?,
            Some(Show::Unwelcome(why)) => {
                let source = Error::Refused(why);
                return Err(Failure::new(Kind::Version, source, "passepartout ctl version"));
            }
            None => {}
        }
        if let Some(reply) = heard.reply {
            self.send(&reply);
        }
        Ok(())
    }

    /// Shows a text in place of the prompt, and the prompt behind it.
    fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.terminal {
            writeln!(out, "\r\x1b[K{}", printable(text))?;
        } else {
            writeln!(out, "{text}")?;
        }
        drop(out);
        self.prompt()
    }

    fn prompt(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.terminal {
            write!(out, "> ")?;
        }
        Ok(out.flush()?)
    }

    async fn leave(&mut self) -> Result<(), Failure> {
        if let Some(line) = &mut self.line {
            // The last confirmations; should they not arrive, an answer is shown once more some time.
            drop(tokio::time::timeout(Duration::from_secs(1), line.flush()).await);
        }
        if self.terminal {
            let kept = self.talk.waiting() > 0;
            let words = if kept { "(answers that come are kept for the next time)" } else { "" };
            writeln!(io::stdout(), "\r\x1b[K{words}")?;
        }
        Ok(())
    }
}

/// Reads stdin on a thread of its own: there is no other way to wait for it that works for files, pipes and terminals
/// alike. The thread ends with the process.
fn lines() -> Receiver<String> {
    // One: what is typed ahead stays in the terminal.
    let (sender, lines) = channel(1);
    std::thread::spawn(move || read_lines(&sender));
    lines
}

fn read_lines(sender: &Sender<String>) {
    let mut stdin = io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        // A line without end must not fill the memory; what is too long to be taken is told so as it is.
        let limit = u64::try_from(FRAME_MAX).unwrap_or(u64::MAX);
        match stdin.by_ref().take(limit).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']).to_owned();
        if sender.blocking_send(line).is_err() {
            return;
        }
    }
}
