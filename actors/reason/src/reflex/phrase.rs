//! The kinds of phrases that a language file can hold. It must never hold a word of a language.

use super::{calendar::Span, pattern::Pattern};
use serde::Deserialize;

/// Patterns that mean the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrase<K> {
    /// What they mean.
    pub(super) is: K,
    /// The patterns.
    pub(super) says: Vec<Pattern>,
    /// Where it counts without a leading word.
    #[serde(default)]
    pub(super) bare: Bare,
    /// The hour, for the kinds that have one.
    pub(super) hour: Option<i8>,
    /// How many units, if the pattern does not say.
    pub(super) count: Option<u16>,
    /// Of which unit, if the pattern does not say.
    pub(super) unit: Option<Span>,
}

/// Where a date counts without a leading word such as "on".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Bare {
    /// At either end of the text.
    #[default]
    Edge,
    /// At the end of the text.
    End,
    /// Nowhere.
    Never,
}

/// What a date phrase means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DateKind {
    Today,
    Tonight,
    Tomorrow,
    AfterTomorrow,
    Ahead,
    Weekday,
    ThisWeekday,
    NextWeekday,
    WeekdayAfter,
    MonthDay,
    DayOfMonth,
    DayOfNextMonth,
    Numeric,
    NextWeek,
    NextMonth,
    NextYear,
    Weekend,
    EndOfWeek,
    EndOfNextWeek,
    EndOfMonth,
    EndOfNextMonth,
    EndOfNamedMonth,
    EndOfYear,
}

/// What a time phrase means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TimeKind {
    Clock,
    /// A bare number: only behind "at".
    Hour,
    Am,
    Pm,
    OClock,
    HalfPast,
    QuarterPast,
    QuarterTo,
    Fixed,
    Midnight,
    PartOfDay,
}

/// What a repeater phrase means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RepeatPhrase {
    Unit,
    Units,
    OtherUnit,
    Weekday,
    OtherWeekday,
    MonthDay,
    Daily,
    Weekly,
    Fortnightly,
    Monthly,
    Yearly,
    /// Org cannot say it.
    NoSuch,
}

/// What a word before a date makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Lead {
    /// Before times.
    At,
    /// Before days.
    On,
    /// A deadline.
    By,
    /// Before days, in orders that are about the date.
    For,
}

/// What a stretch of days means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SpanKind {
    Week,
    ThisWeek,
    NextWeek,
    Weekend,
    ThisMonth,
    NextMonth,
    Next,
    Yesterday,
}
