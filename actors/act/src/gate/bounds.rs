//! The schema gate: every field of an action within its bounds. It must never trust that another actor has checked
//! them already.

use super::Objection;
use jiff::civil::Date;
use protocol::{
    change::{Change, Edit, Target, When},
    limits::{ANSWER_MAX, TEXT_MAX},
    proposal::{Action, Proposal},
    recall::{Day, Query},
};

/// Most steps of a proposal: more is no answer to one message.
const STEPS_MAX: usize = 8;

/// Longest explanation, in bytes: a sentence or two.
const EXPLANATION_MAX: usize = 1024;

/// Longest title, in bytes: a headline is one line, and a longer one is text.
const TITLE_MAX: usize = 4 * 1024;

/// Most days of an agenda, as [`Query::Agenda`] says.
const DAYS_MAX: u8 = 31;

/// Most entries of a list.
const LIMIT_MAX: u8 = 50;

/// Most tags of an entry.
const TAGS_MAX: usize = 32;

/// Longest tag, in bytes.
const TAG_MAX: usize = 64;

/// Most units of a repeater: four digits are a slip.
const REPEAT_MAX: u16 = 999;

/// Checks a proposal and one of its actions.
pub(super) fn schema(proposal: &Proposal, action: &Action) -> Option<Objection> {
    if proposal.steps.len() > STEPS_MAX {
        return Some(("schema.steps", format!("The proposal has more than {STEPS_MAX} steps.")));
    }
    if proposal.explanation.len() > EXPLANATION_MAX {
        return long("explanation", EXPLANATION_MAX);
    }
    match action {
        Action::Say(text) => text_of("answer", text, ANSWER_MAX),
        Action::Recall { query, preface } => preface
            .as_ref()
            .and_then(|preface| text_of("preface", preface, TITLE_MAX))
            .or_else(|| recall(query)),
        Action::Change(what) => change(what),
        Action::Interrupt | Action::Status => None,
        Action::Outside(text) => text_of("text", text, TEXT_MAX),
    }
}

fn recall(query: &Query) -> Option<Objection> {
    match query {
        Query::Agenda { from, days } => day(*from).or_else(|| within("days", *days, DAYS_MAX)),
        Query::Search { words, limit } => {
            text_of("words", words, TEXT_MAX).or_else(|| within("limit", *limit, LIMIT_MAX))
        }
        Query::Show { target } => target_of(target),
        Query::Tasks { limit } => within("limit", *limit, LIMIT_MAX),
        Query::Links { target, limit } => target_of(target).or_else(|| within("limit", *limit, LIMIT_MAX)),
        Query::Focus | Query::Report => None,
    }
}

fn change(change: &Change) -> Option<Objection> {
    match change {
        Change::Note { text, tags } => text_of("note", text, TEXT_MAX).or_else(|| tags_of(tags)),
        Change::Task { title, scheduled, deadline, priority, tags } => line_of("title", title)
            .or_else(|| scheduled.as_ref().and_then(when))
            .or_else(|| deadline.as_ref().and_then(when))
            .or_else(|| letter(*priority))
            .or_else(|| tags_of(tags)),
        Change::Done { target } | Change::Focus { target } => target_of(target),
        Change::Edit { target, edit } => target_of(target).or_else(|| self::edit(edit)),
        Change::Unfocus => None,
        Change::Undo { turn } => turn.as_ref().and_then(|turn| key(turn)),
    }
}

