//! Our own dialect: [`Client`] checked and made [`Said`]. Pure.

use crate::core::Said;
use protocol::{
    control::{Client, Server},
    id::Name,
    version,
};

/// Checks what a client said.
///
/// # Errors
/// The words that it gets instead of an answer.
pub fn understand(client: Client) -> Result<Said, Server> {
    match client {
        Client::Hello { major, .. } if major != version::MAJOR => {
            let why = format!(
                "this daemon speaks version {}, you speak {major}: stop it and start the new one",
                version::MAJOR
            );
            Err(Server::Error { why })
        }
        Client::Hello { conversation, .. } => Name::new(conversation)
            .map(Said::Hello)
            .map_err(|error| Server::Error { why: format!("conversation: {error}") }),
        Client::Say { message, text } => match Name::new(message.clone()) {
            Ok(message) => Ok(Said::Say { conversation: None, message, text }),
            Err(error) => Err(Server::Refused { message, why: format!("id of the message: {error}") }),
        },
        Client::Seen { turn } => {
            turn.parse().map(Said::Seen).map_err(|error| Server::Error { why: format!("turn: {error}") })
        }
        Client::Ping => Ok(Said::Ping),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hello_of_another_major_version_is_refused() {
        let hello = Client::Hello { major: version::MAJOR + 1, conversation: "c".into() };
        assert!(matches!(understand(hello), Err(Server::Error { why }) if why.contains("version")));
    }

    #[test]
    fn message_without_a_usable_id_is_refused_under_that_id() {
        let say = Client::Say { message: String::new(), text: "hi".into() };
        assert!(matches!(understand(say), Err(Server::Refused { message, .. }) if message.is_empty()));
    }

    #[test]
    fn turn_that_is_no_key_is_refused() {
        let seen = Client::Seen { turn: "xyz".into() };
        assert!(matches!(understand(seen), Err(Server::Error { .. })));
    }
}
