//! What becomes of a proposal, step by step: judged, announced, done, reported. Pure: frames in, frames out; the one
//! thing that touches the world is handed in as [`Hands`].

use crate::{gate, present};
use jiff::{Timestamp, ZonedDateTime, tz::TimeZone};
use kit::{Outbox, Thread};
use link::{Codec, Frame};
use protocol::{
    change::{Change, ChangeRequest, Changed},
    id::TurnKey,
    label::{Confidentiality, Integrity, Label, Labeled},
    lifecycle::Nack,
    outcome::{Commit, End, Intent, Leave, Nature, Outcome, Tier},
    proposal::{Action, Proposal, Then},
    recall::{Clock, Day, Recall, Recalled},
    role::Role,
    route::Kind,
    verdict::Decision,
};
use std::collections::BTreeMap;

/// Does what cannot be undone.
pub trait Hands {
    /// Says whether the double of an outside service is there.
    fn has_outside(&self) -> bool;

    /// Tells the outside something. Called once per leave of the supervisor.
    ///
    /// # Errors
    /// When nothing was told.
    fn outside(&mut self, turn: TurnKey, text: &str) -> std::io::Result<()>;
}

/// What a job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    Leave,
    Recalled,
    Changed,
}

/// A proposal in hand.
#[derive(Debug)]
struct Job {
    thread: Thread,
    proposal: Proposal,
    step: usize,
    request: u64,
    wait: Wait,
    said: Vec<String>,
}

/// The state of `act`: nothing that would be missed after a crash, because the turn comes again.
#[derive(Debug)]
pub struct Core {
    zone: TimeZone,
    jobs: BTreeMap<TurnKey, Job>,
}

impl Core {
    /// Returns a core without work.
    #[must_use]
    pub const fn new(zone: TimeZone) -> Self {
        Self { zone, jobs: BTreeMap::new() }
    }

    /// Returns how many proposals are in hand.
    #[must_use]
    pub fn open(&self) -> usize {
        self.jobs.len()
    }

    /// Puts a turn down.
    pub fn cancel(&mut self, turn: TurnKey) {
        self.jobs.remove(&turn);
    }

    /// Handles a frame.
    pub fn message(&mut self, frame: &Frame, hands: &mut dyn Hands, out: &mut Outbox) {
        let thread = Thread::from(&frame.header);
        if frame.header.kind == Kind::Proposal {
            match frame.read::<Proposal>(Codec::INTERNAL) {
                Ok(proposal) => self.begin(thread, proposal, hands, out),
                Err(_) => out.trouble(thread, Tier::Critical, "proposal.malformed", NONSENSE),
            }
            return;
        }
        let fits = self
            .jobs
            .get(&thread.turn)
            .is_some_and(|job| job.request == frame.header.request && job.thread == thread);
        if !fits {
            return;
        }
        let Some(job) = self.jobs.remove(&thread.turn) else {
            return;
        };
        self.answered(job, frame, hands, out);
    }

    fn begin(&mut self, thread: Thread, proposal: Proposal, hands: &mut dyn Hands, out: &mut Outbox) {
        // A newer try replaces an older one: the hub has taken that out of our hands.
        self.jobs.remove(&thread.turn);
        let job = Job { thread, proposal, step: 0, request: 0, wait: Wait::Leave, said: Vec::new() };
        self.advance(job, hands, out);
    }

    /// Does steps until one has to wait or the proposal is at its end.
    fn advance(&mut self, mut job: Job, hands: &mut dyn Hands, out: &mut Outbox) {
        let Some(step) = job.proposal.steps.get(job.step).cloned() else {
            let answer = if job.said.is_empty() { "Done.".to_owned() } else { job.said.join("\n\n") };
            end(&job, End::Answer(ours(answer)), out);
            return;
        };
        let number = u8::try_from(job.step).unwrap_or(u8::MAX);
        let verdict = gate::judge(number, &job.proposal, hands.has_outside());
        let refusal = (verdict.decision != Decision::Allow).then(|| verdict.sentence.clone());
        out.tell(Kind::Verdict, Role::Supervisor, job.thread, &verdict);
        if let Some(sentence) = refusal {
            job.said.push(sentence);
            end(&job, End::Answer(ours(job.said.join("\n\n"))), out);
            return;
        }
        match step.action {
            Action::Say(text) => self.result(job, step.then, "say", text, hands, out),
            Action::Interrupt => end(&job, End::Interrupt, out),
            Action::Status => end(&job, End::Status, out),
            Action::Recall { query, .. } => {
                let conversation = job.proposal.conversation.clone();
                let recall = Recall { query, today: self.today(&job).0, conversation };
                job.wait = Wait::Recalled;
                job.request = out.ask(Kind::Recall, Role::Memory, job.thread, &recall);
                self.jobs.insert(job.thread.turn, job);
            }
            Action::Change(_) => self.announce(job, number, Nature::Reversible, out),
            Action::Outside(_) => self.announce(job, number, Nature::Ambiguous, out),
        }
    }

