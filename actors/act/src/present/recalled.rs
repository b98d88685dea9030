//! Answers to questions to memory. It must never show a passage without the entry that it comes from.

use super::{agenda, cut, title};
use jiff::ZonedDateTime;
use protocol::recall::{EntryRef, Hit, Recalled};

/// Returns the answer for a person. `preface` stands above what was found, `now` is the time in the owner's zone.
#[must_use]
pub fn recalled(recalled: &Recalled, preface: Option<&str>, now: &ZonedDateTime) -> String {
    let today = now.date();
    let body = match recalled {
        Recalled::Agenda(days) => agenda::agenda(days, today),
        Recalled::Hits { hits, total, note } => found(hits, *total, note.as_deref()),
        Recalled::Entry(entry) => {
            format!("{}\n\n{}", entry.entry.link(), entry.text.text.trim_end_matches('\n'))
        }
        Recalled::Tasks { items, total } => agenda::tasks(items, *total, today),
        Recalled::Links { to, from, total } => links(to, from, *total),
        Recalled::Focus(entries) => focus(entries),
        Recalled::Report(report) => report.text.trim_end().to_owned(),
        Recalled::Ambiguous(entries) => which(entries, "`show`"),
        Recalled::NotFound { near } => not_found(near, "show"),
        Recalled::Unreadable(sentence) => sentence.clone(),
    };
    cut(match preface {
        Some(preface) => format!("{preface}\n\n{body}"),
        None => body,
    })
}

fn found(hits: &[Hit], total: u32, note: Option<&str>) -> String {
    if hits.is_empty() {
        return "Nothing found. Try fewer or other words.".to_owned();
    }
    let count = u32::try_from(hits.len()).unwrap_or(u32::MAX);
    let entries = if total == 1 { "entry" } else { "entries" };
    let counted =
        if count < total { format!("{count} of {total} {entries}:") } else { format!("{count} {entries}:") };
    let mut text = match note {
        Some(note) => format!("{note}\n{counted}"),
        None => counted,
    };
    for (hit, number) in hits.iter().zip(1_u32..) {
        let todo = hit.todo.as_ref().map_or(String::new(), |todo| format!("{todo} "));
        text.push_str(&format!("\n\n{number}. {todo}{}", hit.entry.link()));
        for line in hit.passage.text.trim_end().lines() {
            text.push_str(&format!("\n   {line}"));
        }
    }
    text
}

fn links(to: &EntryRef, from: &[EntryRef], total: u32) -> String {
    if from.is_empty() {
        return format!("Nothing links to {}.", title(to));
    }
    let entries = if total == 1 { "entry links" } else { "entries link" };
    format!("{total} {entries} to {}:{}", title(to), numbered(from))
}

fn focus(entries: &[EntryRef]) -> String {
    if entries.is_empty() {
        return "Nothing is in focus. Type for example: focus on call the plumber".to_owned();
    }
    format!("In focus, the last one first:{}", numbered(&entries.iter().rev().cloned().collect::<Vec<_>>()))
}

/// Asks which of several entries is meant. `order` is the word to say again.
pub(super) fn which(entries: &[EntryRef], order: &str) -> String {
    let list = numbered(entries);
    format!("Which one?{list}\nSay {order} with more of the title, or with the link.")
}

/// Says that no entry fits, with those that come near.
pub(super) fn not_found(near: &[EntryRef], order: &str) -> String {
    if near.is_empty() {
        return "No entry fits. Say `find` with a word of it to search the text, too.".to_owned();
    }
    let list = numbered(near);
    format!("No entry fits. These come near:{list}\nSay `{order}` with words of the title.")
}

