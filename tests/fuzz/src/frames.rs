//! Frames between processes. Promises: any bytes split or are refused; a header that is read is written back as it was;
//! a body that is read can be written, and reads back as the same value.

use crate::{Chance, dice};
use bytes::BytesMut;
use link::{
    Codec, Frame,
    frame::{PREFIX_LEN, Split, split},
};
use protocol::{
    change, control,
    envelope::{HEADER_LEN, Header},
    lifecycle,
    limits::FRAME_MAX,
    outcome, percept, proposal, recall,
    role::Role,
    route::Kind,
    snapshot, stimulus, verdict,
};
use serde::{Serialize, de::DeserializeOwned};

/// Lengths, and the words of JSON bodies.
pub(crate) const WORDS: &[&str] = &[
    "\0\0\0\u{30}",
    "\0\0\0\u{31}",
    "\u{1}",
    "Owner",
    "\"Message\"",
    "{\"text\":",
    "null",
    "[[[[[[[[",
    "{\"\":{\"\":",
];

const CODECS: [Codec; 3] = [Codec::Bincode, Codec::Postcard, Codec::Json];

/// Takes bytes for what came in on a socket, and again for a single body of the kind that the first byte chooses.
///
/// # Panics
/// When a promise of the codec is broken.
pub fn frames(bytes: &[u8]) {
    let mut buffer = BytesMut::from(bytes);
    let mut left = buffer.len();
    while let Ok(found) = split(&mut buffer, FRAME_MAX) {
        match found {
            Split::Frame(frame) => checked(&frame),
            Split::Unknown { .. } => {}
            Split::Partial => break,
        }
        assert!(buffer.len() < left, "a frame was found and nothing taken");
        left = buffer.len();
    }
    if let Some((choice, rest)) = bytes.split_first()
        && let Some(kind) = Kind::ALL.get(usize::from(*choice) % Kind::ALL.len())
    {
        body(*kind, rest);
    }
}

fn checked(frame: &Frame) {
    assert_eq!(Header::decode(&frame.header.encode()), Ok(frame.header));
    let mut again = BytesMut::new();
    frame.write(&mut again);
    let back = split(&mut again, FRAME_MAX);
    let is_same = matches!(&back, Ok(Split::Frame(same)) if same == frame);
    assert!(is_same, "{frame:?} came back as {back:?}");
    body(frame.header.kind, &frame.body);
}

/// What is done with the type of a body.
trait Visit {
    fn visit<T: Serialize + DeserializeOwned + PartialEq>(&mut self);
}

/// Leads to the type that a kind carries: the one list of all of them.
fn with_body(kind: Kind, visit: &mut impl Visit) {
    match kind {
        Kind::Hello => visit.visit::<lifecycle::Hello>(),
        Kind::Welcome => visit.visit::<lifecycle::Welcome>(),
        Kind::Ready => visit.visit::<lifecycle::Ready>(),
        Kind::Progress => visit.visit::<lifecycle::Progress>(),
        Kind::Pong => visit.visit::<lifecycle::Pong>(),
        Kind::Cancel => visit.visit::<lifecycle::Cancel>(),
        Kind::Nack => visit.visit::<lifecycle::Nack>(),
        Kind::Admit => visit.visit::<stimulus::Admit>(),
        Kind::Admitted => visit.visit::<stimulus::Admission>(),
        Kind::Attach => visit.visit::<lifecycle::Attach>(),
        Kind::Deliver => visit.visit::<outcome::Deliver>(),
        Kind::Delivered => visit.visit::<outcome::Delivered>(),
        Kind::Stimulus => visit.visit::<stimulus::Stimulus>(),
        Kind::Percept => visit.visit::<percept::Percept>(),
        Kind::Proposal => visit.visit::<proposal::Proposal>(),
        Kind::Verdict => visit.visit::<verdict::Verdict>(),
        Kind::Outcome => visit.visit::<outcome::Outcome>(),
        Kind::Recall => visit.visit::<recall::Recall>(),
        Kind::Recalled => visit.visit::<recall::Recalled>(),
        Kind::Change => visit.visit::<change::ChangeRequest>(),
        Kind::Changed => visit.visit::<change::Changed>(),
        Kind::Snapshot => visit.visit::<snapshot::Request>(),
        Kind::Snapped => visit.visit::<snapshot::Reply>(),
        Kind::Intent => visit.visit::<outcome::Intent>(),
        Kind::Leave => visit.visit::<outcome::Leave>(),
        Kind::Commit => visit.visit::<outcome::Commit>(),
        Kind::Control => visit.visit::<control::Request>(),
        Kind::Controlled => visit.visit::<control::Reply>(),
        Kind::Client => visit.visit::<control::Client>(),
        Kind::Server => visit.visit::<control::Server>(),
        // Kinds without body.
        Kind::Ping | Kind::Started | Kind::Rested | Kind::Credit | Kind::Drain | Kind::Drained => {
            visit.visit::<()>();
        }
    }
}

struct Read<'a>(&'a [u8]);

impl Visit for Read<'_> {
    fn visit<T: Serialize + DeserializeOwned + PartialEq>(&mut self) {
        for codec in CODECS {
            let Ok(value) = codec.decode::<T>(self.0) else {
                continue;
            };
            let again = codec.encode(&value).unwrap_or_default();
            let same = codec.decode::<T>(&again);
            assert!(
                same.is_ok_and(|same| same == value),
                "{} in {codec:?} does not come back as it was",
                std::any::type_name::<T>()
            );
        }
    }
}

fn body(kind: Kind, bytes: &[u8]) {
    with_body(kind, &mut Read(bytes));
}

struct Throw<'a> {
    chance: &'a mut Chance,
    codec: Codec,
    body: Vec<u8>,
}

impl Visit for Throw<'_> {
    fn visit<T: Serialize + DeserializeOwned + PartialEq>(&mut self) {
        let value = dice::throw::<T>(self.chance);
        let encoded = value.and_then(|value| self.codec.encode(&value).ok());
        self.body = encoded.unwrap_or_default();
    }
}

/// Makes a whole frame of any kind, with a body that is well formed.
#[must_use]
pub fn fresh_frame(chance: &mut Chance) -> Vec<u8> {
    let kind = chance.pick(&Kind::ALL).copied().unwrap_or(Kind::Ping);
    let codec = chance.pick(&CODECS).copied().unwrap_or(Codec::INTERNAL);
    let from = chance.pick(&Role::ACTORS).copied().unwrap_or(Role::Act);
    let mut throw = Throw { chance, codec, body: Vec::new() };
    with_body(kind, &mut throw);
    let body = throw.body;
    let mut header = Header::new(kind, from, Role::Supervisor, 1);
    header.request = chance.any();
    let mut wire = BytesMut::new();
    Frame { header, body: body.into() }.write(&mut wire);
    debug_assert!(wire.len() >= PREFIX_LEN + HEADER_LEN);
    wire.to_vec()
}
