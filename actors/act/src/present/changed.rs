//! Answers to writes. It must never say that something was written when memory did not say so.

use super::{
    cut,
    recalled::{not_found, which},
    title,
};
use protocol::{change::Changed, id::TurnKey, recall::EntryRef};

/// Returns the answer for a person.
#[must_use]
pub fn changed(changed: &Changed) -> String {
    cut(match changed {
        Changed::Written { entry, what } => written(entry, what),
        Changed::Undone { turn, what, conflicts } => undone(*turn, what, conflicts),
        Changed::Ambiguous(entries) => which(entries, "it again"),
        Changed::NotFound { near } => not_found(near, "done"),
        Changed::Refused(sentence) => sentence.clone(),
    })
}

/// `what` begins with a word for the kind of write; what follows it, such as `due 2026-03-13 Fri`, is shown as it is.
fn written(entry: &EntryRef, what: &str) -> String {
    let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
    let title = title(entry);
    let more = if rest.is_empty() { String::new() } else { format!(", {rest}") };
    let line = match kind {
        "note" => format!("Noted in {}: {title}{more}", entry.file),
        "task" => format!("Task added to {}: {title}{more}", entry.file),
        "done" => format!("Done: {title}{more}"),
        "next" => format!("Done: {title}. Next: {rest}"),
        "focus" => format!("In focus: {title}"),
        "unfocus" => format!("No longer in focus: {title}"),
        "scheduled" | "deadline" | "priority" | "tags" | "tag" | "state" | "title" | "property"
        | "archived" | "moved" | "clock" | "appended" | "checked" | "unchecked" => {
            format!("{title}: {what}")
        }
        _ => format!("Written in {}: {title} ({what})", entry.file),
    };
    format!("{line}\n{}", entry.link())
}

fn undone(turn: TurnKey, what: &[String], conflicts: &[String]) -> String {
    let mut text = match what {
        [] => format!("Turn {} had written nothing.", turn.short()),
        _ => format!("Taken back from turn {}:", turn.short()),
    };
    for line in what {
        text.push_str(&format!("\n- {line}"));
    }
    if !conflicts.is_empty() {
        text.push_str("\nYou had changed a part since. Yours stays as it is; mine lies beside it, in:");
        for file in conflicts {
            text.push_str(&format!("\n- {file}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str) -> EntryRef {
        EntryRef { file: "inbox.org".into(), line: 3, path: vec![title.into()], id: None }
    }

    fn said(title: &str, what: &str) -> String {
        changed(&Changed::Written { entry: entry(title), what: what.into() })
    }

    #[test]
    fn each_kind_of_write_has_its_sentence() {
        assert_eq!(
            said("the boiler hums", "note"),
            "Noted in inbox.org: the boiler hums\n[[file:inbox.org::*the boiler hums][the boiler hums]]"
        );
        assert_eq!(
            said("pay", "task due 2026-03-13 Fri"),
            "Task added to inbox.org: pay, due 2026-03-13 Fri\n[[file:inbox.org::*pay][pay]]"
        );
        assert_eq!(said("pay", "done"), "Done: pay\n[[file:inbox.org::*pay][pay]]");
        assert_eq!(
            said("pay", "next 2026-03-16 Mon"),
            "Done: pay. Next: 2026-03-16 Mon\n[[file:inbox.org::*pay][pay]]"
        );
        assert_eq!(said("pay", "odd"), "Written in inbox.org: pay (odd)\n[[file:inbox.org::*pay][pay]]");
    }

    #[test]
    fn undone_turn_lists_its_writes_and_conflicts() {
        let undone = Changed::Undone {
            turn: TurnKey::from_bytes([0x1a; 16]),
            what: vec!["note \"the boiler hums\" in inbox.org".into()],
            conflicts: vec!["inbox.org.conflict-1a1a1a1a".into()],
        };
        assert_eq!(
            changed(&undone),
            "Taken back from turn 1a1a1a1a:
- note \"the boiler hums\" in inbox.org
You had changed a part since. Yours stays as it is; mine lies beside it, in:
- inbox.org.conflict-1a1a1a1a"
        );
    }

    #[test]
    fn ambiguous_missing_and_refused_say_what_to_do() {
        assert_eq!(
            changed(&Changed::Ambiguous(vec![entry("call Bob")])),
            "Which one?\n1. call Bob\n   [[file:inbox.org::*call Bob][call Bob]]\nSay it again with more of the title, or with the link."
        );
        assert_eq!(
            changed(&Changed::NotFound { near: vec![] }),
            "No entry fits. Say `find` with a word of it to search the text, too."
        );
        assert_eq!(changed(&Changed::Refused("No.".into())), "No.");
    }
}