    /// Asks for leave; nothing is done before it comes.
    fn announce(&mut self, mut job: Job, step: u8, nature: Nature, out: &mut Outbox) {
        let action = job.action().map_or("", Action::name).to_owned();
        let intent = Intent { turn: job.thread.turn, step, action, nature };
        job.wait = Wait::Leave;
        job.request = out.ask(Kind::Intent, Role::Supervisor, job.thread, &intent);
        self.jobs.insert(job.thread.turn, job);
    }

    fn answered(&mut self, job: Job, frame: &Frame, hands: &mut dyn Hands, out: &mut Outbox) {
        if frame.header.kind == Kind::Nack {
            refused(&job, frame, out);
            return;
        }
        match job.wait {
            Wait::Leave => match frame.read::<Leave>(Codec::INTERNAL) {
                Ok(leave) => self.leave(job, leave, hands, out),
                Err(_) => nonsense(&job, out),
            },
            Wait::Recalled => match frame.read::<Recalled>(Codec::INTERNAL) {
                Ok(recalled) => {
                    let now = self.now(&job);
                    let preface = match job.action() {
                        Some(Action::Recall { preface, .. }) => preface.clone(),
                        Some(_) | None => None,
                    };
                    let text = present::recalled(&recalled, preface.as_deref(), &now);
                    self.step_done(job, text, hands, out);
                }
                Err(_) => nonsense(&job, out),
            },
            Wait::Changed => match frame.read::<Changed>(Codec::INTERNAL) {
                Ok(changed) => {
                    report(&job, "memory", out);
                    let text = present::changed(&changed);
                    self.step_done(job, text, hands, out);
                }
                Err(_) => nonsense(&job, out),
            },
        }
    }

    fn leave(&mut self, mut job: Job, leave: Leave, hands: &mut dyn Hands, out: &mut Outbox) {
        match leave {
            Leave::Committed => self.step_done(job, "That was done already.".into(), hands, out),
            Leave::Uncertain => {
                let text = "I was interrupted over this and cannot tell whether it happened, so I did not do it again. Look for yourself, then say so: `passepartout ctl uncertain list`.";
                self.step_done(job, text.into(), hands, out);
            }
            Leave::Refused => out.trouble(job.thread, Tier::Critical, "journal.closed", "I cannot write my journal (is the disk full?), so I did nothing. Free some space and ask again."),
            Leave::Go => match job.action().cloned() {
                Some(Action::Change(change)) => {
                    let request = self.change(&job, change);
                    job.wait = Wait::Changed;
                    job.request = out.ask(Kind::Change, Role::Memory, job.thread, &request);
                    self.jobs.insert(job.thread.turn, job);
                }
                Some(Action::Outside(text)) => {
                    let text = match hands.outside(job.thread.turn, &text) {
                        Ok(()) => "Told the outside.".to_owned(),
                        Err(error) => format!("The outside could not be told: {error}."),
                    };
                    report(&job, "outside", out);
                    self.step_done(job, text, hands, out);
                }
                Some(
                    Action::Say(_) | Action::Recall { .. } | Action::Interrupt | Action::Status,
                )
                | None => nonsense(&job, out),
            },
        }
    }

    fn change(&self, job: &Job, change: Change) -> ChangeRequest {
        let (today, time) = self.today(job);
        ChangeRequest {
            turn: job.thread.turn,
            attempt: job.thread.attempt,
            step: u8::try_from(job.step).unwrap_or(u8::MAX),
            conversation: job.proposal.conversation.clone(),
            at: job.proposal.at,
            today,
            time,
            change,
        }
    }

