//! The slash commands: the same words on every gateway. Data only; what they do is decided by `perceive` and `reason`.

/// A slash command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Name without the slash.
    pub name: &'static str,
    /// Its arguments, as help shows them.
    pub arguments: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
}

/// All commands, in the order of the help text.
pub const COMMANDS: [Command; 14] = [
    Command { name: "help", arguments: "[TOPIC]", summary: "what I understand" },
    Command { name: "note", arguments: "TEXT", summary: "keep a note in inbox.org" },
    Command { name: "task", arguments: "TEXT [DATE]", summary: "add a task to inbox.org" },
    Command { name: "agenda", arguments: "[DAY|week]", summary: "what is on" },
    Command { name: "tasks", arguments: "", summary: "open tasks" },
    Command { name: "search", arguments: "WORDS", summary: "find entries" },
    Command { name: "show", arguments: "ENTRY", summary: "one entry in full" },
    Command { name: "done", arguments: "ENTRY", summary: "mark a task done" },
    Command { name: "focus", arguments: "[ENTRY]", summary: "what to look at first in this conversation" },
    Command { name: "unfocus", arguments: "", summary: "leave what was taken into focus last" },
    Command { name: "backlinks", arguments: "ENTRY", summary: "entries that link to one" },
    Command { name: "memory", arguments: "", summary: "how much there is, and what is loose" },
    Command { name: "undo", arguments: "", summary: "take back what the last turn wrote" },
    Command { name: "status", arguments: "", summary: "how I am" },
];

/// The command that stops what runs; it passes everything that waits.
pub const STOP: Command =
    Command { name: "stop", arguments: "", summary: "stop what I am doing in this conversation" };

/// Says whether a text is an order to stop, which the supervisor lets pass the queue.
#[must_use]
pub fn is_stop(text: &str) -> bool {
    let text = text.trim();
    text.eq_ignore_ascii_case("/stop") || text.eq_ignore_ascii_case("stop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_is_recognised_alone_and_not_inside_a_sentence() {
        assert!(is_stop(" /STOP\n"));
        assert!(is_stop("stop"));
        assert!(!is_stop("stop the heating on Friday"));
    }
}
