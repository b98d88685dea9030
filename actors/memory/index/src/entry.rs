//! What the index is told of a file. It keeps words and places, never the text itself.

use std::borrow::Cow;

/// A day, counted from 1970-01-01.
pub type Day = i32;

/// An entry of a file, or with level 0 what stands above the first headline.
#[derive(Debug, Clone, Default)]
pub struct Entry<'a> {
    /// Its parent's place in the list; a parent comes before its children.
    pub parent: Option<u32>,
    /// Number of stars.
    pub level: u8,
    /// Its title; of level 0 the file's.
    pub title: Cow<'a, str>,
    /// Own and inherited tags.
    pub tags: Vec<Cow<'a, str>>,
    /// Its TODO keyword.
    pub todo: Option<Cow<'a, str>>,
    /// Whether the keyword means done.
    pub done: bool,
    /// Its dates.
    pub dates: Dates,
    /// Who may see it.
    pub sight: Sight,
    /// Its own text, without headline, planning and properties.
    pub body: Cow<'a, str>,
}

/// Dates of an entry, whichever it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dates {
    /// When it is to be begun.
    pub scheduled: Option<Day>,
    /// When it is to be done.
    pub deadline: Option<Day>,
    /// When it was done.
    pub closed: Option<Day>,
    /// When it was written.
    pub created: Option<Day>,
}

impl Dates {
    pub(crate) const fn each(self) -> [Option<Day>; 4] {
        [self.scheduled, self.deadline, self.closed, self.created]
    }
}

/// Who may see an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// Whoever the owner talks to.
    #[default]
    Open,
    /// Only what runs on the owner's own machine.
    Private,
}

/// Names of the tags that make an entry private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    tags: Vec<String>,
}

impl Default for Privacy {
    fn default() -> Self {
        Self::new(["personal", "private", "secret"])
    }
}

impl Privacy {
    /// Returns a rule for these names; case and a leading `@` do not matter.
    pub fn new<T: AsRef<str>>(tags: impl IntoIterator<Item = T>) -> Self {
        Self { tags: tags.into_iter().map(|tag| plain_tag(tag.as_ref())).collect() }
    }

    /// Returns who may see an entry with these tags, inherited ones included.
    pub fn sight<T: AsRef<str>>(&self, tags: impl IntoIterator<Item = T>) -> Sight {
        let private = tags.into_iter().any(|tag| self.tags.contains(&plain_tag(tag.as_ref())));
        if private { Sight::Private } else { Sight::Open }
    }
}

fn plain_tag(tag: &str) -> String {
    tag.trim_start_matches('@').to_lowercase()
}

/// Returns the day of a date in the calendar, if there is such a day.
#[must_use]
pub fn day(year: i32, month: u32, day: u32) -> Option<Day> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return None,
    };
    if day == 0 || day > last || !(0..=9999).contains(&year) {
        return None;
    }
    // Days from civil (Howard Hinnant): years begin in March, so that the leap day comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = i64::from(year.rem_euclid(400));
    let month = i64::from((month + 9) % 12);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    i32::try_from(i64::from(era) * 146_097 + days - 719_468).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(day(1970, 1, 1), Some(0));
        assert_eq!(day(2000, 3, 1), Some(11_017));
        assert_eq!(day(2026, 1, 1), Some(20_454));
        assert_eq!(day(1969, 12, 31), Some(-1));
        assert_eq!(day(2025, 2, 29), None);
        assert_eq!(day(2025, 13, 1), None);
    }

    #[test]
    fn private_tags_are_known_with_and_without_at() {
        let privacy = Privacy::default();
        assert_eq!(privacy.sight(["work", "@Personal"]), Sight::Private);
        assert_eq!(privacy.sight(["personally"]), Sight::Open);
    }
}
