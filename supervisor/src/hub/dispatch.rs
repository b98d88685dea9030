//! Which turn runs when, and how it ends: order per conversation, conversations in parallel, background last,
//! suspects one at a time.

use super::{Hub, Phase, Then};
use crate::{
    journal::{Ending, Fate, Record},
    turn::{After, Stage, Turn},
};
use protocol::{
    id::{Name, TurnKey},
    label::Labeled,
    lifecycle::Cancel,
    limits::ANSWER_MAX,
    outcome::Nature,
    role::Role,
    route::Kind,
    snapshot,
    stimulus::{Class, Event, Stimulus},
};

/// Actors that a turn passes through: while one is missing none is started.
const PIPELINE: [Role; 4] = [Role::Memory, Role::Perceive, Role::Reason, Role::Act];

/// Tries after which a turn is set aside whatever the reason: with deaths that nobody can be charged for, a turn could
/// otherwise go round for ever.
const ATTEMPTS_MAX: u8 = 100;

impl Hub {
    pub(super) fn enqueue(&mut self, turn: Turn) {
        let key = turn.key;
        self.queues.entry(turn.conversation.clone()).or_default().push_back(key);
        self.turns.insert(key, turn);
    }

    /// Lets a turn start if it is the first of its conversation.
    pub(super) fn offer_start(&mut self, key: TurnKey) {
        let Some(turn) = self.turns.get(&key) else {
            return;
        };
        let first = self.queues.get(&turn.conversation).and_then(|queue| queue.front());
        if first == Some(&key) && turn.stage == Stage::Waiting {
            self.startable.insert((turn.class, turn.number, key));
        }
    }

    /// Starts what may start.
    pub(super) fn dispatch(&mut self) {
        if self.phase != Phase::Running || !PIPELINE.iter().all(|role| self.is_ready(*role)) {
            return;
        }
        if self.startable.is_empty() {
            return;
        }
        let mut running = self.turns.values().filter(|turn| turn.is_running()).count();
        let mut suspect = self.turns.values().any(|turn| turn.is_running() && turn.suspect);
        let candidates: Vec<_> = self.startable.iter().copied().collect();
        for (class, number, key) in candidates {
            if running >= self.config.running || (class == Class::Background && running > 0) {
                break;
            }
            let Some(turn) = self.turns.get(&key) else {
                self.startable.remove(&(class, number, key));
                continue;
            };
            if turn.suspect && suspect {
                continue;
            }
            suspect |= turn.suspect;
            running += 1;
            self.startable.remove(&(class, number, key));
            self.launch(key);
        }
    }

    fn launch(&mut self, key: TurnKey) {
        let now = self.now;
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        turn.stage = Stage::At(Role::Perceive);
        turn.since = now;
        turn.depth = 0;
        let stimulus = Stimulus {
            turn: key,
            depth: 0,
            conversation: turn.conversation.clone(),
            principal: turn.principal,
            at: turn.at,
            event: Event::Message(turn.text.clone()),
        };
        self.stimulate(key, &stimulus);
    }

    pub(super) fn stimulate(&mut self, key: TurnKey, stimulus: &Stimulus) {
        let Some(turn) = self.turns.get(&key) else {
            return;
        };
        let mut header = self.header(Kind::Stimulus, Role::Perceive);
        (header.turn, header.attempt, header.depth) = (key, turn.attempt, turn.depth);
        self.tell(header, stimulus);
    }