    fn step_done(&mut self, job: Job, text: String, hands: &mut dyn Hands, out: &mut Outbox) {
        let Some(step) = job.proposal.steps.get(job.step) else {
            return;
        };
        let (then, name) = (step.then, step.action.name());
        self.result(job, then, name, text, hands, out);
    }

    fn result(
        &mut self,
        mut job: Job,
        then: Then,
        action: &str,
        text: String,
        hands: &mut dyn Hands,
        out: &mut Outbox,
    ) {
        match then {
            Then::Feedback => {
                let text = Labeled { text: present::cut(text), label: MEMEX };
                end(&job, End::Feedback { action: action.into(), text }, out);
            }
            Then::Answer => {
                job.said.push(text);
                job.step += 1;
                self.advance(job, hands, out);
            }
        }
    }

    /// The time at which the turn was accepted, so that a second try gives the same dates.
    fn now(&self, job: &Job) -> ZonedDateTime {
        let at = Timestamp::from_millisecond(job.proposal.at.0).unwrap_or_default();
        at.to_zoned_datetime(self.zone.clone())
    }

    fn today(&self, job: &Job) -> (Day, Clock) {
        let now = self.now(job);
        let day = Day { year: now.year(), month: now.month(), day: now.day() };
        (day, Clock { hour: now.hour(), minute: now.minute() })
    }
}

impl Job {
    fn action(&self) -> Option<&Action> {
        self.proposal.steps.get(self.step).map(|step| &step.action)
    }
}

const NONSENSE: &str =
    "Something inside me spoke nonsense, so I stopped. This is a bug; `passepartout ctl tail` shows more.";

/// What memory says is the owner's own, but not the owner's order.
const MEMEX: Label = Label { confidentiality: Confidentiality::Normal, integrity: Integrity::Memex };

fn ours(text: String) -> Labeled {
    Labeled { text: present::cut(text), label: MEMEX }
}

fn end(job: &Job, end: End, out: &mut Outbox) {
    let outcome = Outcome { turn: job.thread.turn, depth: job.thread.depth, end };
    out.tell(Kind::Outcome, Role::Supervisor, job.thread, &outcome);
}

fn report(job: &Job, receipt: &str, out: &mut Outbox) {
    let step = u8::try_from(job.step).unwrap_or(u8::MAX);
    let commit = Commit { turn: job.thread.turn, step, receipt: receipt.into() };
    out.tell(Kind::Commit, Role::Supervisor, job.thread, &commit);
}

fn nonsense(job: &Job, out: &mut Outbox) {
    out.trouble(job.thread, Tier::Critical, "answer.malformed", NONSENSE);
}

