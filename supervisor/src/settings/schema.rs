//! The table of all keys: name, what is allowed, default, what a change of it needs, what it is for. Everything else is
//! made from it: checks, defaults, the example file, the comparison at a reload. A key that is not here does not exist.

use super::{
    Settings,
    reload::Needs,
    value::{Const, Field, Kind, Value},
};

/// A key of a table whose values live in a `T`.
#[derive(Debug)]
pub(super) struct Key<T> {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// `None`: it must be given.
    pub(super) default: Option<Const>,
    pub(super) needs: Needs,
    /// One sentence for the example file.
    pub(super) about: &'static str,
    pub(super) field: fn(&T) -> &dyn Field,
    pub(super) field_mut: fn(&mut T) -> &mut dyn Field,
}

impl<T> Key<T> {
    pub(super) fn set_default(&self, to: &mut T) {
        if let Some(default) = self.default {
            (self.field_mut)(to).store(&default.into());
        }
    }

    pub(super) fn set(&self, to: &mut T, value: &Value) {
        (self.field_mut)(to).store(value);
    }

    pub(super) fn get(&self, from: &T) -> Value {
        (self.field)(from).load()
    }
}

/// A row: the field, its name in the file, what is allowed, the default, what a change needs, what it is for.
macro_rules! key {
    ($($field:ident).+ => $name:literal, $kind:expr, $default:expr, $needs:expr, $about:literal) => {
        $crate::settings::schema::Key {
            name: $name,
            kind: $kind,
            default: $default,
            needs: $needs,
            about: $about,
            field: |of| &of.$($field).+,
            field_mut: |of| &mut of.$($field).+,
        }
    };
}
pub(super) use key;

/// A table of the file; the top has no name.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) keys: &'static [Key<Settings>],
}

/// Returns all tables in the order of the example file; `roles` and `faults.inject` have a shape of their own.
pub(super) fn sections() -> impl Iterator<Item = &'static Section> {
    [&TOP, &HEALTH, &RESTART, &TURN, &JOURNAL, &DRAIN, &ORPHAN].into_iter().chain([&SANDBOX, &LOG, &FAULTS])
}

/// A key of an older version and what became of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renamed {
    /// Its table.
    pub(super) section: &'static str,
    /// Its old name.
    pub(super) old: &'static str,
    /// What it is now and how its value changes, as `` `ping_ms`, in milliseconds ``.
    pub(super) now: &'static str,
}

/// Empty as long as no released version had a key that is gone.
pub(super) const RENAMED: &[Renamed] = &[];

/// Milliseconds from..=to.
const fn ms(from: u64, to: u64) -> Kind {
    Kind::Int(from, to, "ms")
}

const fn int(value: u64) -> Option<Const> {
    Some(Const::Int(value))
}

const fn text(value: &'static str) -> Option<Const> {
    Some(Const::Text(value))
}

const MINUTE: u64 = 60_000;
const HOUR: u64 = 3_600_000;
const MIB: u64 = 1024 * 1024;

const TOP: Section = Section {
    name: "",
    about: "",
    keys: &[
        key!(memex => "memex", Kind::Text, text("~/memex"), Needs::Supervisor,
            "Your folder of Org files."),
        key!(zone => "zone", Kind::Text, text(""), Needs::Actors,
            "Your time zone by its IANA name, such as Europe/Berlin; empty means the system's."),
    ],
};

const HEALTH: Section = Section {
    name: "health",
    about: "How life and death of the actors are judged.",
    keys: &[
        key!(health.ping => "ping_ms", ms(100, 10 * MINUTE), int(5_000), Needs::Nothing,
            "Between two pings."),
        key!(health.misses => "misses", Kind::Int(1, 100, "pings"), int(3), Needs::Nothing,
            "Pings without answer after which an actor counts as hung."),
        key!(health.start => "start_ms", ms(100, 10 * MINUTE), int(10_000), Needs::Nothing,
            "How long an actor may take to get ready."),
        key!(health.start_max => "start_max_ms", ms(100, HOUR), int(300_000), Needs::Nothing,
            "The same while it reports progress; not below start_ms."),
        key!(health.grace => "grace_ms", ms(0, 10 * MINUTE), int(10_000), Needs::Nothing,
            "How far past its deadline a request may be before its actor counts as hung."),
        key!(health.term => "term_ms", ms(100, 10 * MINUTE), int(5_000), Needs::Nothing,
            "From the polite signal to the one that kills."),
    ],
};