    /// Takes a turn out of the hands of whoever has it. What it wrote is taken back; then `after` happens. Frames of
    /// the try that ends here are stale from now on.
    pub(super) fn abort(&mut self, key: TurnKey, after: After, why: &str) {
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        let (holder, tried, wrote) = (turn.stage.clone(), turn.attempt, turn.wrote);
        turn.attempt = turn.attempt.saturating_add(1);
        turn.depth = 0;
        turn.since = self.now;
        let after = match after {
            After::Retry { .. } if tried >= ATTEMPTS_MAX => {
                After::Park { why: format!("interrupted {tried} times, last by {why}") }
            }
            other @ (After::Retry { .. } | After::Fail { .. } | After::Park { .. }) => other,
        };
        self.startable.retain(|(_, _, other)| *other != key);
        self.resting.retain(|(_, other)| *other != key);
        self.asks.retain(|_, ask| ask.header.turn != key || ask.own.is_some());
        if let Stage::At(role) = holder {
            let mut header = self.header(Kind::Cancel, role);
            header.turn = key;
            if self.seat(role).is_some_and(crate::seat::Seat::is_ready) {
                self.tell(header, &Cancel { turn: key });
            }
        }
        self.doubt_effects(key);
        if wrote {
            let ending = match &after {
                After::Fail { code, sentence } => {
                    Some(Ending { code: code.clone(), sentence: sentence.clone() })
                }
                After::Retry { .. } | After::Park { .. } => None,
            };
            let (root, why) = (String::new(), why.to_owned());
            self.append(Record::RollbackBegin { key, attempt: tried, root, why, ending });
            if let Some(turn) = self.turns.get_mut(&key) {
                turn.stage = Stage::RollingBack(after);
            }
            self.ask_rollback(key, tried);
        } else {
            self.settle(key, after);
        }
    }

    /// An effect that was announced and never reported may have happened: the owner is asked, nobody repeats it.
    pub(super) fn doubt_effects(&mut self, key: TurnKey) {
        let Some(known) = self.state.turn(key) else {
            return;
        };
        let conversation = known.conversation.clone();
        let open: Vec<(u8, String)> = known
            .steps
            .iter()
            .filter(|(_, step)| step.nature == Nature::Ambiguous && step.fate == Fate::Intended)
            .map(|(number, step)| (*number, step.action.clone()))
            .collect();
        for (step, action) in open {
            let conversation = conversation.clone();
            self.append(Record::Uncertain { key, step, action, conversation, at: self.wall });
        }
    }

    /// Asks memory to take a try back, once everything that is known of that try is durable. Memory never takes
    /// anything of that try again, so a supervisor that came back without knowing of it would give its number to a new
    /// one.
    pub(super) fn ask_rollback(&mut self, key: TurnKey, attempt: u8) {
        if self.is_ready(Role::Memory) {
            self.after_sync(Then::RollBack { key, attempt });
        }
    }

    /// The try is durable: memory is asked, unless it has been asked or has died meanwhile.
    pub(super) fn roll_back(&mut self, key: TurnKey, attempt: u8) {
        let waits = self.turns.get(&key).is_some_and(|turn| {
            matches!(turn.stage, Stage::RollingBack(_)) && turn.attempt == attempt.saturating_add(1)
        });
        let own = Some(super::Own::Rollback(key));
        let is_asked = self.asks.values().any(|ask| ask.own == own);
        if waits && !is_asked && self.is_ready(Role::Memory) {
            let request = snapshot::Request::Rollback { turn: key, attempt };
            self.ask(Kind::Snapshot, Role::Memory, key, &request, super::Own::Rollback(key));
        }
    }

    /// Memory is back: what waited for it goes on.
    pub(super) fn resume_rollbacks(&mut self) {
        let waiting: Vec<(TurnKey, u8)> = self
            .turns
            .values()
            .filter(|turn| matches!(turn.stage, Stage::RollingBack(_)))
            .map(|turn| (turn.key, turn.attempt.saturating_sub(1)))
            .collect();
        for (key, attempt) in waiting {
            self.ask_rollback(key, attempt);
        }
    }

    pub(super) fn rolled_back(&mut self, key: TurnKey, conflicts: Vec<String>) {
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        let Stage::RollingBack(after) = turn.stage.clone() else {
            return;
        };
        let attempt = turn.attempt.saturating_sub(1);
        turn.wrote = false;
        if !conflicts.is_empty() {
            let text = format!(
                "I took back what a failed request wrote, but somebody had edited it meanwhile. Theirs stays; mine lies beside, in {}.",
                conflicts.join(", ")
            );
            self.notice(&format!("conflict:{key}:{attempt}"), &text);
        }
        self.append(Record::RollbackDone { key, attempt, conflicts });
        self.settle(key, after);
    }