fn refused(job: &Job, frame: &Frame, out: &mut Outbox) {
    match frame.read::<Nack>(Codec::INTERNAL) {
        // The hub has taken the turn out of our hands.
        Ok(Nack::Stale) => {}
        Ok(Nack::Gone | Nack::Timeout | Nack::Full) => {
            out.trouble(
                job.thread,
                Tier::Transient,
                "receiver.gone",
                "A part of me did not answer. Try again in a moment.",
            );
        }
        Ok(Nack::Trouble(trouble)) => {
            out.trouble(job.thread, trouble.tier, &trouble.code, &trouble.sentence);
        }
        Ok(Nack::UnknownKind(_) | Nack::Malformed | Nack::NotRouted) | Err(_) => {
            nonsense(job, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{
        envelope::Header,
        id::{Name, WallMs},
        proposal::Step,
        recall::{EntryRef, Query},
        stimulus::Principal,
    };

    struct Fake(Vec<String>);

    impl Hands for Fake {
        fn has_outside(&self) -> bool {
            true
        }
        fn outside(&mut self, _: TurnKey, text: &str) -> std::io::Result<()> {
            self.0.push(text.into());
            Ok(())
        }
    }

    const THREAD: Thread = Thread { turn: TurnKey::from_bytes([5; 16]), depth: 0, attempt: 1 };

    fn proposal(actions: Vec<Action>) -> Frame {
        let steps = actions.into_iter().map(|action| Step { action, then: Then::Answer }).collect();
        let proposal = Proposal {
            turn: THREAD.turn,
            depth: 0,
            conversation: Name::new("c").unwrap(),
            principal: Principal::Owner,
            at: WallMs(1_773_050_400_000),
            explanation: "the owner asked for this".into(),
            steps,
        };
        let mut header = Header::new(Kind::Proposal, Role::Reason, Role::Act, 1);
        (header.turn, header.attempt) = (THREAD.turn, THREAD.attempt);
        Frame::new(header, Codec::INTERNAL, &proposal).unwrap()
    }

    fn answer<T: serde::Serialize>(question: &Frame, kind: Kind, body: &T) -> Frame {
        Frame::new(question.header.answer(kind), Codec::INTERNAL, body).unwrap()
    }

    struct Bench {
        core: Core,
        hands: Fake,
        out: Outbox,
    }

    impl Bench {
        fn new() -> Self {
            let core = Core::new(TimeZone::UTC);
            Self { core, hands: Fake(Vec::new()), out: Outbox::new(Role::Act, 1) }
        }
        /// Handles a frame and returns what was said, verdicts left out.
        fn take(&mut self, frame: &Frame) -> Vec<Frame> {
            self.core.message(frame, &mut self.hands, &mut self.out);
            self.out.take().into_iter().filter(|f| f.header.kind != Kind::Verdict).collect()
        }
    }

    fn said(frames: &[Frame]) -> String {
        let last = frames.last().unwrap();
        assert_eq!(last.header.kind, Kind::Outcome);
        match last.read::<Outcome>(Codec::INTERNAL).unwrap().end {
            End::Answer(answer) => answer.text,
            other @ (End::Feedback { .. } | End::Interrupt | End::Status) => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_become_one_answer() {
        let mut bench = Bench::new();
        let out = bench.take(&proposal(vec![Action::Say("a".into()), Action::Say("b".into())]));
        assert_eq!(out.len(), 1);
        assert_eq!(said(&out), "a\n\nb");
        assert_eq!(bench.core.open(), 0);
    }

    #[test]
    fn memory_is_written_only_after_leave_and_reported_after() {
        let mut bench = Bench::new();
        let note = Change::Note { text: "x".into(), tags: vec![] };
        let asked = bench.take(&proposal(vec![Action::Change(note)]));
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].header.kind, Kind::Intent);
        let change = bench.take(&answer(&asked[0], Kind::Leave, &Leave::Go));
        assert_eq!(change[0].header.kind, Kind::Change);
        let entry = EntryRef { file: "inbox.org".into(), line: 1, path: vec!["x".into()], id: None };
        let written = Changed::Written { entry, what: "note".into() };
        let out = bench.take(&answer(&change[0], Kind::Changed, &written));
        let kinds: Vec<Kind> = out.iter().map(|f| f.header.kind).collect();
        assert_eq!(kinds, [Kind::Commit, Kind::Outcome]);
    }

    #[test]
    fn uncertain_effect_is_not_repeated() {
        let mut bench = Bench::new();
        let asked = bench.take(&proposal(vec![Action::Outside("ping".into())]));
        let out = bench.take(&answer(&asked[0], Kind::Leave, &Leave::Uncertain));
        assert!(bench.hands.0.is_empty());
        assert!(said(&out).contains("did not do it again"));
    }

    #[test]
    fn outside_is_told_once_per_leave() {
        let mut bench = Bench::new();
        let asked = bench.take(&proposal(vec![Action::Outside("ping".into())]));
        let leave = answer(&asked[0], Kind::Leave, &Leave::Go);
        assert_eq!(bench.take(&leave).len(), 2);
        assert!(bench.take(&leave).is_empty());
        assert_eq!(bench.hands.0, ["ping"]);
    }

    #[test]
    fn answer_to_an_earlier_question_is_dropped() {
        let mut bench = Bench::new();
        let query = Query::Tasks { limit: 5 };
        let asked = bench.take(&proposal(vec![Action::Recall { query: query.clone(), preface: None }]));
        bench.core.cancel(THREAD.turn);
        let late = answer(&asked[0], Kind::Recalled, &Recalled::NotFound { near: vec![] });
        assert!(bench.take(&late).is_empty());
    }

    #[test]
    fn silence_of_memory_is_transient_trouble() {
        let mut bench = Bench::new();
        let query = Query::Tasks { limit: 5 };
        let asked = bench.take(&proposal(vec![Action::Recall { query, preface: None }]));
        let out = bench.take(&answer(&asked[0], Kind::Nack, &Nack::Timeout));
        let Nack::Trouble(trouble) = out[0].read::<Nack>(Codec::INTERNAL).unwrap() else { panic!() };
        assert_eq!(trouble.tier, Tier::Transient);
    }
}
