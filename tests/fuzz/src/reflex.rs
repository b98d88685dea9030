//! What a person types, from the stimulus to the verdict. Promises: any text is understood somehow; the uniform text
//! is stable; every percept and proposal fits into a frame; a proposal of ours explains itself to the gate; words that
//! are not the owner's change nothing.

use jiff::{ZonedDateTime, civil::date, tz::TimeZone};
use link::Codec;
use perceive::{core::perceive, text::normalised};
use protocol::{
    envelope::HEADER_LEN,
    id::{Name, TurnKey, WallMs},
    label::{Confidentiality, Integrity, Label, Labeled},
    limits::{FRAME_MAX, TEXT_MAX},
    proposal::Action,
    stimulus::{Event, Principal, Stimulus},
};
use reason::reflex::Reflexes;
use serde::Serialize;
use std::sync::LazyLock;

/// The words of orders and dates.
pub(crate) const WORDS: &[&str] = &[
    "remind me to ",
    "todo ",
    "note ",
    " tomorrow",
    " at 5pm",
    " every month",
    " in 3 weeks",
    "next friday",
    " by 31.12.",
    "/undo ",
    "/agenda ",
    "move ",
    " to ",
    "schedule ",
    "find ",
    "done ",
    "priority A",
    ":tag:",
    "please",
    "2026-02-30",
    "25:61",
    "the day after ",
    "half past ",
    "\u{200d}",
    "\u{202e}",
    "\u{301}",
    "\"",
    "[[file:a.org::*B][B]]",
    "* TODO ",
    "\n",
    "noon",
    "midnight",
    "-1",
];

static REFLEXES: LazyLock<Option<Reflexes>> = LazyLock::new(|| Reflexes::english().ok());

/// Takes the first byte for who says it and when, the rest for what is said.
///
/// # Panics
/// When a promise of the two stages is broken.
pub fn reflex(bytes: &[u8]) {
    let (choice, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let mut text = String::from_utf8_lossy(rest).into_owned();
    while text.len() > TEXT_MAX {
        text.pop();
    }
    let uniform = normalised(&text);
    assert_eq!(normalised(&uniform), uniform, "not stable");

    let integrity = match choice % 4 {
        0..=1 => Integrity::Owner,
        2 => Integrity::Memex,
        _ => Integrity::Untrusted,
    };
    let stimulus = stimulus(text, integrity);
    let percept = perceive(&stimulus);
    assert_eq!(percept.principal, stimulus.principal);
    fits(&percept);

    let (Some(reflexes), Some(now)) = (&*REFLEXES, now(*choice)) else {
        return;
    };
    let proposal = reflexes.propose(&percept, &now);
    fits(&proposal);
    let verdict = act::gate::judge(0, &proposal, false);
    assert!(!verdict.code.starts_with("policy."), "{verdict:?}");
    let changes = proposal.steps.iter().any(|step| matches!(step.action, Action::Change(_)));
    assert!(integrity == Integrity::Owner || !changes, "words of a stranger changed something");
}

fn fits<T: Serialize>(value: &T) {
    let len = Codec::INTERNAL.encode(value).map_or(usize::MAX, |b| b.len());
    assert!(len <= FRAME_MAX - HEADER_LEN, "{len} bytes do not fit into a frame");
}

fn stimulus(text: String, integrity: Integrity) -> Stimulus {
    let label = Label { confidentiality: Confidentiality::Normal, integrity };
    Stimulus {
        turn: TurnKey::from_bytes([1; 16]),
        depth: 0,
        conversation: CONVERSATION.clone(),
        principal: Principal::Owner,
        at: WallMs(0),
        event: Event::Message(Labeled { text, label }),
    }
}

#[expect(clippy::unwrap_used, reason = "a constant that is a name")]
static CONVERSATION: LazyLock<Name> = LazyLock::new(|| Name::new("local:default").unwrap());

/// Days on which dates go wrong: leap days, ends of months and years, the ends of what a calendar holds, changes of
/// daylight saving time.
fn now(choice: u8) -> Option<ZonedDateTime> {
    let days = [
        date(2026, 11, 30),
        date(2028, 2, 29),
        date(2026, 12, 31),
        date(2027, 1, 31),
        date(2026, 3, 29),
        date(2026, 10, 25),
        date(9999, 12, 30),
        date(-9999, 1, 3),
    ];
    let day = days.get(usize::from(choice / 4) % days.len())?;
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").ok()?;
    day.at(23, 59, 0, 0).to_zoned_datetime(zone).ok()
}
