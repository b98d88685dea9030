//! A stop at every step of every protocol: the file is old or new, and asking again writes once.

use super::*;

/// Steps of the longest scenario are far below; the loop ends at the first run that is not stopped.
const STEPS_MAX: u32 = 200;

/// Runs `act` with a stop at each step; after each stop a new start must end in the same files.
fn at_every_step(files: &[(&str, &str)], before: &[ChangeRequest], act: impl Fn(&mut Home)) {
    let mut whole = Home::new(files);
    for request in before {
        whole.memory.change(request);
    }
    let old = contents(&whole);
    act(&mut whole);
    let new = contents(&whole);
    for step in 1..STEPS_MAX {
        let mut home = Home::new(files);
        for request in before {
            home.memory.change(request);
        }
        home.steps.stop_after(step);
        act(&mut home);
        let stopped = home.steps.stopped();
        let seen: Vec<_> = contents(&home).into_iter().filter(|(name, _)| !name.starts_with('.')).collect();
        for (name, text) in &seen {
            let known = old.iter().chain(&new).any(|(n, t)| n == name && t == text);
            assert!(known, "step {step}: {name} holds neither\n{text}");
        }
        home.reopen();
        assert!(!home.names().iter().any(|name| name.starts_with('.')), "step {step}");
        act(&mut home);
        assert_eq!(contents(&home), new, "step {step}");
        assert_eq!(home.memory.degraded(), "");
        if !stopped {
            return;
        }
    }
    panic!("more than {STEPS_MAX} steps");
}

fn contents(home: &Home) -> Vec<(String, String)> {
    let names = home.names().into_iter();
    names.map(|name| (name.clone(), home.read(&name))).collect()
}

#[test]
fn note_that_makes_the_inbox() {
    at_every_step(&[], &[], |home| drop(home.change(1, note("a"))));
}

#[test]
fn note_and_done_in_existing_files() {
    let files = [("inbox.org", "* old"), ("a.org", "* TODO pay\n")];
    at_every_step(&files, &[], |home| {
        drop(home.change(1, note("a")));
        drop(home.change(2, done("pay")));
    });
}

#[test]
fn undo_of_a_turn_with_two_steps() {
    let files = [("inbox.org", "* old"), ("a.org", "* TODO pay\n")];
    let before = [request(1, note("a")), ChangeRequest { step: 1, ..request(1, done("pay")) }];
    at_every_step(&files, &before, |home| drop(home.change(2, UNDO)));
}

#[test]
fn undo_that_removes_the_inbox() {
    at_every_step(&[], &[request(1, note("a"))], |home| {
        drop(home.change(2, UNDO));
    });
}

#[test]
fn rollback_of_a_turn_with_two_steps() {
    let files = [("inbox.org", "* old"), ("a.org", "* TODO pay\n")];
    let before = [request(1, note("a")), ChangeRequest { step: 1, ..request(1, done("pay")) }];
    at_every_step(&files, &before, |home| drop(home.roll_back(1)));
}

#[test]
fn rollback_after_a_stop_in_the_middle_of_a_turn_gives_the_old_files() {
    for step in 1..40 {
        let mut home = Home::new(&[("inbox.org", "* old")]);
        home.steps.stop_after(step);
        drop(home.change(1, note("a")));
        home.reopen();
        assert!(matches!(home.roll_back(1), Reply::RolledBack { .. }));
        assert_eq!(contents(&home), [("inbox.org".to_owned(), "* old".to_owned())]);
    }
}

#[test]
fn edit_between_stop_and_start_survives() {
    for step in 1..40 {
        let mut home = Home::new(&[("inbox.org", "* old\n")]);
        home.steps.stop_after(step);
        drop(home.change(1, note("the boiler hums")));
        home.edit("inbox.org", "* old\n", "* old, edited\n");
        home.reopen();
        drop(home.change(1, note("the boiler hums")));
        let text = home.read("inbox.org");
        assert!(text.starts_with("* old, edited\n"), "step {step}");
        assert_eq!(text.matches("the boiler hums").count(), 1, "step {step}: {text}");
    }
}

/// Runs `act` with an event at each step until it is done before the event; `check` sees the home after each run.
fn with_event(
    files: &[(&str, &str)],
    event: impl Fn(&Home) -> crate::crash::Event,
    act: impl Fn(&mut Home) -> Changed,
    check: impl Fn(&mut Home, &Changed),
) {
    for step in 1..STEPS_MAX {
        let mut home = Home::new(files);
        home.steps.at(step, event(&home));
        let changed = act(&mut home);
        if home.steps.pending() {
            assert!(step > 3);
            return;
        }
        check(&mut home, &changed);
        assert!(!home.names().iter().any(|name| name.starts_with('.')), "step {step}");
    }
    panic!("more than {STEPS_MAX} steps");
}

#[test]
fn edit_at_any_moment_of_a_write_survives_it() {
    let edit = |home: &Home| -> crate::crash::Event {
        let path = home.path("inbox.org");
        Box::new(move || {
            let text = fs::read_to_string(&path)?;
            fs::write(&path, text.replace("* old\n", "* old, edited\n"))
        })
    };
    let act = |home: &mut Home| home.change(1, note("the boiler hums"));
    with_event(&[("inbox.org", "* old\n")], edit, act, |home, changed| {
        assert!(matches!(changed, Changed::Written { .. }), "{changed:?}");
        let text = home.read("inbox.org");
        assert!(text.starts_with("* old, edited\n"), "{text}");
        assert_eq!(text.matches("the boiler hums").count(), 1, "{text}");
        home.undone(2, UNDO);
        assert_eq!(home.read("inbox.org"), "* old, edited\n");
    });
}

#[test]
fn full_disk_at_any_moment_leaves_the_old_or_the_new_file() {
    let full = |_: &Home| -> crate::crash::Event { Box::new(|| Err(std::io::ErrorKind::StorageFull.into())) };
    let act = |home: &mut Home| home.change(1, note("the boiler hums"));
    with_event(&[("inbox.org", "* old\n")], full, act, |home, changed| {
        let text = home.read("inbox.org");
        if let Changed::Refused(sentence) = changed {
            assert!(sentence.starts_with("The disk is full"), "{sentence}");
            assert_eq!(text, "* old\n");
        } else {
            assert!(text.contains("the boiler hums"));
        }
        home.written(1, note("the boiler hums"));
        home.reopen();
        home.written(1, note("the boiler hums"));
        assert_eq!(home.read("inbox.org").matches("the boiler hums").count(), 1);
    });
}