fn numbered(entries: &[EntryRef]) -> String {
    let mut text = String::new();
    for (entry, number) in entries.iter().zip(1_u32..) {
        text.push_str(&format!("\n{number}. {}", title(entry)));
        text.push_str(&format!("\n   {}", entry.link()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{Timestamp, tz::TimeZone};
    use protocol::{
        label::Labeled,
        recall::{AgendaDay, Clock, Day, Entry, Item, Moment, Reason},
    };

    /// Monday 2026-03-09.
    fn now() -> ZonedDateTime {
        let then: Timestamp = "2026-03-09T09:00:00Z".parse().unwrap();
        ZonedDateTime::new(then, TimeZone::UTC)
    }

    const fn on(day: i8) -> Day {
        Day { year: 2026, month: 3, day }
    }

    fn entry(title: &str) -> EntryRef {
        EntryRef { file: "inbox.org".into(), line: 12, path: vec![title.into()], id: None }
    }

    fn item(title: &str, time: Option<Clock>, reason: Option<Reason>) -> Item {
        Item {
            entry: entry(title),
            todo: Some("TODO".into()),
            priority: None,
            tags: Vec::new(),
            scheduled: None,
            deadline: None,
            time,
            reason,
        }
    }

    const NINE: Option<Clock> = Some(Clock { hour: 9, minute: 0 });

    #[test]
    fn agenda_is_grouped_by_day_and_names_empty_days_together() {
        let mut taxes = item("file taxes", None, Some(Reason::Overdue(3)));
        taxes.priority = Some('A');
        taxes.tags = vec!["money".into()];
        let days = vec![
            AgendaDay {
                day: on(9),
                items: vec![item("call Bob", NINE, Some(Reason::Deadline)), taxes],
                more: 0,
            },
            AgendaDay { day: on(10), items: vec![], more: 0 },
            AgendaDay { day: on(11), items: vec![], more: 0 },
            AgendaDay { day: on(12), items: vec![item("pay rent", None, Some(Reason::Deadline))], more: 0 },
        ];
        let text = recalled(&Recalled::Agenda(days), None, &now());
        let wanted = "\
Mon 9 March 2026 (today)
  09:00 TODO call Bob (due today)
        [[file:inbox.org::*call Bob][call Bob]]
        TODO [#A] file taxes :money: (3 days overdue)
        [[file:inbox.org::*file taxes][file taxes]]

Nothing from Tue 10 March (tomorrow) to Wed 11 March.

Thu 12 March 2026
        TODO pay rent (due)
        [[file:inbox.org::*pay rent][pay rent]]";
        assert_eq!(text, wanted);
    }

    #[test]
    fn single_empty_day_is_said_in_one_line() {
        let empty = |day| Recalled::Agenda(vec![AgendaDay { day, items: vec![], more: 0 }]);
        assert_eq!(recalled(&empty(on(11)), None, &now()), "Nothing on Wed 11 March.");
        let far = Day { year: 2027, month: 2, day: 30 };
        assert_eq!(recalled(&empty(far), None, &now()), "Nothing on 2027-02-30.");
    }

    #[test]
    fn hits_show_passage_and_link_below_the_preface() {
        let hits = vec![
            Hit {
                entry: entry("Boiler"),
                todo: Some("TODO".into()),
                passage: Labeled::from_owner("guarantee ends 2027\nserial 4711\n"),
            },
            Hit {
                entry: EntryRef { id: Some("ab12".into()), ..entry("Heating [old]") },
                todo: None,
                passage: Labeled::from_owner("the boiler hums"),
            },
        ];
        let text = recalled(
            &Recalled::Hits { hits, total: 14, note: None },
            Some("The best passages I found:"),
            &now(),
        );
        let wanted = "\
The best passages I found:

2 of 14 entries:

1. TODO [[file:inbox.org::*Boiler][Boiler]]
   guarantee ends 2027
   serial 4711

2. [[id:ab12][Heating old]]
   the boiler hums";
        assert_eq!(text, wanted);
    }

    #[test]
    fn no_hit_is_said_plainly() {
        let none = Recalled::Hits { hits: vec![], total: 0, note: None };
        assert_eq!(recalled(&none, None, &now()), "Nothing found. Try fewer or other words.");
    }

    #[test]
    fn entry_is_shown_as_it_stands() {
        let shown = Recalled::Entry(Entry {
            entry: entry("Boiler"),
            text: Labeled::from_owner("* Boiler\n  hums\n\n"),
        });
        assert_eq!(recalled(&shown, None, &now()), "[[file:inbox.org::*Boiler][Boiler]]\n\n* Boiler\n  hums");
    }

    #[test]
    fn tasks_are_numbered_with_their_dates() {
        let mut rent = item("pay rent", None, None);
        rent.deadline = Some(Moment { day: on(13), time: None });
        rent.scheduled = Some(Moment { day: on(10), time: NINE });
        let items = vec![rent, item("tidy up", None, None)];
        let text = recalled(&Recalled::Tasks { items, total: 7 }, None, &now());
        let wanted = "\
Open tasks, 2 of 7:
  1. TODO pay rent (due Fri 13 March, scheduled Tue 10 March 09:00)
     [[file:inbox.org::*pay rent][pay rent]]
  2. TODO tidy up
     [[file:inbox.org::*tidy up][tidy up]]";
        assert_eq!(text, wanted);
        let none = Recalled::Tasks { items: vec![], total: 0 };
        assert_eq!(recalled(&none, None, &now()), "No open tasks.");
    }

    #[test]
    fn ambiguous_and_missing_entries_are_listed() {
        let both = vec![entry("call Bob"), entry("call Bobby")];
        assert_eq!(
            recalled(&Recalled::Ambiguous(both), None, &now()),
            "Which one?
1. call Bob
   [[file:inbox.org::*call Bob][call Bob]]
2. call Bobby
   [[file:inbox.org::*call Bobby][call Bobby]]
Say `show` with more of the title, or with the link."
        );
        let near = vec![entry("call Bob")];
        assert_eq!(
            recalled(&Recalled::NotFound { near }, None, &now()),
            "No entry fits. These come near:
1. call Bob
   [[file:inbox.org::*call Bob][call Bob]]
Say `show` with words of the title."
        );
    }

    #[test]
    fn unreadable_memex_is_said_in_its_own_words() {
        let sentence = "The memex cannot be read: check its rights.";
        let unreadable = Recalled::Unreadable(sentence.into());
        assert_eq!(recalled(&unreadable, None, &now()), sentence);
    }
}