const RESTART: Section = Section {
    name: "restart",
    about: "When an actor that died is started again.",
    keys: &[
        key!(restart.ladder => "ladder_ms", Kind::Rising(16, 0, HOUR, "ms"),
            Some(Const::Ints(&[0, 250, 1_000, 4_000, 15_000, 60_000])), Needs::Nothing,
            "The delay before each start in a row; the last one repeats."),
        key!(restart.jitter_percent => "jitter_percent", Kind::Int(0, 90, "percent"), int(20), Needs::Nothing,
            "How much each delay varies at random."),
        key!(restart.healthy => "healthy_ms", ms(100, HOUR), int(60_000), Needs::Nothing,
            "After this long without trouble the delays begin anew."),
        key!(restart.degraded_after => "degraded_after", Kind::Int(1, 1_000, "deaths"), int(5), Needs::Nothing,
            "More deaths than this within the window make a role degraded."),
        key!(restart.degraded_window => "degraded_window_ms", ms(100, HOUR), int(60_000), Needs::Nothing,
            "The window."),
        key!(restart.degraded_every => "degraded_every_ms", ms(100, HOUR), int(60_000), Needs::Nothing,
            "Between the tries of a degraded role."),
    ],
};

const TURN: Section = Section {
    name: "turn",
    about: "Bounds of turns. A turn is one message and all that follows from it.",
    keys: &[
        key!(turn.depth => "depth", Kind::Int(1, 10, "steps"), int(10), Needs::Nothing,
            "How often a result may go back into the same turn."),
        key!(turn.running => "running", Kind::Int(1, 1_000, "turns"), int(32), Needs::Nothing,
            "Turns in hand at the same time."),
        key!(turn.waiting => "waiting", Kind::Int(1, 1_000_000, "turns"), int(10_000), Needs::Nothing,
            "Turns that may wait; more are refused."),
        key!(turn.retries => "retries", Kind::Int(0, 100, "tries"), int(5), Needs::Nothing,
            "Tries of a turn whose trouble may pass, before it is set aside."),
        key!(turn.deadline => "deadline_ms", ms(1_000, HOUR), int(60_000), Needs::Nothing,
            "How long one step of a turn may take."),
    ],
};

const JOURNAL: Section = Section {
    name: "journal",
    about: "The journal's files. Together they take about segments times segment_bytes, and the reserve.",
    keys: &[
        key!(journal.segment_bytes => "segment_bytes", Kind::Int(64 * 1024, 1024 * MIB, "bytes"), int(4 * MIB),
            Needs::Supervisor, "A file is sealed and the next one begun at this size."),
        key!(journal.segments => "segments", Kind::Int(2, 1_000, "files"), int(4), Needs::Supervisor,
            "Files that are kept, so that a turn can be traced."),
        key!(journal.reserve_bytes => "reserve_bytes", Kind::Int(0, 1024 * MIB, "bytes"), int(16 * MIB),
            Needs::Supervisor, "Space that is set aside and freed when the disk is full; 0 means none."),
        key!(journal.done_keys => "done_keys", Kind::Int(1_000, 10_000_000, "messages"), int(100_000),
            Needs::Supervisor, "Messages that are recognised when they come a second time."),
        key!(journal.done_days => "done_days", Kind::Int(1, 3_650, "days"), int(30), Needs::Supervisor,
            "For how many days at most."),
    ],
};

const DRAIN: Section = Section {
    name: "drain",
    about: "How long stopping may take.",
    keys: &[
        key!(drain.step => "step_ms", ms(0, HOUR), int(20_000), Needs::Nothing,
            "For the step that is in hand; not above total_ms."),
        key!(drain.total => "total_ms", ms(100, HOUR), int(45_000), Needs::Nothing,
            "For everything; keep it below the limit of your service manager."),
        key!(drain.quick => "quick_ms", ms(100, HOUR), int(2_000), Needs::Nothing,
            "For everything, when asked a second time; not above total_ms."),
    ],
};

const ORPHAN: Section = Section {
    name: "orphan",
    about: "Actors whose supervisor died.",
    keys: &[key!(orphan.wait => "wait_ms", ms(100, 10 * MINUTE), int(15_000), Needs::Nothing,
            "How long a new supervisor waits for them to finish before it kills them.")],
};

const SANDBOX: Section = Section {
    name: "sandbox",
    about: "How the actors are confined.",
    keys: &[key!(sandbox.require => "require", Kind::Bool, Some(Const::Bool(false)), Needs::Actors,
            "Whether an actor refuses to run when the kernel cannot confine it.")],
};

const LOG: Section = Section {
    name: "log",
    about: "What is logged, as JSON lines on standard error.",
    keys: &[
        key!(log.level => "level", Kind::Word(&["error", "warn", "info", "debug", "trace"]), text("info"),
            Needs::Supervisor, "The least important that is still logged."),
    ],
};

const FAULTS: Section = Section {
    name: "faults",
    about: "Faults that the actors act out, for testing. Leave this alone otherwise.",
    keys: &[key!(faults.outside => "outside", Kind::Text, text(""), Needs::Actors,
            "File that stands for an outside service; empty means none.")],
};
