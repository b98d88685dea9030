//! What is said about itself: help and the nearest name to a wrong one. It must never promise what is not built.

use super::catalogue::Language;
use protocol::command::{COMMANDS, STOP};

/// Returns the help text: on everything, or on a topic. `None` if there is no such topic.
pub(super) fn text(language: &Language, topic: &str) -> Option<String> {
    if topic.is_empty() {
        return Some(all(language));
    }
    let topic = topic.strip_prefix('/').unwrap_or(topic).to_lowercase();
    let found = language.topics.iter().find(|candidate| candidate.names.contains(&topic))?;
    Some(found.text.trim_matches('\n').to_owned())
}

fn all(language: &Language) -> String {
    let mut text = format!("{}\n", language.help.head);
    for command in COMMANDS.iter().chain([&STOP]) {
        let usage = format!("/{} {}", command.name, command.arguments);
        text.push_str(&format!("  {usage:<19} {}\n", command.summary));
    }
    text.push_str(language.help.natural.trim_start_matches('\n'));
    text.push('\n');
    text.push_str(&language.help.more.replace("{topics}", &topics(language)));
    text
}

/// Returns the names of the topics.
pub(super) fn topics(language: &Language) -> String {
    let names: Vec<&str> =
        language.topics.iter().filter_map(|topic| topic.names.first().map(String::as_str)).collect();
    names.join(", ")
}

/// Returns the command whose name comes nearest.
pub(super) fn nearest(name: &str) -> &'static str {
    let distance = |known: &str| strsim::damerau_levenshtein(name, known);
    COMMANDS
        .iter()
        .chain([&STOP])
        .min_by_key(|command| distance(command.name))
        .map_or(STOP.name, |command| command.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflex::catalogue::english;

    #[test]
    fn help_lists_every_command_and_topic() {
        let text = text(&english(), "").unwrap();
        for command in COMMANDS.iter().chain([&STOP]) {
            assert!(text.contains(&format!("/{}", command.name)), "{text}");
        }
        assert!(text.ends_with("show, done, undo, stop"), "{text}");
    }

    #[test]
    fn topic_goes_by_any_of_its_names() {
        let language = english();
        assert_eq!(text(&language, "/Task"), text(&language, "todo"));
        assert_eq!(text(&language, "weather"), None);
    }

    #[test]
    fn nearest_command_to_a_slip_is_found() {
        assert_eq!(nearest("agneda"), "agenda");
        assert_eq!(nearest("serach"), "search");
        assert_eq!(nearest("tsk"), "task");
    }
}