fn edit(edit: &Edit) -> Option<Objection> {
    match edit {
        Edit::State(word) => word.as_ref().and_then(|word| word_of("keyword", word)),
        Edit::Priority(priority) => letter(*priority),
        Edit::AddTags(tags) | Edit::RemoveTags(tags) if tags.is_empty() => {
            Some(("schema.empty", "There is no tag.".to_owned()))
        }
        Edit::AddTags(tags) | Edit::RemoveTags(tags) => tags_of(tags),
        Edit::Property { key, value } => word_of("property", key).or_else(|| {
            let value = value.as_ref().filter(|value| !value.is_empty());
            value.and_then(|value| line_of("value", value))
        }),
        Edit::Schedule(date) | Edit::Deadline(date) => date.as_ref().and_then(when),
        Edit::Title(title) => line_of("title", title),
        Edit::Append(text) => text_of("text", text, TEXT_MAX),
        Edit::Refile { to } => target_of(to),
        Edit::Archive | Edit::ClockIn | Edit::ClockOut => None,
        Edit::Check(words) => line_of("item", words),
    }
}

/// One word without blanks and colons, as keywords and keys of properties are.
fn word_of(what: &str, word: &str) -> Option<Objection> {
    line_of(what, word).or_else(|| {
        let odd = word.len() > TAG_MAX || word.chars().any(|c| c.is_whitespace() || c == ':');
        odd.then(|| ("schema.word", format!("The {what} is not one word of at most {TAG_MAX} bytes.")))
    })
}

fn text_of(what: &str, text: &str, max: usize) -> Option<Objection> {
    if text.trim().is_empty() {
        return Some(("schema.empty", format!("The {what} is empty.")));
    }
    if text.len() > max {
        return long(what, max);
    }
    let bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    text.contains(bad).then(|| {
        let sentence = format!("The {what} holds a control character.");
        ("schema.control", sentence)
    })
}

fn line_of(what: &str, text: &str) -> Option<Objection> {
    text_of(what, text, TITLE_MAX).or_else(|| {
        let broken = text.contains('\n');
        broken.then(|| ("schema.line", format!("The {what} has more than one line.")))
    })
}

fn long(what: &str, max: usize) -> Option<Objection> {
    Some(("schema.length", format!("The {what} is longer than {max} bytes.")))
}

fn within(what: &str, value: u8, max: u8) -> Option<Objection> {
    (!(1..=max).contains(&value)).then(|| {
        let sentence = format!("The {what} must be from 1 to {max}, not {value}.");
        ("schema.range", sentence)
    })
}

fn target_of(target: &Target) -> Option<Objection> {
    match target {
        Target::Words(words) => text_of("entry", words, TITLE_MAX),
    }
}

fn day(day: Day) -> Option<Objection> {
    let real = day.year >= 1 && Date::new(day.year, day.month, day.day).is_ok();
    (!real).then(|| {
        let sentence = format!("There is no day {}-{}-{}.", day.year, day.month, day.day);
        ("schema.day", sentence)
    })
}

fn when(when: &When) -> Option<Objection> {
    let time = when.moment.time;
    let real = time.is_none_or(|time| (0..24).contains(&time.hour) && (0..60).contains(&time.minute));
    let rhythm = when.repeat.is_none_or(|repeat| (1..=REPEAT_MAX).contains(&repeat.count));
    day(when.moment.day).or_else(|| match (real, rhythm) {
        (false, _) => Some(("schema.time", "There is no such time of day.".to_owned())),
        (true, false) => Some(("schema.repeat", format!("A repeater must be from 1 to {REPEAT_MAX} units."))),
        (true, true) => None,
    })
}

fn letter(priority: Option<char>) -> Option<Objection> {
    let known = priority.is_none_or(|letter| matches!(letter, 'A'..='C'));
    (!known).then(|| {
        let sentence = "A priority is A, B or C.".to_owned();
        ("schema.priority", sentence)
    })
}

/// Org's own rule for tags: letters, digits, `_`, `@`, `#` and `%`.
fn tags_of(tags: &[String]) -> Option<Objection> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%');
    let good = |tag: &String| !tag.is_empty() && tag.len() <= TAG_MAX && tag.chars().all(plain);
    (tags.len() > TAGS_MAX || !tags.iter().all(good)).then(|| {
        let sentence = format!(
            "At most {TAGS_MAX} tags, each of letters, digits, _, @, # and % and at most {TAG_MAX} bytes long."
        );
        ("schema.tags", sentence)
    })
}

