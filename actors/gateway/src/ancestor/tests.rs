//! The dialect alone: frames as the ancestor, Emacs and shell scripts send them.

use super::*;
use crate::read_frames;
use proptest::prelude::*;
use protocol::id::TurnKey;

fn framed(text: &str) -> String {
    format!("{:06x}{text}", text.chars().count())
}

fn one(text: &str) -> Result<Option<Said>, Error> {
    let mut frames = read_frames(framed(text).as_bytes());
    assert_eq!(frames.len(), 1, "{frames:?}");
    frames.pop().unwrap()
}

fn said(session: &str, id: &str, text: &str) -> Said {
    Said::Say {
        conversation: Some(Name::new(session).unwrap()),
        message: Name::new(id).unwrap(),
        text: text.into(),
    }
}

#[test]
fn health_check_is_understood_in_both_forms_and_any_case() {
    for text in [
        "(:TYPE :HEALTH-CHECK)",
        "(:type :health-check)",
        "(:TYPE :REQUEST :PAYLOAD (:ACTION :HEALTH-CHECK))",
        " (:TYPE :HEALTH-CHECK :META NIL)",
    ] {
        assert_eq!(one(text), Ok(Some(Said::Ping)), "{text}");
    }
}

#[test]
fn user_input_is_a_message_of_its_session() {
    let text =
        r#"(:TYPE :EVENT :META (:SOURCE :CLI :SESSION-ID "x") :PAYLOAD (:SENSOR :USER-INPUT :TEXT "hi"))"#;
    assert_eq!(one(text), Ok(Some(said("session-x", "fresh", "hi"))));
    let text = r#"(:type :event :payload (:sensor :chat-message :id 42 :text "grüß \"dich\""))"#;
    assert_eq!(one(text), Ok(Some(said("session-default", "42", "grüß \"dich\""))));
    let text = r#"(:TYPE :EVENT :META (:ID "m-1" :SESSION-ID 7) :PAYLOAD (:TEXT "hi"))"#;
    assert_eq!(one(text), Ok(Some(said("session-7", "m-1", "hi"))));
}

#[test]
fn handshake_of_a_client_joins_its_session() {
    let text = r#"(:TYPE :EVENT :META (:SESSION-ID "x") :PAYLOAD (:ACTION :HANDSHAKE))"#;
    assert_eq!(one(text), Ok(Some(Said::Join(Name::new("session-x").unwrap()))));
}

#[test]
fn types_that_want_nothing_are_passed_over() {
    for text in ["(:TYPE :RESPONSE)", "(:TYPE :LOG :PAYLOAD (:TEXT \"x\"))", "(:TYPE :STATUS)"] {
        assert_eq!(one(text), Ok(None), "{text}");
    }
}

#[test]
fn what_is_not_understood_is_answered_with_what_to_send() {
    let cases = [
        ("(:TYPE :FROBNICATE)", Error::Type),
        ("(:PAYLOAD (:TEXT \"x\"))", Error::Type),
        ("()", Error::Type),
        ("(1 2 3)", Error::NotAPlist),
        ("(:TYPE)", Error::NotAPlist),
        ("(:TYPE :EVENT)", Error::Nothing),
        ("(:TYPE :EVENT :PAYLOAD (:TEXT 7))", Error::Nothing),
        ("(:TYPE :EVENT :PAYLOAD (:SENSOR :BUFFER-UPDATE :TEXT \"x\"))", Error::Nothing),
        ("(:TYPE :EVENT :PAYLOAD \"text\")", Error::NotAPlist),
        ("(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"echo\"))", Error::Nothing),
        ("(:TYPE :EVENT :PAYLOAD (:TEXT \"x\" :ID \"\"))", Error::Name { what: "an :ID" }),
        ("(:TYPE #.(quit))", Error::Unexpected('#')),
    ];
    for (text, error) in cases {
        assert_eq!(one(text), Err(error), "{text}");
    }
    assert_eq!(read_frames(b"000005\"abc\""), [Err(Error::NotAList)]);
    assert_eq!(read_frames(b"hello"), [Err(Error::Digits)]);
    assert_eq!(read_frames(b"ffffff(:TYPE :LOG)"), [Err(Error::TooLong { max: FRAME_MAX })]);
    assert_eq!(read_frames(b"000004(\"\xff\")"), [Err(Error::NotUtf8)]);
}

