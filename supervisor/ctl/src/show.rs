//! What people read. Pure: data in, text out.

use jiff::{Timestamp, tz::TimeZone};
use protocol::control::{Finding, Held, RoleStatus, Status};
use std::fmt::Write as _;

/// Returns a text that is safe to print on a terminal: a control character could make it do things.
pub(crate) fn printable(text: &str) -> String {
    let safe = |c: char| {
        if c.is_control() && c != '\n' && c != '\t' { '?' } else { c }
    };
    text.chars().map(safe).collect()
}

/// Lays out rows in columns; the last column is as wide as it likes.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = widths.iter().zip(row).map(|(width, cell)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns the state of the tree.
pub(crate) fn status(status: &Status) -> String {
    let counts = &status.counts;
    let mut text = format!(
        "{}  pid {}  up {}  version {}  memex {}\n\n",
        status.health,
        status.pid,
        duration(status.uptime_s),
        status.version,
        status.memex
    );
    let head = ["ROLE", "STATE", "PID", "RESTARTS", "RSS", "NOTE"].map(str::to_owned);
    let rows = status.roles.iter().map(|role| {
        [
            role.role.clone(),
            state(role),
            role.pid.to_string(),
            role.restarts.to_string(),
            kib(role.rss_kib),
            note(role),
        ]
    });
    text.push_str(&table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
    let lines = [
        format!(
            "turns    {} open ({} running), {} done, {} failed, {} parked, {} uncertain, {} undelivered",
            counts.open,
            counts.running,
            counts.done,
            counts.failed,
            counts.parked,
            counts.uncertain,
            counts.undelivered
        ),
        format!(
            "intake   {} duplicates, {} refused, {} misrouted",
            counts.duplicates, counts.refused, counts.misrouted
        ),
        format!(
            "journal  {} records, {} syncs, {}",
            counts.records,
            counts.syncs,
            kib(counts.journal_bytes / 1024)
        ),
    ];
    text.push('\n');
    text.push_str(&lines.join("\n"));
    text.push('\n');
    for notice in &status.notices {
        text.push_str("\n! ");
        text.push_str(notice);
        text.push('\n');
    }
    printable(&text)
}

/// Returns the whole screen of `top`: the state, and what each actor has in hand.
pub(crate) fn top(status: &Status) -> String {
    let head = ["ROLE", "LIFE", "HANDLED", "QUEUE", "IN HAND"].map(str::to_owned);
    let rows = status.roles.iter().map(|role| {
        [
            role.role.clone(),
            role.generation.to_string(),
            role.handled.to_string(),
            role.queue.to_string(),
            role.current.clone(),
        ]
    });
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    printable(&format!("{}\n{}", self::status(status), table(&rows)))
}

fn state(role: &RoleStatus) -> String {
    if role.desired == "down" && role.actual == "down" { "stopped".into() } else { role.actual.clone() }
}

fn note(role: &RoleStatus) -> String {
    let mut parts = Vec::new();
    if !role.degraded.is_empty() {
        parts.push(role.degraded.clone());
    } else if !role.note.is_empty() {
        parts.push(role.note.clone());
    }
    if role.actual != "ready" && !role.last_death.is_empty() {
        parts.push(format!("last death: {}", role.last_death));
    }
    if role.next_try_ms > 0 {
        parts.push(format!("next try in {} s", role.next_try_ms.div_ceil(1_000)));
    }
    parts.join("; ")
}

/// Returns a size in the unit that suits it.
fn kib(kib: u64) -> String {
    match kib {
        0..=9_999 => format!("{kib} KiB"),
        _ => format!("{} MiB", kib / 1024),
    }
}

/// Returns a span of time in its two largest units.
fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// Returns a moment in a zone.
fn moment(ms: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned_datetime(zone.clone());
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Returns what waits for the owner.
pub(crate) fn held(held: &[Held], zone: &TimeZone) -> String {
    if held.is_empty() {
        return "none\n".into();
    }
    let head = ["TURN", "SINCE", "CONVERSATION", "WHAT"].map(str::to_owned);
    let rows = held.iter().map(|held| {
        [held.turn.clone(), moment(held.since, zone), held.conversation.clone(), held.what.clone()]
    });
    printable(&table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()))
}

/// Returns what the doctor found.
pub(crate) fn findings(findings: &[Finding]) -> String {
    let rows = findings.iter().map(|f| [f.grade.clone(), f.subject.clone(), f.text.clone()]);
    printable(&table(&rows.collect::<Vec<_>>()))
}

/// Returns lines as they are.
pub(crate) fn lines(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        text.push_str(&printable(line));
        text.push('\n');
        text
    })
}

/// Returns the lines of `snapshots` with their moments, which come in ms, in a zone.
pub(crate) fn snapshots(lines: &[String], zone: &TimeZone) -> String {
    if lines.is_empty() {
        return "none\n".into();
    }
    lines.iter().fold(String::new(), |mut text, line| {
        let mut words = line.splitn(3, ' ');
        let (turn, at, what) = (words.next(), words.next(), words.next());
        let written = match (turn, at.and_then(|at| at.parse().ok()), what) {
            (Some(turn), Some(at), Some(what)) => {
                writeln!(text, "{turn}  {}  {}", moment(at, zone), printable(what))
            }
            (_, _, _) => writeln!(text, "{}", printable(line)),
        };
        debug_assert!(written.is_ok(), "writing to a text cannot fail");
        text
    })
}

#[cfg(test)]
mod tests;