fn key(turn: &str) -> Option<Objection> {
    let hex = (4..=32).contains(&turn.len()) && turn.bytes().all(|b| b.is_ascii_hexdigit());
    (!hex).then(|| {
        let sentence = "The key of a turn is 4 to 32 hex digits.".to_owned();
        ("schema.turn", sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{
        change::{Repeat, RepeatKind, Unit},
        recall::{Clock, Moment},
    };

    const DAY: Day = Day { year: 2026, month: 3, day: 9 };

    const fn at(day: Day, time: Option<Clock>, repeat: Option<Repeat>) -> When {
        When { moment: Moment { day, time }, repeat }
    }

    fn code(found: Option<Objection>) -> &'static str {
        found.map_or("", |(code, _)| code)
    }

    fn task(title: &str, scheduled: Option<When>, priority: Option<char>, tag: &str) -> Change {
        Change::Task { title: title.into(), scheduled, deadline: None, priority, tags: vec![tag.into()] }
    }

    #[test]
    fn texts_are_neither_empty_nor_too_long_nor_control() {
        assert_eq!(code(text_of("note", " \n", 10)), "schema.empty");
        assert_eq!(code(text_of("note", "12345678901", 10)), "schema.length");
        assert_eq!(code(text_of("note", "a\u{1b}[2J", 10)), "schema.control");
        assert_eq!(code(text_of("note", "a\n\tb", 10)), "");
    }

    #[test]
    fn tasks_are_well_formed() {
        let feb_30 = Day { month: 2, day: 30, ..DAY };
        let hour_24 = Clock { hour: 24, minute: 0 };
        let never = Repeat { kind: RepeatKind::CatchUp, count: 0, unit: Unit::Week };
        let cases = [
            (task("pay", Some(at(DAY, None, None)), Some('A'), "a_b@c"), ""),
            (task("a\nb", None, None, "a"), "schema.line"),
            (task("pay", Some(at(feb_30, None, None)), None, "a"), "schema.day"),
            (task("pay", Some(at(DAY, Some(hour_24), None)), None, "a"), "schema.time"),
            (task("pay", Some(at(DAY, None, Some(never))), None, "a"), "schema.repeat"),
            (task("pay", None, Some('Z'), "a"), "schema.priority"),
            (task("pay", None, None, "a:b"), "schema.tags"),
            (task("pay", None, None, ""), "schema.tags"),
        ];
        for (task, wanted) in cases {
            assert_eq!(code(change(&task)), wanted, "{task:?}");
        }
    }

    #[test]
    fn queries_are_bounded() {
        let agenda = |days| code(recall(&Query::Agenda { from: DAY, days }));
        assert_eq!((agenda(0), agenda(31), agenda(32)), ("schema.range", "", "schema.range"));
        let tasks = |limit| code(recall(&Query::Tasks { limit }));
        assert_eq!((tasks(0), tasks(50), tasks(51)), ("schema.range", "", "schema.range"));
        let undo = |turn: &str| code(change(&Change::Undo { turn: Some(turn.into()) }));
        assert_eq!((undo("1a2b3c4d"), undo("1a2"), undo("zzzz")), ("", "schema.turn", "schema.turn"));
    }

    #[test]
    fn proposal_with_too_many_steps_is_refused() {
        let step =
            protocol::proposal::Step { action: Action::Status, then: protocol::proposal::Then::Answer };
        let proposal = Proposal {
            turn: protocol::id::TurnKey::none(),
            depth: 0,
            conversation: protocol::id::Name::new("a").unwrap(),
            principal: protocol::stimulus::Principal::Owner,
            at: protocol::id::WallMs(0),
            explanation: "A sentence that explains.".into(),
            steps: vec![step; STEPS_MAX + 1],
        };
        assert_eq!(code(schema(&proposal, &Action::Status)), "schema.steps");
    }
}