#[test]
fn length_in_characters_and_length_in_bytes_are_both_right_and_nothing_else_is() {
    let text = r#"(:TYPE :EVENT :PAYLOAD (:TEXT "größer"))"#;
    let (chars, bytes) = (text.chars().count(), text.len());
    assert_eq!(bytes, chars + 2);
    for announced in 0..bytes + 10 {
        let frames = read_frames(format!("{announced:06X}{text}").as_bytes());
        let right = announced == chars || announced == bytes;
        assert_eq!(frames.len(), 1, "{announced}");
        assert_eq!(frames[0].is_ok(), right, "{announced}: {frames:?}");
    }
}

#[test]
fn blanks_between_frames_are_skipped_and_a_wrong_length_spoils_only_its_own_frame() {
    let good = framed("(:TYPE :HEALTH-CHECK)");
    let bytes = format!("\n {good}\r\n\n000003(:TYPE :LOG){good}\n");
    let frames = read_frames(bytes.as_bytes());
    assert_eq!(frames.len(), 3);
    assert_eq!((frames[0].is_ok(), frames[1].is_ok(), frames[2].is_ok()), (true, false, true));
}

#[test]
fn list_that_does_not_end_as_announced_is_dropped_and_the_next_frame_is_read() {
    let mut splitter = Splitter::default();
    splitter.push(b"00000a(:TYPE \"hanging");
    assert_eq!(splitter.take(), Some(Err(Error::Unclosed { announced: 10 })));
    splitter.push(framed("(:TYPE :HEALTH-CHECK)").as_bytes());
    assert!(matches!(splitter.take(), Some(Ok(_))));
    assert_eq!(splitter.take(), None);
}

#[test]
fn what_is_said_has_its_length_in_characters() {
    let turn = TurnKey::none().to_string();
    let answer = Server::Answer { turn, message: String::new(), text: "größer \"als\" \\".into() };
    let said = say(&answer);
    let first = r#"(:TYPE :REQUEST :TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT "größer \"als\" \\"))"#;
    let second = "(:TYPE :STATUS :SCRIBE :IDLE :GARDENER :SLEEPING)";
    let (n, m) = (first.chars().count(), second.len());
    assert_eq!(said, format!("{n:06X}{first}{m:06X}{second}"));
    assert_eq!(
        greeting(),
        "000064(:TYPE :EVENT :PAYLOAD (:ACTION :HANDSHAKE :VERSION \"0.1.0\" :CAPABILITIES (:CHAT :HEALTH)))"
            .replace("000064", &format!("{:06X}", greeting().len() - 6))
    );
    assert!(say(&Server::Pong).ends_with("(:TYPE :HEALTH-RESPONSE :STATUS :HEALTHY :CHECKED-P T)"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        drop(read_frames(&bytes));
    }

    #[test]
    fn any_text_in_a_sound_frame_is_one_frame(text in any::<String>(), cut in 1_usize..40) {
        let frame = frame([("TYPE", Sexp::keyword("EVENT")), ("PAYLOAD", plist([("TEXT", Sexp::Text(text.clone()))]))]);
        let mut splitter = Splitter::default();
        let mut frames = Vec::new();
        for chunk in frame.as_bytes().chunks(cut) {
            splitter.push(chunk);
            while let Some(frame) = splitter.take() {
                frames.push(frame);
            }
        }
        prop_assert_eq!(frames.len(), 1);
        let fresh = Name::new("fresh").unwrap();
        let meant = understand(frames[0].as_ref().unwrap(), &fresh);
        prop_assert_eq!(meant, Ok(Some(said("session-default", "fresh", &text))));
    }

    #[test]
    fn cuts_make_no_difference_to_frames_without_faults(
        texts in proptest::collection::vec("[a-zé\"\\\\() ]{0,30}", 1..6), cut in 1_usize..20,
    ) {
        let bytes: String = texts.iter().map(|text| error(text)).collect();
        let mut splitter = Splitter::default();
        let mut count = 0;
        for chunk in bytes.as_bytes().chunks(cut) {
            splitter.push(chunk);
            while let Some(frame) = splitter.take() {
                prop_assert!(frame.is_ok());
                count += 1;
            }
        }
        prop_assert_eq!(count, texts.len());
    }
}