    fn settle(&mut self, key: TurnKey, after: After) {
        let now = self.now;
        match after {
            After::Retry { delay_ms: 0 } => {
                if let Some(turn) = self.turns.get_mut(&key) {
                    turn.stage = Stage::Waiting;
                }
                self.offer_start(key);
            }
            After::Retry { delay_ms } => {
                if let Some(turn) = self.turns.get_mut(&key) {
                    turn.stage = Stage::Resting { until: now + delay_ms };
                }
                self.resting.insert((now + delay_ms, key));
            }
            After::Fail { code, sentence } => self.finish(key, &sentence, Some(&code)),
            After::Park { why } => self.park(key, &why),
        }
    }

    /// Wakes turns whose rest is over.
    pub(super) fn wake_rested(&mut self) {
        while let Some((until, key)) = self.resting.first().copied() {
            if until > self.now {
                break;
            }
            self.resting.remove(&(until, key));
            if let Some(turn) = self.turns.get_mut(&key) {
                turn.stage = Stage::Waiting;
            }
            self.offer_start(key);
        }
    }

    /// Ends a turn with its one answer, durable before anybody hears it.
    pub(super) fn finish(&mut self, key: TurnKey, text: &str, code: Option<&str>) {
        let Some(turn) = self.turns.get(&key) else {
            return;
        };
        let mut answer = Labeled { text: cut(text), label: turn.text.label };
        answer.label.integrity = protocol::label::Integrity::Memex;
        let at = self.wall;
        match code {
            None => {
                self.counts.done += 1;
                self.append(Record::Done { key, answer, at });
            }
            Some(code) => {
                self.counts.failed += 1;
                self.append(Record::Failed { key, code: code.into(), answer, at });
            }
        }
        self.forget(key);
        self.after_sync(Then::Offer { key });
    }

    pub(super) fn park(&mut self, key: TurnKey, why: &str) {
        self.append(Record::Parked { key, why: why.into(), at: self.wall });
        self.effects.push(super::Effect::Note(format!("turn {} parked: {why}", key.short())));
        self.forget(key);
        self.tell_parked(key);
    }

    /// Takes a turn out of the queues; the next one of its conversation may start.
    pub(super) fn forget(&mut self, key: TurnKey) {
        let Some(turn) = self.turns.remove(&key) else {
            return;
        };
        self.startable.remove(&(turn.class, turn.number, key));
        self.resting.retain(|(_, other)| *other != key);
        let Some(queue) = self.queues.get_mut(&turn.conversation) else {
            return;
        };
        queue.retain(|other| *other != key);
        match queue.front().copied() {
            Some(next) => self.offer_start(next),
            None => {
                self.queues.remove(&turn.conversation);
            }
        }
    }

    /// Stops everything of a conversation but the turn that says so. Returns how many turns that were.
    pub(super) fn interrupt(&mut self, conversation: &Name, except: TurnKey) -> usize {
        let keys: Vec<TurnKey> = self
            .queues
            .get(conversation)
            .map(|queue| queue.iter().copied().filter(|key| *key != except).collect())
            .unwrap_or_default();
        let mut stopped = 0;
        for key in keys {
            let Some(turn) = self.turns.get(&key) else {
                continue;
            };
            if turn.stage == Stage::Admitting {
                continue;
            }
            let reached_out = self
                .state
                .turn(key)
                .is_some_and(|known| known.steps.values().any(|step| step.nature == Nature::Ambiguous));
            let sentence = if !turn.is_running() {
                "Stopped before it began, as you asked."
            } else if reached_out {
                "Stopped, as you asked. What it had written here is taken back; what it had begun outside may have \
                 happened: `ctl uncertain list` shows what is not known."
            } else {
                "Stopped, as you asked. What it had written is taken back."
            };
            let after = After::Fail { code: "stopped".into(), sentence: sentence.into() };
            self.abort(key, after, "stop");
            stopped += 1;
        }
        stopped
    }
}

/// Cuts an answer that is too long, with a mark.
fn cut(text: &str) -> String {
    if text.len() <= ANSWER_MAX {
        return text.to_owned();
    }
    let mut end = ANSWER_MAX - 64;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n[cut here: the answer is {} bytes long]", text.get(..end).unwrap_or(""), text.len())
}
