//! What holds for every text and every date. It must never need a time zone database.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use jiff::{
    Span, Timestamp, ToSpan as _, ZonedDateTime,
    civil::{Date, DateTime, Weekday, date},
    tz::TimeZone,
};
use proptest::{prelude::*, sample::select};
use protocol::{
    change::{Change, When},
    id::{Name, TurnKey, WallMs},
    label::{Label, Labeled},
    percept::{Percept, Sense},
    proposal::{Action, Proposal},
    stimulus::Principal,
};
use reason::reflex::Reflexes;
use std::sync::LazyLock;

static REFLEXES: LazyLock<Reflexes> = LazyLock::new(|| Reflexes::english().unwrap());

fn berlin() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
}

/// Ten o'clock of a day in Berlin.
fn morning(day: Date) -> ZonedDateTime {
    day.at(10, 0, 0, 0).to_zoned_datetime(berlin()).unwrap()
}

fn percept(sense: Sense) -> Percept {
    Percept {
        turn: TurnKey::from_bytes([9; 16]),
        depth: 3,
        conversation: Name::new("local:1").unwrap(),
        principal: Principal::Owner,
        at: WallMs(42),
        sense,
    }
}

fn said(text: &str, now: &ZonedDateTime) -> Proposal {
    let sense = Sense::Utterance(Labeled::from_owner(text));
    REFLEXES.propose(&percept(sense), now)
}

fn holds_together(proposal: &Proposal) {
    assert!(proposal.explanation.chars().count() > 10);
    assert_eq!(proposal.steps.len(), 1);
    match &proposal.steps[0].action {
        Action::Change(Change::Task { title, .. }) => {
            assert!(!title.trim().is_empty() && !title.contains('\n'));
        }
        Action::Change(Change::Note { text, .. }) | Action::Say(text) | Action::Outside(text) => {
            assert!(!text.trim().is_empty());
        }
        Action::Recall { .. } | Action::Change(_) | Action::Interrupt | Action::Status => {}
    }
}

/// The date of a task, when it is the scheduled one.
fn scheduled(text: &str, now: &ZonedDateTime) -> DateTime {
    let proposal = said(text, now);
    let Action::Change(Change::Task { title, scheduled: Some(When { moment, .. }), deadline: None, .. }) =
        &proposal.steps[0].action
    else {
        panic!("{text:?} became {:?}", proposal.steps[0].action);
    };
    assert_eq!(title, "call Bob");
    let time = moment.time.map_or((0, 0), |time| (time.hour, time.minute));
    date(moment.day.year, moment.day.month, moment.day.day).at(time.0, time.1, 0, 0)
}

fn days() -> impl Strategy<Value = Date> {
    (0_i64..20_000).prop_map(|days| date(2000, 1, 1).saturating_add(days.days()))
}

fn likely_words() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "todo",
        "note",
        "remind",
        "me",
        "to",
        "agenda",
        "on",
        "at",
        "by",
        "due",
        "every",
        "other",
        "the",
        "1st",
        "friday",
        "fri",
        "tomorrow",
        "march",
        "9",
        "30",
        "february",
        "2027",
        "in",
        "a",
        "week",
        "days",
        "next",
        "end",
        "of",
        "month",
        "noon",
        "25:00",
        "9.3.",
        "3/9",
        "2026-02-30",
        "\"",
        "\"friday",
        "monday\"",
        "#house",
        "#",
        "!A",
        "[#A]",
        "urgent",
        "done",
        "mark",
        "as",
        "undo",
        "find",
        "help",
        "please",
        "/",
        "ä",
        "👍",
        "\n",
        ",",
        ".",
        ":",
        "?",
        "call",
        "Bob",
        "for",
        "what's",
        "due",
        "until",
        "9999",
        "midnight",
        "show",
        "[[",
        "]]",
    ];
    prop::collection::vec(select(WORDS), 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_gives_a_proposal(text in any::<String>(), day in days()) {
        holds_together(&said(&text, &morning(day)));
    }

    #[test]
    fn likely_text_gives_a_proposal(text in likely_words(), day in days()) {
        holds_together(&said(&text, &morning(day)));
    }

    #[test]
    fn any_command_gives_a_proposal(name in "[a-z]{0,8}|task|note|agenda|undo|help|done", text in likely_words()) {
        let arguments = Labeled::from_owner(text);
        let proposal = REFLEXES.propose(&percept(Sense::Command { name, arguments }), &morning(date(2026, 3, 9)));
        holds_together(&proposal);
    }

    #[test]
    fn in_so_many_days_is_civil_arithmetic(day in days(), count in 1_i64..2000) {
        let then = scheduled(&format!("todo call Bob in {count} days"), &morning(day));
        prop_assert_eq!(then.date(), day.checked_add(count.days()).unwrap());
    }

    #[test]
    fn in_so_many_months_stays_within_the_month(day in days(), count in 1_i64..100) {
        let then = scheduled(&format!("todo call Bob in {count} months"), &morning(day));
        let first = day.first_of_month().checked_add(count.months()).unwrap();
        prop_assert_eq!(then.date().first_of_month(), first);
        prop_assert_eq!(then.day(), day.day().min(first.days_in_month()));
    }

    #[test]
    fn weekday_is_that_weekday_within_a_week(day in days(), offset in 0_i8..7) {
        let weekday = Weekday::from_monday_zero_offset(offset).unwrap();
        let name = day.nth_weekday(1, weekday).unwrap().strftime("%A").to_string();
        let then = scheduled(&format!("todo call Bob on {name}"), &morning(day)).date();
        prop_assert_eq!(then.weekday(), weekday);
        prop_assert!(then > day && then <= day.saturating_add(7.days()));
        let next = scheduled(&format!("todo call Bob next {name}"), &morning(day)).date();
        prop_assert_eq!(next.weekday(), weekday);
        let weeks = next.iso_week_date().first_of_week().unwrap().date()
            .duration_since(day.iso_week_date().first_of_week().unwrap().date());
        prop_assert_eq!(weeks.as_hours(), 7 * 24);
    }

    #[test]
    fn date_without_a_year_is_the_next_one(day in days(), other in days()) {
        let text = format!("todo call Bob on {}", other.strftime("%-d %B"));
        let then = scheduled(&text, &morning(day)).date();
        prop_assert_eq!((then.month(), then.day()), (other.month(), other.day()));
        prop_assert!(then >= day && then < day.saturating_add(Span::new().years(9)));
    }

    #[test]
    fn date_in_full_is_that_date(day in days(), other in days()) {
        for form in ["%Y-%m-%d", "%-d %B %Y", "%B %-d, %Y", "%-d.%-m.%Y", "%A, %B %-d %Y"] {
            let text = format!("todo call Bob on {}", other.strftime(form));
            prop_assert_eq!(scheduled(&text, &morning(day)).date(), other, "{}", text);
        }
    }

    #[test]
    fn time_without_a_day_is_the_next_one(day in days(), hour in 0_i8..24, minute in 0_i8..60) {
        let now = morning(day);
        let then = scheduled(&format!("todo call Bob at {hour}:{minute:02}"), &now);
        prop_assert_eq!((then.hour(), then.minute()), (hour, minute));
        prop_assert!(then > now.datetime() && then <= now.datetime().saturating_add(24.hours()));
    }
}

