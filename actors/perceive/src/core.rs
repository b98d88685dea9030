//! Stimulus in, percept out. It decides what kind of thing was said and never what to do about it; it must never
//! panic, and never take the principal from anything but the stimulus itself.

use crate::text;
use protocol::{
    label::Labeled,
    percept::{Percept, Sense},
    stimulus::{Event, Stimulus},
};

/// Longest name of a slash command, in characters: Telegram allows 32. What is longer is no command but a text
/// that happens to begin with a slash.
const COMMAND_NAME_MAX: usize = 32;

/// Makes a stimulus uniform.
#[must_use]
pub fn perceive(stimulus: &Stimulus) -> Percept {
    let sense = match &stimulus.event {
        Event::Message(said) => message(said),
        Event::Result { action, text } => {
            Sense::Result { action: action.clone(), text: relabel(text, text::normalised(&text.text)) }
        }
    };
    Percept {
        turn: stimulus.turn,
        depth: stimulus.depth,
        conversation: stimulus.conversation.clone(),
        principal: stimulus.principal,
        at: stimulus.at,
        sense,
    }
}

/// Tells a slash command from an utterance.
fn message(said: &Labeled) -> Sense {
    let text = text::normalised(&said.text);
    match command(&text) {
        Some((name, arguments)) => Sense::Command { arguments: relabel(said, arguments.to_owned()), name },
        None => Sense::Utterance(relabel(said, text)),
    }
}

/// Splits `/name@bot arguments`. The part behind `@` names the bot in a group and is dropped. A path such as
/// `/etc/hosts` is no command, because its name does not end at a blank.
fn command(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix('/')?;
    let (word, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (name, bot) = word.split_once('@').unwrap_or((word, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(plain)
        && name.len() <= COMMAND_NAME_MAX
        && bot.chars().all(plain);
    named.then(|| (name.to_ascii_lowercase(), arguments.trim()))
}

fn relabel(from: &Labeled, text: String) -> Labeled {
    Labeled { text, label: from.label }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::{
        id::{Name, TurnKey, WallMs},
        stimulus::Principal,
    };

    fn stimulus(event: Event) -> Stimulus {
        Stimulus {
            turn: TurnKey::from_bytes([7; 16]),
            depth: 2,
            conversation: Name::new("local:1").unwrap(),
            principal: Principal::Owner,
            at: WallMs(1_773_046_800_000),
            event,
        }
    }

    fn sense(text: &str) -> Sense {
        perceive(&stimulus(Event::Message(Labeled::from_owner(text)))).sense
    }

    fn parts(text: &str) -> (String, String) {
        match sense(text) {
            Sense::Command { name, arguments } => (name, arguments.text),
            Sense::Utterance(said) => ("-".into(), said.text),
            Sense::Result { action, .. } => panic!("a message became the result of {action}"),
        }
    }

    fn pair(name: &str, rest: &str) -> (String, String) {
        (name.into(), rest.into())
    }

    #[test]
    fn command_is_split_from_its_arguments() {
        assert_eq!(parts("/task call  the plumber\n"), pair("task", "call  the plumber"));
        assert_eq!(parts("/agenda"), pair("agenda", ""));
        assert_eq!(parts("/note\nfirst\nsecond"), pair("note", "first\nsecond"));
    }

    #[test]
    fn command_name_is_lower_cased_and_loses_the_bot() {
        assert_eq!(parts("/Agenda@my_bot tomorrow"), pair("agenda", "tomorrow"));
        assert_eq!(parts("\u{200b}/HELP"), pair("help", ""));
    }

    #[test]
    fn path_and_lone_slash_are_utterances() {
        assert_eq!(parts("/etc/hosts is broken"), pair("-", "/etc/hosts is broken"));
        assert_eq!(parts("/"), pair("-", "/"));
        assert_eq!(parts("/ note"), pair("-", "/ note"));
        assert_eq!(parts("/3 of it"), pair("-", "/3 of it"));
    }

    #[test]
    fn result_keeps_action_and_label() {
        let text = Labeled { text: "a\r\nb\u{7}".into(), label: protocol::label::Label::default() };
        let percept =
            perceive(&stimulus(Event::Result { action: "memory.search".into(), text: text.clone() }));
        assert_eq!(percept.depth, 2);
        assert_eq!(
            percept.sense,
            Sense::Result { action: "memory.search".into(), text: relabel(&text, "a\nb".into()) }
        );
    }

    proptest! {
        #[test]
        fn any_text_is_perceived_with_its_label(text in any::<String>()) {
            match sense(&text) {
                Sense::Utterance(said) => prop_assert_eq!(said.label, Labeled::from_owner("").label),
                Sense::Command { name, .. } => prop_assert!(!name.is_empty()),
                Sense::Result { .. } => prop_assert!(false, "a message became a result"),
            }
        }

        #[test]
        fn perceiving_twice_changes_nothing(text in any::<String>()) {
            if let Sense::Utterance(said) = sense(&text) {
                prop_assert_eq!(sense(&said.text), Sense::Utterance(said));
            }
        }
    }
}
