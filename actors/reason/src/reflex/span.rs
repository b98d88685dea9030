//! Which days an agenda is asked for. It must never answer for other days than those named.

use super::{
    calendar::Span,
    catalogue::Language,
    date::{Days, jump, plus},
    lex::Word,
    phrase::SpanKind,
    slot::Caught,
    step::{Part, Reader},
};
use jiff::civil::Date;

/// Most days of one agenda, as the protocol bounds it.
const DAYS_MAX: i64 = 31;

/// Days in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    pub(super) from: Date,
    pub(super) days: u8,
}

/// Reads the days. `None` means that the words name none; the error is a sentence for the person.
pub(super) fn read(reader: Reader<'_>, words: &[Word<'_>]) -> Result<Option<Stretch>, String> {
    if let Some((kind, caught)) = spoken(reader.language, words) {
        return Ok(stretch(reader.days, kind, &caught));
    }
    let Some(steps) = reader.whole(words) else {
        return Ok(None);
    };
    let mut found = None;
    for step in steps {
        let day = match step.part {
            Part::Problem(sentence) => return Err(sentence),
            Part::Day(day) => day,
            Part::Instant(then) => then.date(),
            Part::Clock(_) => continue,
            Part::Every(_) => return Ok(None),
        };
        if found.replace(Stretch { from: day, days: 1 }).is_some() {
            return Ok(None);
        }
    }
    Ok(found)
}

fn spoken(language: &Language, words: &[Word<'_>]) -> Option<(SpanKind, Caught)> {
    language.spans.iter().find_map(|phrase| {
        let mut says = phrase.says.iter();
        let caught = says.find_map(|pattern| pattern.whole(words, &language.calendar))?;
        Some((phrase.is, caught))
    })
}

fn stretch(days: Days<'_>, kind: SpanKind, caught: &Caught) -> Option<Stretch> {
    let today = days.now.date();
    let monday = days.monday()?;
    match kind {
        SpanKind::Week => between(today, plus(today, 6)?),
        SpanKind::ThisWeek => between(today, plus(monday, 6)?),
        SpanKind::NextWeek => between(plus(monday, 7)?, plus(monday, 13)?),
        SpanKind::Weekend => {
            let sunday = plus(monday, 6)?;
            between(plus(monday, 5)?.max(today), sunday)
        }
        SpanKind::ThisMonth => between(today, today.last_of_month()),
        SpanKind::NextMonth => {
            let first = days.first_of_next_month()?;
            between(first, first.last_of_month())
        }
        SpanKind::Next => match caught.unit? {
            Span::Minute | Span::Hour => None,
            unit @ (Span::Day | Span::Week | Span::Fortnight | Span::Month | Span::Year) => {
                let end = today.checked_add(jump(i64::from(caught.count?), unit)?).ok()?;
                between(today, plus(end, -1)?)
            }
        },
        SpanKind::Yesterday => {
            let day = plus(today, -1)?;
            between(day, day)
        }
    }
}

/// Days from one to another, as many as an agenda can have.
fn between(from: Date, to: Date) -> Option<Stretch> {
    let days = from.duration_until(to).as_hours() / 24 + 1;
    let days = u8::try_from(days.clamp(1, DAYS_MAX)).ok()?;
    Some(Stretch { from, days })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn stretch_is_bounded_by_the_longest_agenda() {
        let from = date(2026, 3, 9);
        assert_eq!(between(from, from), Some(Stretch { from, days: 1 }));
        assert_eq!(between(from, date(2027, 3, 9)), Some(Stretch { from, days: 31 }));
    }
}
