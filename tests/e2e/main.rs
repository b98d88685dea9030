//! Short forms of the proofs, on the binary that was just built: seconds each, one at a time because they are about
//! time. `tests/show NAME` runs the long ones.
#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test: a panic is its verdict, its figures are for the reader"
)]

mod service;

use prove::{
    Outcome, Scale, Setup,
    proof::{cases, chaos, guarantees},
    report::Row,
};

fn setup(args: &[&str]) -> Setup {
    Setup {
        binary: env!("CARGO_BIN_EXE_passepartout").into(),
        scale: Scale::Short,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    }
}

fn holds(rows: &[&Row], name: &str) {
    let row = rows.iter().find(|row| row.name == name).expect("the row is in its table");
    let _alone = prove::home::alone().expect("the lock of the proofs");
    match (row.run)(&setup(&[])) {
        Ok(Outcome::Pass(figures)) => println!("{name}: {figures}"),
        Ok(Outcome::Skip(why)) => println!("{name}: SKIPPED {why}"),
        Err(fault) => panic!("{name}: {fault}"),
    }
}

macro_rules! rows {
    ($rows:expr; $($test:ident = $name:literal),+ $(,)?) => {$(
        #[test]
        fn $test() {
            holds($rows, $name);
        }
    )+};
}

#[test]
fn nothing_is_lost_or_doubled_when_actors_are_killed_by_name() {
    let _alone = prove::home::alone().expect("the lock of the proofs");
    if let Err(fault) = (chaos::PROOF.run)(&setup(&["--points-only"])) {
        panic!("{fault}");
    }
}

#[test]
fn nothing_is_lost_or_doubled_in_a_storm() {
    let _alone = prove::home::alone().expect("the lock of the proofs");
    if let Err(fault) = (chaos::PROOF.run)(&setup(&["--storm-only"])) {
        panic!("{fault}");
    }
}

rows! { guarantees::ROWS;
    crashed_actor_is_back_and_others_are_untouched = "actor-crashes",
    exit_0_unasked_is_a_failure = "exit-0-unasked",
    frozen_actor_is_replaced = "hang-sigstop",
    spinning_actor_is_killed_and_its_turn_parked = "hang-busy-loop",
    sleeping_actor_is_killed_and_its_turn_parked = "hang-blocking-sleep",
    crash_loop_is_told_once_and_ctl_stays_quick = "crash-loop-at-boot",
    slow_start_is_waited_for = "slow-start",
    effect_under_way_is_not_doubled_by_a_dead_supervisor = "supervisor-dies",
    frozen_orphan_gives_its_lock_up = "orphan-holds-lock",
    sigterm_drains = "sigterm",
    sigint_drains = "sigint",
    second_sigterm_is_quick = "sigterm-twice",
    broken_settings_change_nothing = "sighup-broken-config",
    operator_who_goes_mid_reply_does_no_harm = "ctl-client-gone",
    actor_has_only_its_own_descriptors = "fd-leak",
    no_orphan_and_no_zombie_is_left = "zombies-orphans",
    glutton_is_parked_and_others_are_done = "out-of-memory",
    full_disk_closes_admission_and_loses_nothing = "disk-full",
    clock_may_jump = "clock-jump",
    supervisor_that_stood_still_kills_nobody = "suspend-resume",
    replaced_binary_does_not_matter = "upgrade-in-place",
    want_of_descriptors_is_survived = "emfile",
    want_of_processes_is_survived = "fork-failure",
    second_supervisor_is_refused = "two-supervisors",
    deaf_operator_holds_nobody_up = "ctl-never-reads",
    deaf_person_holds_nobody_up = "client-never-reads",
    many_uncertain_effects_are_listed = "long-lists",
}

rows! { cases::ROWS;
    f1_each_message_has_one_reply_over_restarts = "F1",
    f2_role_that_cannot_start_floods_no_log = "F2",
    f3_stopped_stays_stopped = "F3",
    f6_actors_outlive_threads = "F6",
    f9_leftover_socket_blocks_no_start = "F9",
    p1_actor_killed_mid_turn = "P1",
    p2_gateway_killed_before_handing_on = "P2",
    p6_damaged_store_is_rebuilt = "P6-memory",
    p6_torn_journal_is_mended = "P6-journal-end",
    p6_damaged_journal_stops_with_the_remedy = "P6-journal-older",
    p7_same_fault_is_not_retried_for_ever = "P7",
    p11_bad_settings_are_refused_by_name = "P11",
}
