//! The gates: whether a step of a proposal may be done. Pure and deterministic, in a fixed order: schema, policy,
//! principal, outside, default. They must never change a proposal, and never allow what they do not know.

mod bounds;

use protocol::{
    proposal::{Action, Proposal},
    stimulus::Principal,
    verdict::{Decision, Verdict},
};

/// An explanation has more characters than this (FEATURES, policy gate).
const EXPLANATION_CHARS: usize = 10;

/// An explanation has at least this many words: "aaaaaaaaaaaa" explains nothing.
const EXPLANATION_WORDS: usize = 2;

/// What a gate objects to: a code and a sentence.
type Objection = (&'static str, String);

/// Judges a step of a proposal. `outside_allowed` says whether the settings name a double of an outside service.
#[must_use]
pub fn judge(step: u8, proposal: &Proposal, outside_allowed: bool) -> Verdict {
    let action = proposal.steps.get(usize::from(step)).map(|step| &step.action);
    let name = action.map_or("none", Action::name);
    let objection = match action {
        None => Some(("schema.step", format!("The proposal has no step {step}, so there is nothing to do."))),
        Some(action) => bounds::schema(proposal, action)
            .or_else(|| policy(&proposal.explanation))
            .or_else(|| principal(proposal.principal, action))
            .or_else(|| outside(action, outside_allowed)),
    };
    let (decision, code, sentence) = match objection {
        Some((code, sentence)) => (Decision::Deny, code.to_owned(), sentence),
        None => (Decision::Allow, format!("default.{name}"), "No gate objects.".to_owned()),
    };
    Verdict { turn: proposal.turn, step, action: name.to_owned(), decision, code, sentence }
}

/// An action needs a reason that a person can read.
fn policy(explanation: &str) -> Option<Objection> {
    let words = explanation.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    let long = explanation.trim().chars().count() > EXPLANATION_CHARS;
    (!long || words < EXPLANATION_WORDS).then(|| {
        let sentence =
            "The proposal does not explain itself: more than 10 characters in at least two words are needed.";
        ("policy.explanation", sentence.to_owned())
    })
}

/// What the program does by itself leaves the memex alone.
fn principal(principal: Principal, action: &Action) -> Option<Objection> {
    let writes = match action {
        Action::Change(_) => true,
        Action::Say(_) | Action::Recall { .. } | Action::Interrupt | Action::Status | Action::Outside(_) => {
            false
        }
    };
    match principal {
        Principal::System if writes => Some((
            "principal.system",
            "Only the owner may change the memex; this came from the program itself.".to_owned(),
        )),
        Principal::System | Principal::Owner => None,
    }
}

fn outside(action: &Action, allowed: bool) -> Option<Objection> {
    match action {
        Action::Outside(_) if !allowed => Some((
            "outside.off",
            "Nothing may be sent outside: the settings name no file for the outside double.".to_owned(),
        )),
        Action::Outside(_)
        | Action::Say(_)
        | Action::Recall { .. }
        | Action::Change(_)
        | Action::Interrupt
        | Action::Status => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{
        change::Change,
        id::{Name, TurnKey, WallMs},
        proposal::{Step, Then, examples},
    };

    fn proposal(actions: Vec<Action>) -> Proposal {
        let step = |action| Step { action, then: Then::Answer };
        Proposal {
            turn: TurnKey::from_bytes([1; 16]),
            depth: 0,
            conversation: Name::new("local:1").unwrap(),
            principal: Principal::Owner,
            at: WallMs(0),
            explanation: "The words ask to keep a note.".into(),
            steps: actions.into_iter().map(step).collect(),
        }
    }

    fn note() -> Action {
        Action::Change(Change::Note { text: "the boiler hums".into(), tags: vec![] })
    }

    fn denied(proposal: &Proposal) -> String {
        let verdict = judge(0, proposal, false);
        assert_eq!(verdict.decision, Decision::Deny);
        verdict.code
    }

    #[test]
    fn ordinary_actions_are_allowed_by_default() {
        for action in examples() {
            let code = format!("default.{}", action.name());
            let verdict = judge(0, &proposal(vec![action]), true);
            assert_eq!((verdict.decision, verdict.code), (Decision::Allow, code), "{}", verdict.sentence);
        }
    }

    #[test]
    fn step_that_does_not_exist_is_denied() {
        let verdict = judge(1, &proposal(vec![note()]), false);
        assert_eq!(verdict.code, "schema.step");
        assert_eq!((verdict.step, verdict.action.as_str()), (1, "none"));
    }

    #[test]
    fn explanation_without_meaning_is_denied() {
        for explanation in ["", "because I", "aaaaaaaaaaaaaaaa", "          \n", "------- -------"] {
            let mut proposal = proposal(vec![note()]);
            proposal.explanation = explanation.into();
            assert_eq!(denied(&proposal), "policy.explanation", "{explanation:?}");
        }
    }

    #[test]
    fn program_itself_may_read_and_not_write() {
        let mut writing = proposal(vec![note()]);
        writing.principal = Principal::System;
        assert_eq!(denied(&writing), "principal.system");
        let mut saying = proposal(vec![Action::Say("hello".into())]);
        saying.principal = Principal::System;
        assert_eq!(judge(0, &saying, false).code, "default.say");
    }

    #[test]
    fn outside_is_denied_unless_allowed() {
        let proposal = proposal(vec![Action::Outside("ping".into())]);
        assert_eq!(denied(&proposal), "outside.off");
        assert_eq!(judge(0, &proposal, true).code, "default.outside");
    }
}