#[test]
fn hours_are_counted_on_the_clock_of_the_zone() {
    let night: Timestamp = "2026-03-29T00:30:00Z".parse().unwrap();
    let now = ZonedDateTime::new(night, berlin());
    let then = scheduled("todo call Bob in 2 hours", &now);
    assert_eq!(then, date(2026, 3, 29).at(4, 30, 0, 0));
    let tomorrow = scheduled("todo call Bob tomorrow at 2:30", &now);
    assert_eq!(tomorrow, date(2026, 3, 30).at(2, 30, 0, 0));
}

#[test]
fn month_ends_are_safe() {
    let on = |text: &str, day| scheduled(&format!("todo call Bob {text}"), &morning(day)).date();
    assert_eq!(on("in a month", date(2026, 1, 31)), date(2026, 2, 28));
    assert_eq!(on("in a year", date(2024, 2, 29)), date(2025, 2, 28));
    assert_eq!(on("on the 31st", date(2026, 4, 1)), date(2026, 5, 31));
    assert_eq!(on("on february 29", date(2026, 3, 9)), date(2028, 2, 29));
    assert_eq!(on("at the end of february", date(2026, 3, 9)), date(2027, 2, 28));
    assert_eq!(on("next month", date(2026, 12, 31)), date(2027, 1, 1));
}

#[test]
fn words_of_another_person_are_no_order() {
    let stranger = Labeled { text: "undo".into(), label: Label::default() };
    let now = morning(date(2026, 3, 9));
    let command = Sense::Command {
        name: "undo".into(),
        arguments: Labeled { text: String::new(), ..stranger.clone() },
    };
    for sense in [Sense::Utterance(stranger), command] {
        let proposal = REFLEXES.propose(&percept(sense), &now);
        let Action::Say(text) = &proposal.steps[0].action else {
            panic!("an order was taken from a stranger");
        };
        assert!(text.starts_with("These words are not your own"), "{text}");
    }
}

#[test]
fn result_is_said_and_the_proposal_belongs_to_its_turn() {
    let sense = Sense::Result { action: "memory.search".into(), text: Labeled::from_owner("todo: found it") };
    let asked = percept(sense);
    let proposal = REFLEXES.propose(&asked, &morning(date(2026, 3, 9)));
    assert_eq!(proposal.steps[0].action, Action::Say("todo: found it".into()));
    assert_eq!((proposal.turn, proposal.depth, proposal.at), (asked.turn, asked.depth, asked.at));
    assert_eq!(proposal.conversation, asked.conversation);
}

#[test]
fn long_texts_of_any_shape_are_understood() {
    let now = morning(date(2026, 3, 9));
    for unit in [
        "a ",
        "todo ",
        "at ",
        "\" ",
        "\"a ",
        "#a ",
        "!A ",
        "on friday ",
        "every ",
        "mark ",
        "3/9 ",
        "a\n",
        "?",
    ] {
        for head in ["", "todo ", "mark "] {
            let text = head.to_owned() + &unit.repeat(64 * 1024 / unit.len());
            holds_together(&said(text.trim(), &now));
        }
    }
}
