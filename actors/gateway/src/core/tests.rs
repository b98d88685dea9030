//! The core alone, with a made-up clock.

use super::*;
use protocol::{role::Role, route::Kind};

const A: ClientId = ClientId(1);
const B: ClientId = ClientId(2);

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn key(n: u8) -> TurnKey {
    TurnKey::from_bytes([n; 16])
}

fn question(n: u64) -> Header {
    let mut header = Header::new(Kind::Deliver, Role::Supervisor, Role::GatewayLocal, 1);
    header.request = n;
    header
}

fn answer(n: u8) -> Event {
    let deliver = Deliver {
        turn: key(n),
        conversation: name("local"),
        message: Some(name("m")),
        text: Labeled::from_owner("done"),
    };
    Event::Deliver(question(u64::from(n)), deliver)
}

fn say(text: &str) -> Said {
    Said::Say { conversation: None, message: name("m"), text: text.into() }
}

/// A core with these clients in the conversation `local`.
fn core(clients: &[ClientId]) -> Core {
    let mut core = Core::default();
    for client in clients {
        drop(core.handle(Event::Came(*client), 0));
        drop(core.handle(Event::Heard(*client, Said::Hello(name("local"))), 0));
    }
    core
}

fn told(effects: &[Effect]) -> Vec<ClientId> {
    let client = |effect: &Effect| match effect {
        Effect::Say(client, Server::Answer { .. }) => Some(*client),
        Effect::Say(..) | Effect::Attach(_) | Effect::Admit(..) | Effect::Delivered(..) => None,
    };
    effects.iter().filter_map(client).collect()
}

#[test]
fn hello_is_welcomed_and_the_supervisor_hears_of_it() {
    let mut core = Core::default();
    drop(core.handle(Event::Came(A), 0));
    let effects = core.handle(Event::Heard(A, Said::Hello(name("c"))), 0);
    assert!(matches!(&effects[0], Effect::Say(A, Server::Welcome { .. })));
    assert_eq!(effects[1], Effect::Attach(name("c")));
}

#[test]
fn message_is_admitted_and_its_client_told_the_turn_however_often_it_comes() {
    let mut core = core(&[A]);
    for admission in [Admission::Accepted(key(7)), Admission::Pending(key(7)), Admission::Done(key(7))] {
        let effects = core.handle(Event::Heard(A, say("hi")), 0);
        let [Effect::Admit(ticket, admit)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!((admit.principal, admit.conversation.as_str()), (Principal::Owner, "local"));
        let effects = core.handle(Event::Admitted(*ticket, admission), 0);
        let accepted = Server::Accepted { message: "m".into(), turn: key(7).to_string() };
        assert_eq!(effects, [Effect::Say(A, accepted)]);
    }
}

fn refusal(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Say(A, Server::Refused { message, why })] if message == "m" => why,
        _ => panic!("{effects:?}"),
    }
}

#[test]
fn message_that_is_not_taken_comes_back_with_the_sentence() {
    let mut one = core(&[A]);
    let long = "x".repeat(TEXT_MAX + 1);
    let effects = one.handle(Event::Heard(A, say(&long)), 0);
    assert_eq!(refusal(&effects), Refusal::TooLong.sentence());

    drop(one.handle(Event::Heard(A, say("hi")), 0));
    let effects = one.handle(Event::Admitted(1, Admission::Refused(Refusal::Journal)), 0);
    assert_eq!(refusal(&effects), Refusal::Journal.sentence());

    drop(one.handle(Event::Heard(A, say("hi")), 0));
    assert!(refusal(&one.handle(Event::NotAdmitted(2), 0)).contains("again"));

    one.drain();
    let effects = one.handle(Event::Heard(A, say("hi")), 0);
    assert_eq!(refusal(&effects), Refusal::Draining.sentence());
}

#[test]
fn message_before_hello_is_refused() {
    let mut core = Core::default();
    drop(core.handle(Event::Came(A), 0));
    assert!(refusal(&core.handle(Event::Heard(A, say("hi")), 0)).contains("hello"));
}

#[test]
fn answer_is_confirmed_by_the_first_client_that_has_seen_it() {
    let mut core = core(&[A, B]);
    assert_eq!(told(&core.handle(answer(1), 0)), [A, B]);
    let effects = core.handle(Event::Heard(B, Said::Seen(key(1))), 10);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Confirmed)]);
    assert_eq!(core.handle(Event::Heard(A, Said::Seen(key(1))), 20), []);
}

#[test]
fn answer_for_nobody_is_absent_at_once() {
    let absent = [Effect::Delivered(question(1), Delivered::Absent)];
    assert_eq!(core(&[]).handle(answer(1), 0), absent);
    let mut elsewhere = Core::default();
    drop(elsewhere.handle(Event::Heard(A, Said::Hello(name("other"))), 0));
    assert_eq!(elsewhere.handle(answer(1), 0), absent);
}

#[test]
fn answer_that_nobody_confirms_is_absent_after_five_seconds_and_not_before() {
    let mut core = core(&[A]);
    drop(core.handle(answer(1), 100));
    assert_eq!(core.due(), Some(100 + CONFIRM_MS));
    assert_eq!(core.handle(Event::Tick, 99 + CONFIRM_MS), []);
    let effects = core.handle(Event::Tick, 100 + CONFIRM_MS);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Absent)]);
    assert_eq!((core.due(), core.open()), (None, 0));
}

