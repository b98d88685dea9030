//! The dialect of the ancestor, for Emacs and scripts: six hex digits of length, then a property list. Pure: bytes in,
//! meaning out, and back.
//!
//! The ancestor counts characters, some of its scripts count bytes. So the end of a frame is found by its brackets,
//! and the announced length has to fit either count.

use crate::{Error, Sexp, core::Said};
use bytes::{Buf as _, BytesMut};
use protocol::{control::Server, id::Name};

/// Largest frame in bytes, without its digits: as large as one of ours.
pub const FRAME_MAX: usize = protocol::limits::FRAME_MAX;

/// Digits of the length.
const DIGITS: usize = 6;

/// Version of the ancestor's protocol that is spoken.
const VERSION: &str = "0.1.0";

/// The session of a client that names none.
const SESSION: &str = "default";

/// Longest session or message id in bytes: leaves room for the prefix in a name.
const ID_MAX: usize = 180;

/// Finds frames in what arrives, byte by byte in the end, however it was cut.
#[derive(Debug, Default)]
pub struct Splitter {
    buffer: BytesMut,
    scan: Scan,
}

/// How far into a frame the search for its end has come.
#[derive(Debug, Default, Clone, Copy)]
struct Scan {
    at: usize,
    chars: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
}

/// What the search has found.
enum Found {
    End,
    Nothing,
    NotAList,
}

impl Splitter {
    /// Takes bytes in.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Takes the next frame out, or what was wrong with it. After bytes that make no sense everything that was taken
    /// in is dropped: there is no telling where the next frame begins.
    pub fn take(&mut self) -> Option<Result<Sexp, Error>> {
        match self.step() {
            Ok(Some((frame, announced))) => Some(read(&frame, announced)),
            Ok(None) => None,
            Err(error) => {
                self.buffer.clear();
                self.scan = Scan::default();
                Some(Err(error))
            }
        }
    }

    /// Takes the bytes of a whole frame off the buffer, with the length that was announced.
    fn step(&mut self) -> Result<Option<(BytesMut, usize)>, Error> {
        let blanks = self.buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.buffer.advance(blanks);
        let (digits, rest) = match self.buffer.split_at_checked(DIGITS) {
            Some(parts) => parts,
            None if self.buffer.iter().all(u8::is_ascii_hexdigit) => return Ok(None),
            None => return Err(Error::Digits),
        };
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(Error::Digits);
        }
        let digits = std::str::from_utf8(digits).unwrap_or("");
        let announced = usize::from_str_radix(digits, 16).or(Err(Error::Digits))?;
        if announced > FRAME_MAX {
            return Err(Error::TooLong { max: FRAME_MAX });
        }
        match self.scan.go(rest) {
            Found::End => {
                self.buffer.advance(DIGITS);
                let frame = self.buffer.split_to(self.scan.at);
                self.scan = Scan::default();
                Ok(Some((frame, announced)))
            }
            Found::NotAList => Err(Error::NotAList),
            Found::Nothing if self.scan.at > FRAME_MAX => Err(Error::TooLong { max: FRAME_MAX }),
            Found::Nothing if self.scan.chars >= announced => Err(Error::Unclosed { announced }),
            Found::Nothing => Ok(None),
        }
    }
}

impl Scan {
    /// Goes on through the bytes of a frame.
    fn go(&mut self, bytes: &[u8]) -> Found {
        for byte in bytes.iter().skip(self.at) {
            self.at += 1;
            // All but the continuation bytes of UTF-8 begin a character.
            self.chars += usize::from(byte & 0xc0 != 0x80);
            if self.escaped {
                self.escaped = false;
            } else if self.quoted {
                match byte {
                    b'"' => self.quoted = false,
                    b'\\' => self.escaped = true,
                    _ => {}
                }
            } else {
                match byte {
                    b'(' => self.depth += 1,
                    b')' if self.depth > 1 => self.depth -= 1,
                    b')' if self.depth == 1 => return Found::End,
                    b'"' if self.depth > 0 => self.quoted = true,
                    _ if self.depth == 0 && !byte.is_ascii_whitespace() => return Found::NotAList,
                    _ => {}
                }
            }
        }
        Found::Nothing
    }
}

fn read(frame: &[u8], announced: usize) -> Result<Sexp, Error> {
    let text = std::str::from_utf8(frame).or(Err(Error::NotUtf8))?;
    let (chars, bytes) = (text.chars().count(), text.len());
    if announced != chars && announced != bytes {
        return Err(Error::Length { announced, chars, bytes });
    }
    Sexp::read(text)
}

/// Says what a frame means to us; `None` for what is fine and wants nothing. `fresh` names a message without an id.
///
/// # Errors
/// [`Error`] in words that say what to send instead.
pub fn understand(frame: &Sexp, fresh: &Name) -> Result<Option<Said>, Error> {
    let kind = frame.property("TYPE")?.ok_or(Error::Type)?;
    let meta = frame.property("META")?;
    let payload = frame.property("PAYLOAD")?;
    if kind.is_keyword("HEALTH-CHECK") {
        Ok(Some(Said::Ping))
    } else if kind.is_keyword("REQUEST") {
        if action(payload, "HEALTH-CHECK")? { Ok(Some(Said::Ping)) } else { Err(Error::Nothing) }
    } else if kind.is_keyword("EVENT") {
        event(meta, payload, fresh).map(Some)
    } else if ["RESPONSE", "LOG", "STATUS"].iter().any(|known| kind.is_keyword(known)) {
        Ok(None)
    } else {
        Err(Error::Type)
    }
}

