//! What is on a day, and which tasks are open. The rules are those of Emacs' agenda, one line for each entry and day.
//!
//! Done, commented and archived entries and conflict copies are on no list. What is late is shown on today only,
//! and so are warnings. Repeaters are projected onto days to come.

use crate::{
    entry::{All, At},
    folder::Folder,
};
use jiff::civil::{Date, Time};
use org::{Delay, Span, Stamp, Unit};
use protocol::recall::{AgendaDay, Clock, Day, Item, Moment, Reason, Recalled};
use std::cmp::Reverse;

/// Days before a deadline from which on it is shown, as `org-deadline-warning-days`.
const WARNING_DAYS: i32 = 14;

/// Days of an agenda, as the protocol has it.
const DAYS_MAX: u8 = 31;

/// Bytes of all items of an agenda: they must fit into a frame.
const BYTES_MAX: usize = 160 * 1024;

/// The timestamps of one entry.
struct Dates {
    scheduled: Option<Stamp>,
    deadline: Option<Stamp>,
    plain: Vec<Stamp>,
}

/// Lists what is on some days.
pub(crate) fn agenda(folder: &Folder, from: Day, days: u8, today: Day) -> Recalled {
    let entries: Vec<(At<'_>, Dates)> = folder
        .entries()
        .filter(|at| !at.file.copy && !at.is_done() && !at.is_set_aside())
        .filter_map(|at| Some((at, dates(at)?)))
        .collect();
    let today = date(today);
    let mut found = Vec::new();
    let mut room = BYTES_MAX;
    let mut day = date(from);
    for _ in 0..days.clamp(1, DAYS_MAX) {
        let Some(this) = day else { break };
        let mut items: Vec<Item> = entries
            .iter()
            .filter_map(|(at, dates)| {
                let (reason, time) = on_day(dates, this, today == Some(this))?;
                Some(item(*at, dates, Some(reason), time))
            })
            .collect();
        items.sort_by_cached_key(|item| {
            let place = (item.entry.file.clone(), item.entry.line);
            (item.time.is_none(), item.time, item.reason.map(rank), priority(item), place)
        });
        // What comes first on each day is kept as long as there is room.
        let kept = items
            .iter()
            .take_while(|item| {
                let bytes = weight(item);
                let fits = bytes <= room;
                room = room.saturating_sub(bytes);
                fits
            })
            .count();
        let more = u32::try_from(items.len() - kept).unwrap_or(u32::MAX);
        items.truncate(kept);
        found.push(AgendaDay { day: to_day(this), items, more });
        day = this.tomorrow().ok();
    }
    Recalled::Agenda(found)
}

/// About how many bytes an item takes on its way.
fn weight(item: &Item) -> usize {
    let texts = item.entry.path.iter().chain(&item.tags).map(String::len).sum::<usize>();
    texts + item.entry.file.len() + 128
}

/// Lists open tasks by deadline, schedule, priority and place.
pub(crate) fn tasks(folder: &Folder, limit: u8) -> Recalled {
    let mut items: Vec<Item> = folder
        .entries()
        .filter(|at| !at.file.copy && at.is_open() && !at.is_set_aside())
        .map(|at| {
            let dates = dates(at).unwrap_or(Dates { scheduled: None, deadline: None, plain: Vec::new() });
            item(at, &dates, None, None)
        })
        .collect();
    let total = u32::try_from(items.len()).unwrap_or(u32::MAX);
    items.sort_by_cached_key(|item| {
        let place = (item.entry.file.clone(), item.entry.line);
        let deadline = (item.deadline.is_none(), item.deadline);
        let scheduled = (item.scheduled.is_none(), item.scheduled);
        (deadline, scheduled, priority(item), place)
    });
    items.truncate(usize::from(limit));
    Recalled::Tasks { items, total }
}

/// Returns the timestamps of an entry, `None` if it has no active one.
fn dates(at: At<'_>) -> Option<Dates> {
    let node = at.node()?;
    let bytes = &at.file.bytes;
    let planned = |span: Option<Span>| {
        let stamp = org::stamp_at(bytes, span?.begin)?;
        Some(stamp).filter(|stamp| stamp.active)
    };
    let scheduled = planned(node.planning.and_then(|planning| planning.scheduled));
    let deadline = planned(node.planning.and_then(|planning| planning.deadline));
    let mut plain = org::active_stamps(bytes, node.title);
    let body = Span::new(node.body, node.own_end);
    let in_body = org::active_stamps(bytes, body);
    if !in_body.is_empty() {
        let hidden = org::verbatim(bytes, body, at.file.doc.newline);
        let inside = |stamp: &Stamp| {
            let at = stamp.span.begin;
            hidden.iter().any(|span| span.begin <= at && at < span.end)
        };
        plain.extend(in_body.into_iter().filter(|stamp| !inside(stamp)));
    }
    let any = scheduled.is_some() || deadline.is_some() || !plain.is_empty();
    any.then_some(Dates { scheduled, deadline, plain })
}

/// Returns why an entry is on a day, the strongest reason, and the time of day that goes with it.
fn on_day(dates: &Dates, day: Date, is_today: bool) -> Option<(Reason, Option<Clock>)> {
    let deadline = dates.deadline.and_then(|stamp| due(&stamp, day, is_today));
    let scheduled = dates.scheduled.and_then(|stamp| begins(&stamp, day, is_today));
    let dated = dates.plain.iter().find(|stamp| org::occurs_on(stamp, day));
    let dated = dated.map(|stamp| (Reason::Dated, time_on(stamp, day)));
    let mut all: Vec<(Reason, Option<Clock>)> = [deadline, scheduled, dated].into_iter().flatten().collect();
    all.sort_by_key(|(reason, _)| rank(*reason));
    let time = all.iter().find_map(|(_, time)| *time);
    all.first().map(|(reason, _)| (*reason, time))
}

fn due(stamp: &Stamp, day: Date, is_today: bool) -> Option<(Reason, Option<Clock>)> {
    let left = days_between(day, stamp.date);
    if left == 0 {
        return Some((Reason::Deadline, time_on(stamp, day)));
    }
    if is_today {
        let warning = stamp.delay.map_or(WARNING_DAYS, in_days);
        return match u16::try_from(left) {
            Ok(days) => (left <= warning).then_some((Reason::DeadlineIn(days), None)),
            Err(_) => Some((Reason::Overdue(count(left)), None)),
        };
    }
    org::occurs_on(stamp, day).then(|| (Reason::Deadline, time_on(stamp, day)))
}

fn begins(stamp: &Stamp, day: Date, is_today: bool) -> Option<(Reason, Option<Clock>)> {
    let since = days_between(stamp.date, day);
    if since < stamp.delay.map_or(0, in_days) {
        return None;
    }
    if since == 0 {
        return Some((Reason::Scheduled, time_on(stamp, day)));
    }
    if is_today {
        return Some((Reason::ScheduledBefore(count(since)), None));
    }
    org::occurs_on(stamp, day).then(|| (Reason::Scheduled, time_on(stamp, day)))
}

/// The middle days of a range and hourly repeats have no time of their own.
fn time_on(stamp: &Stamp, day: Date) -> Option<Clock> {
    let hourly = stamp.repeater.is_some_and(|r| r.step.unit == Unit::Hour);
    let in_range = stamp.last.is_some_and(|last| day <= last);
    let own = day == stamp.date || (!hourly && !in_range);
    stamp.time.filter(|_| own).map(to_clock)
}

fn in_days(delay: Delay) -> i32 {
    let count = i32::try_from(delay.interval.count.min(100_000)).unwrap_or(0);
    match delay.interval.unit {
        Unit::Hour => count / 24,
        Unit::Day => count,
        Unit::Week => count * 7,
        Unit::Month => count * 30,
        Unit::Year => count * 365,
    }
}

/// The order of reasons on a day: what is late longest first, what is due soonest first.
fn rank(reason: Reason) -> (u8, Reverse<u16>, u16) {
    match reason {
        Reason::Overdue(days) => (0, Reverse(days), 0),
        Reason::Deadline => (1, Reverse(0), 0),
        Reason::ScheduledBefore(days) => (2, Reverse(days), 0),
        Reason::Scheduled => (3, Reverse(0), 0),
        Reason::DeadlineIn(days) => (4, Reverse(0), days),
        Reason::Dated => (5, Reverse(0), 0),
    }
}

/// Without a letter a task is as important as `B`, as in Emacs.
fn priority(item: &Item) -> char {
    item.priority.unwrap_or('B')
}

fn item(at: At<'_>, dates: &Dates, reason: Option<Reason>, time: Option<Clock>) -> Item {
    Item {
        entry: at.entry_ref(),
        todo: at.todo(),
        priority: at.priority(),
        tags: at.tags(),
        scheduled: dates.scheduled.as_ref().map(to_moment),
        deadline: dates.deadline.as_ref().map(to_moment),
        time,
        reason,
    }
}

fn days_between(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}

fn count(days: i32) -> u16 {
    u16::try_from(days.unsigned_abs()).unwrap_or(u16::MAX)
}

/// Reads a day of the protocol; `None` if there is no such day.
pub(crate) fn date(day: Day) -> Option<Date> {
    Date::new(day.year, day.month, day.day).ok()
}

fn to_day(date: Date) -> Day {
    Day { year: date.year(), month: date.month(), day: date.day() }
}

fn to_clock(time: Time) -> Clock {
    Clock { hour: time.hour(), minute: time.minute() }
}

fn to_moment(stamp: &Stamp) -> Moment {
    Moment { day: to_day(stamp.date), time: stamp.time.map(to_clock) }
}
