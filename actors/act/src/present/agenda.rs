//! Agendas and task lists. It must never hide a day that was asked for: days with nothing on are named together.

use super::{INDENT, day, title};
use jiff::civil::Date;
use protocol::recall::{AgendaDay, Day, Item, Reason};

/// Returns an agenda, day by day.
pub(super) fn agenda(days: &[AgendaDay], today: Date) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = days;
    while let Some((first, behind)) = rest.split_first() {
        if first.items.is_empty() {
            let length = rest.iter().take_while(|day| day.items.is_empty()).count();
            let (empty, behind) = rest.split_at(length);
            parts.push(nothing(empty, today));
            rest = behind;
        } else {
            parts.push(day_of(first, today));
            rest = behind;
        }
    }
    parts.join("\n\n")
}

fn nothing(empty: &[AgendaDay], today: Date) -> String {
    match (empty.first(), empty.last()) {
        (Some(first), Some(last)) if first.day != last.day => format!(
            "Nothing from {}{} to {}.",
            day::short(first.day, today),
            day::nearness(first.day, today),
            day::short(last.day, today)
        ),
        (Some(only), _) => {
            format!("Nothing on {}{}.", day::short(only.day, today), day::nearness(only.day, today))
        }
        (None, _) => String::new(),
    }
}

fn day_of(on: &AgendaDay, today: Date) -> String {
    let mut text = format!("{}{}", day::long(on.day), day::nearness(on.day, today));
    for item in &on.items {
        let time = item.time.map_or("     ".to_owned(), day::clock);
        let reason = item.reason.map_or(String::new(), |why| format!(" ({})", reason(why, on.day, today)));
        text.push_str(&format!("\n  {time} {}{reason}", headline(item)));
        text.push_str(&format!("\n{INDENT}{}", item.entry.link()));
    }
    if on.more > 0 {
        text.push_str(&format!("\n{INDENT}… and {} more", on.more));
    }
    text
}

/// Returns a list of open tasks.
pub(super) fn tasks(items: &[Item], total: u32, today: Date) -> String {
    if items.is_empty() {
        return "No open tasks.".to_owned();
    }
    let shown = items.len();
    let mut text = if u32::try_from(shown).is_ok_and(|shown| shown < total) {
        format!("Open tasks, {shown} of {total}:")
    } else {
        format!("Open tasks, {shown}:")
    };
    for (item, number) in items.iter().zip(1_u32..) {
        let mut dates = Vec::new();
        if let Some(due) = item.deadline {
            dates.push(format!("due {}", day::moment(due, today)));
        }
        if let Some(scheduled) = item.scheduled {
            dates.push(format!("scheduled {}", day::moment(scheduled, today)));
        }
        let dates = if dates.is_empty() { String::new() } else { format!(" ({})", dates.join(", ")) };
        text.push_str(&format!("\n{number:>3}. {}{dates}", headline(item)));
        text.push_str(&format!("\n     {}", item.entry.link()));
    }
    text
}

/// Returns `TODO [#A] title :tag:`.
fn headline(item: &Item) -> String {
    let mut words = Vec::new();
    words.extend(item.todo.clone());
    words.extend(item.priority.map(|letter| format!("[#{letter}]")));
    words.push(title(&item.entry).to_owned());
    if !item.tags.is_empty() {
        words.push(format!(":{}:", item.tags.join(":")));
    }
    words.join(" ")
}

/// Says why an item is on a day: "due today" on today, "due" on any other, whose name stands above.
fn reason(reason: Reason, on: Day, today: Date) -> String {
    let is_today = day::date(on) == Some(today);
    let days = |n: u16| {
        if n == 1 { "1 day".to_owned() } else { format!("{n} days") }
    };
    match reason {
        Reason::Overdue(n) => format!("{} overdue", days(n)),
        Reason::Deadline if is_today => "due today".to_owned(),
        Reason::Deadline => "due".to_owned(),
        Reason::ScheduledBefore(n) => format!("scheduled {} ago", days(n)),
        Reason::Scheduled => "scheduled".to_owned(),
        Reason::DeadlineIn(n) => format!("due in {}", days(n)),
        Reason::Dated => "dated".to_owned(),
    }
}