fn event(meta: Option<&Sexp>, payload: Option<&Sexp>, fresh: &Name) -> Result<Said, Error> {
    let conversation = session(meta)?;
    if action(payload, "HANDSHAKE")? {
        return Ok(Said::Join(conversation));
    }
    let payload = payload.ok_or(Error::Nothing)?;
    if let Some(sensor) = payload.property("SENSOR")?
        // What is in an editor's window is not said by anybody.
        && ["BUFFER-UPDATE", "POINT-UPDATE"].iter().any(|update| sensor.is_keyword(update))
    {
        return Err(Error::Nothing);
    }
    let text = match payload.property("TEXT")? {
        Some(Sexp::Text(text)) => text.clone(),
        Some(Sexp::List(_) | Sexp::Symbol(_) | Sexp::Integer(_)) | None => {
            return Err(Error::Nothing);
        }
    };
    let in_meta = meta.map_or(Ok(None), |meta| meta.property("ID"))?;
    let message = match payload.property("ID")?.or(in_meta) {
        Some(id) => name("", id, "an :ID")?,
        None => fresh.clone(),
    };
    Ok(Said::Say { conversation: Some(conversation), message, text })
}

fn action(payload: Option<&Sexp>, name: &str) -> Result<bool, Error> {
    let action = payload.map_or(Ok(None), |payload| payload.property("ACTION"))?;
    Ok(action.is_some_and(|action| action.is_keyword(name)))
}

fn session(meta: Option<&Sexp>) -> Result<Name, Error> {
    let default = Sexp::Text(SESSION.into());
    let id = meta.map_or(Ok(None), |meta| meta.property("SESSION-ID"))?;
    name("session-", id.unwrap_or(&default), "a :SESSION-ID")
}

fn name(prefix: &str, id: &Sexp, what: &'static str) -> Result<Name, Error> {
    let id = match id {
        Sexp::Text(text) | Sexp::Symbol(text) => text.clone(),
        Sexp::Integer(number) => number.to_string(),
        Sexp::List(_) => return Err(Error::Name { what }),
    };
    if id.is_empty() || id.len() > ID_MAX {
        return Err(Error::Name { what });
    }
    Name::new(format!("{prefix}{id}")).or(Err(Error::Name { what }))
}

/// Returns what is said to a client that has just come.
#[must_use]
pub fn greeting() -> String {
    let capabilities = Sexp::List(vec![Sexp::keyword("CHAT"), Sexp::keyword("HEALTH")]);
    let payload = [
        ("ACTION", Sexp::keyword("HANDSHAKE")),
        ("VERSION", Sexp::Text(VERSION.into())),
        ("CAPABILITIES", capabilities),
    ];
    frame([("TYPE", Sexp::keyword("EVENT")), ("PAYLOAD", plist(payload))])
}

/// Returns the words for a client, in frames; empty for what the dialect has no words for.
#[must_use]
pub fn say(words: &Server) -> String {
    match words {
        Server::Welcome { .. } | Server::Accepted { .. } => String::new(),
        Server::Refused { why, .. } | Server::Error { why } => error(why),
        Server::Pong => frame([
            ("TYPE", Sexp::keyword("HEALTH-RESPONSE")),
            ("STATUS", Sexp::keyword("HEALTHY")),
            ("CHECKED-P", Sexp::Symbol("T".into())),
        ]),
        Server::Answer { text, .. } => {
            let payload = [("ACTION", Sexp::keyword("MESSAGE")), ("TEXT", Sexp::Text(text.clone()))];
            let answer = frame([
                ("TYPE", Sexp::keyword("REQUEST")),
                ("TARGET", Sexp::keyword("CLI")),
                ("PAYLOAD", plist(payload)),
            ]);
            let status = frame([
                ("TYPE", Sexp::keyword("STATUS")),
                ("SCRIBE", Sexp::keyword("IDLE")),
                ("GARDENER", Sexp::keyword("SLEEPING")),
            ]);
            answer + &status
        }
    }
}

/// Returns the frame that says what was wrong.
#[must_use]
pub fn error(why: &str) -> String {
    let payload = [("ACTION", Sexp::keyword("ERROR")), ("TEXT", Sexp::Text(why.into()))];
    frame([("TYPE", Sexp::keyword("ERROR")), ("PAYLOAD", plist(payload))])
}

fn plist<const N: usize>(pairs: [(&str, Sexp); N]) -> Sexp {
    Sexp::List(pairs.into_iter().flat_map(|(key, value)| [Sexp::keyword(key), value]).collect())
}

/// The length counts characters, as the ancestor's did.
fn frame<const N: usize>(pairs: [(&str, Sexp); N]) -> String {
    let text = plist(pairs).to_string();
    format!("{:06X}{text}", text.chars().count())
}

#[cfg(test)]
mod tests;
