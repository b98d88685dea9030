//! Runs the table of utterances and reports every miss with its line. It must never need a time zone database.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use jiff::{Timestamp, ZonedDateTime, tz::TimeZone};
use protocol::{
    change::{Change, Edit, RepeatKind, Target, Unit, When},
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    percept::{Percept, Sense},
    proposal::Action,
    recall::Query,
    stimulus::Principal,
};
use reason::reflex::Reflexes;
use std::fmt::Write as _;

const TABLE: &str = include_str!("utterances.txt");

/// Monday 2026-03-09 10:00 in Berlin.
fn now() -> ZonedDateTime {
    let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let then: Timestamp = "2026-03-09T09:00:00Z".parse().unwrap();
    ZonedDateTime::new(then, berlin)
}

/// What `perceive` would make of it; the two crates do not know each other.
fn percept(said: &str) -> Percept {
    let sense = match said.strip_prefix('/') {
        Some(rest) => {
            let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
            Sense::Command { name: name.into(), arguments: Labeled::from_owner(arguments) }
        }
        None => Sense::Utterance(Labeled::from_owner(said)),
    };
    Percept {
        turn: TurnKey::none(),
        depth: 0,
        conversation: Name::new("local:1").unwrap(),
        principal: Principal::Owner,
        at: WallMs(0),
        sense,
    }
}

fn when(name: &str, when: Option<When>) -> String {
    let Some(When { moment, repeat }) = when else {
        return String::new();
    };
    let day = moment.day;
    let mut text = format!(" {name} {:04}-{:02}-{:02}", day.year, day.month, day.day);
    if let Some(time) = moment.time {
        write!(text, " {:02}:{:02}", time.hour, time.minute).unwrap();
    }
    if let Some(repeat) = repeat {
        let kind = match repeat.kind {
            RepeatKind::Cumulate => "+",
            RepeatKind::CatchUp => "++",
            RepeatKind::Restart => ".+",
        };
        let unit = match repeat.unit {
            Unit::Hour => 'h',
            Unit::Day => 'd',
            Unit::Week => 'w',
            Unit::Month => 'm',
            Unit::Year => 'y',
        };
        write!(text, " {kind}{}{unit}", repeat.count).unwrap();
    }
    text
}

fn hashed(tags: &[String]) -> String {
    tags.iter().map(|tag| format!(" #{tag}")).collect()
}

fn change(change: &Change) -> String {
    match change {
        Change::Note { text, tags } => format!("note {:?}{}", Raw(text), hashed(tags)),
        Change::Task { title, scheduled, deadline, priority, tags } => format!(
            "task {:?}{}{}{}{}",
            Raw(title),
            when("sched", *scheduled),
            when("due", *deadline),
            priority.map_or(String::new(), |letter| format!(" !{letter}")),
            hashed(tags)
        ),
        Change::Done { target: Target::Words(words) } => format!("done {:?}", Raw(words)),
        Change::Focus { target: Target::Words(words) } => format!("focus {:?}", Raw(words)),
        Change::Unfocus => "unfocus".into(),
        Change::Edit { target: Target::Words(words), edit } => {
            let what = match edit {
                Edit::Schedule(date) => when("sched", *date),
                Edit::Deadline(date) => when("due", *date),
                Edit::AddTags(tags) => format!(" +{}", tags.join("+")),
                Edit::RemoveTags(tags) => format!(" -{}", tags.join("-")),
                Edit::Priority(letter) => format!(" !{}", letter.unwrap_or('-')),
                Edit::Append(text) => format!(" append {:?}", Raw(text)),
                Edit::Refile { to: Target::Words(to) } => format!(" under {:?}", Raw(to)),
                Edit::Archive => " archive".into(),
                Edit::ClockIn => " clock-in".into(),
                Edit::ClockOut => " clock-out".into(),
                Edit::Check(item) => format!(" tick {:?}", Raw(item)),
                other @ (Edit::State(_) | Edit::Property { .. } | Edit::Title(_)) => format!(" {other:?}"),
            };
            format!("edit {:?}{what}", Raw(words))
        }
        Change::Undo { turn: None } => "undo".into(),
        Change::Undo { turn: Some(turn) } => format!("undo {turn}"),
    }
}

fn recall(query: &Query, preface: Option<&str>) -> String {
    let why = match preface {
        None => "",
        Some(text) if text.contains("recognise") => " (unrecognised)",
        Some(_) => " (question)",
    };
    let asked = match query {
        Query::Agenda { from, days } => {
            let (year, month, day) = (from.year, from.month, from.day);
            format!("agenda {year:04}-{month:02}-{day:02} {days}")
        }
        Query::Search { words, .. } => format!("search {:?}", Raw(words)),
        Query::Show { target: Target::Words(words) } => format!("show {:?}", Raw(words)),
        Query::Tasks { .. } => "tasks".into(),
        Query::Links { target: Target::Words(words), .. } => format!("links {:?}", Raw(words)),
        Query::Focus => "focused".into(),
        Query::Report => "report".into(),
    };
    asked + why
}

/// Shows a text in quotes, without escapes, with `|` for line ends.
struct Raw<'a>(&'a str);

impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.0.replace('\n', "|"))
    }
}

fn compact(action: &Action) -> String {
    match action {
        Action::Say(text) => format!("say {text}"),
        Action::Recall { query, preface } => recall(query, preface.as_deref()),
        Action::Change(what) => change(what),
        Action::Interrupt => "interrupt".into(),
        Action::Status => "status".into(),
        Action::Outside(text) => format!("outside {:?}", Raw(text)),
    }
}

fn agrees(understood: &str, expected: &str) -> bool {
    match expected.strip_prefix("say ~") {
        Some(part) => understood.starts_with("say ") && understood.contains(part),
        None => understood == expected,
    }
}

#[test]
fn every_utterance_of_the_table_is_understood_as_written() {
    let reflexes = Reflexes::english().unwrap();
    let now = now();
    let mut misses = String::new();
    let mut cases = 0;
    for (at, line) in TABLE.lines().enumerate() {
        let Some((said, expected)) = line.split_once("=> ") else {
            assert!(line.is_empty() || line.starts_with('#'), "line {}", at + 1);
            continue;
        };
        cases += 1;
        let said = said.trim().replace('|', "\n");
        let proposal = reflexes.propose(&percept(&said), &now);
        let understood = compact(&proposal.steps[0].action);
        if !agrees(&understood, expected) {
            let line = at + 1;
            writeln!(misses, "utterances.txt:{line}: {said}\n  want {expected}\n  got  {understood}")
                .unwrap();
        }
    }
    assert!(cases >= 160, "{cases} cases");
    assert!(misses.is_empty(), "of {cases} cases these miss:\n{misses}");
}