#[test]
fn answer_is_absent_when_its_last_client_goes() {
    let mut core = core(&[A, B]);
    drop(core.handle(answer(1), 0));
    assert_eq!(core.handle(Event::Left(A), 1), []);
    let effects = core.handle(Event::Left(B), 1);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Absent)]);
}

#[test]
fn answer_written_to_a_client_that_cannot_confirm_is_unknown() {
    let mut core = core(&[A]);
    drop(core.handle(answer(1), 0));
    let effects = core.handle(Event::Written(A, key(1)), 1);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Unknown)]);
}

#[test]
fn confirmation_is_waited_for_beside_a_client_that_cannot_confirm() {
    let mut one = core(&[A, B]);
    drop(one.handle(answer(1), 0));
    assert_eq!(one.handle(Event::Written(A, key(1)), 1), []);
    let effects = one.handle(Event::Heard(B, Said::Seen(key(1))), 2);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Confirmed)]);

    let mut two = core(&[A, B]);
    drop(two.handle(answer(1), 0));
    assert_eq!(two.handle(Event::Written(A, key(1)), 1), []);
    let effects = two.handle(Event::Left(B), 2);
    assert_eq!(effects, [Effect::Delivered(question(1), Delivered::Unknown)]);
}

#[test]
fn client_that_comes_while_an_answer_is_on_its_way_gets_it_too() {
    let mut core = core(&[A]);
    drop(core.handle(answer(1), 0));
    let effects = core.handle(Event::Heard(B, Said::Hello(name("local"))), 1);
    assert_eq!(told(&effects), [B]);
}

#[test]
fn a_hundred_answers_reach_a_client_a_window_at_a_time() {
    let mut core = core(&[A]);
    let mut seen = 0;
    let mut waiting = 0;
    for n in 0..100 {
        waiting += told(&core.handle(answer(n), 0)).len();
    }
    assert_eq!(waiting, UNCONFIRMED_MAX);
    for n in 0..100 {
        let effects = core.handle(Event::Heard(A, Said::Seen(key(n))), 1);
        seen +=
            usize::from(effects.contains(&Effect::Delivered(question(u64::from(n)), Delivered::Confirmed)));
        waiting = waiting + told(&effects).len() - 1;
        assert!(waiting <= UNCONFIRMED_MAX);
    }
    assert_eq!((seen, core.open()), (100, 0));
}

#[test]
fn answer_to_its_own_message_does_not_wait_behind_old_ones_that_it_leaves_unconfirmed() {
    let mut core = core(&[A]);
    for n in 0..40 {
        let Event::Deliver(question, mut deliver) = answer(n) else { panic!("no delivery") };
        deliver.message = Some(name("old"));
        drop(core.handle(Event::Deliver(question, deliver), 0));
    }
    drop(core.handle(Event::Heard(A, say("hi")), 1));
    assert_eq!(told(&core.handle(answer(50), 2)), [A]);
}

/// Found by `tests/show chaos`: `ask` heard nothing when its answer had come before it said its message again.
#[test]
fn answer_that_came_before_its_message_was_said_again_is_told_then() {
    let mut core = core(&[A]);
    for n in 0..40 {
        let Event::Deliver(question, mut deliver) = answer(n) else { panic!("no delivery") };
        deliver.message = Some(name("old"));
        drop(core.handle(Event::Deliver(question, deliver), 0));
    }
    assert_eq!(told(&core.handle(answer(50), 1)), []);
    assert_eq!(told(&core.handle(Event::Heard(A, say("hi")), 2)), [A]);
}

#[test]
fn client_that_confirms_nothing_still_gets_what_comes_after_the_deadline() {
    let mut core = core(&[A]);
    for n in 0..20 {
        drop(core.handle(answer(n), 0));
    }
    let effects = core.handle(Event::Tick, CONFIRM_MS);
    let absent = effects.iter().filter(|e| matches!(e, Effect::Delivered(_, Delivered::Absent)));
    assert_eq!(absent.count(), 20);
    assert_eq!(told(&core.handle(answer(30), CONFIRM_MS + 1)), [A]);
}

#[test]
fn session_named_with_a_message_is_joined_once_and_not_without_end() {
    let mut core = Core::default();
    drop(core.handle(Event::Came(A), 0));
    let say = |session: &str| Said::Say {
        conversation: Some(name(session)),
        message: name("m"),
        text: "hi".into(),
    };
    let effects = core.handle(Event::Heard(A, say("session-1")), 0);
    assert!(matches!(&effects[..], [Effect::Attach(_), Effect::Admit(..)]));
    let effects = core.handle(Event::Heard(A, say("session-1")), 0);
    assert!(matches!(&effects[..], [Effect::Admit(..)]));
    for n in 2..=16 {
        drop(core.handle(Event::Heard(A, say(&format!("session-{n}"))), 0));
    }
    assert!(refusal(&core.handle(Event::Heard(A, say("session-17")), 0)).contains("sessions"));
}

#[test]
fn health_is_answered_whatever_is_on_its_way() {
    let mut core = core(&[A]);
    drop(core.handle(Event::Heard(A, say("hi")), 0));
    drop(core.handle(answer(1), 0));
    core.drain();
    assert_eq!(core.handle(Event::Heard(A, Said::Ping), 0), [Effect::Say(A, Server::Pong)]);
}
