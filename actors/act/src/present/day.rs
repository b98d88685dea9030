//! Days as people write them. It must never show a day that is none: it shows the figures instead.

use jiff::civil::Date;
use protocol::recall::{Clock, Day, Moment};

/// Returns the day as jiff has it, if there is such a day.
pub(super) fn date(day: Day) -> Option<Date> {
    Date::new(day.year, day.month, day.day).ok()
}

/// Returns `Mon 9 March 2026`.
pub(super) fn long(day: Day) -> String {
    date(day).map_or_else(|| figures(day), |date| date.strftime("%a %-d %B %Y").to_string())
}

/// Returns `Tue 10 March`, with the year if it is not this one.
pub(super) fn short(day: Day, today: Date) -> String {
    match date(day) {
        Some(date) if date.year() == today.year() => date.strftime("%a %-d %B").to_string(),
        Some(_) => long(day),
        None => figures(day),
    }
}

/// Returns `Tue 10 March 09:00`.
pub(super) fn moment(moment: Moment, today: Date) -> String {
    let day = short(moment.day, today);
    match moment.time {
        Some(time) => format!("{day} {}", clock(time)),
        None => day,
    }
}

/// Returns `09:00`.
pub(super) fn clock(time: Clock) -> String {
    format!("{:02}:{:02}", time.hour, time.minute)
}

/// Returns ` (today)` and the like for the days around today.
pub(super) fn nearness(day: Day, today: Date) -> &'static str {
    let near = |ahead: Option<Date>| ahead.is_some() && ahead == date(day);
    if date(day) == Some(today) {
        " (today)"
    } else if near(today.tomorrow().ok()) {
        " (tomorrow)"
    } else if near(today.yesterday().ok()) {
        " (yesterday)"
    } else {
        ""
    }
}

fn figures(day: Day) -> String {
    format!("{:04}-{:02}-{:02}", day.year, day.month, day.day)
}
