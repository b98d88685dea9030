//! Rules about words in Rust files: what may not be written, and the few places where it may.

use super::{
    tree::{SOURCES, Source},
    verdict,
};

/// The only files with `unsafe`.
const UNSAFE_HOMES: [&str; 2] = ["actors/kit/src/sys.rs", "protocol/link/src/sys.rs"];

/// How many lines above an `unsafe` its reason may begin.
const SAFETY_ABOVE: usize = 8;

/// Which lines a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Everything.
    All,
    /// Everything but tests.
    Product,
    /// Tests only.
    Tests,
}

/// Words that may not be written.
struct Ban {
    rule: &'static str,
    words: &'static [&'static str],
    scope: Scope,
    /// Beginnings of paths where they may.
    except: &'static [&'static str],
}

/// Clippy knows the paths behind most of these; here they also hold for what clippy does not see (macros, other
/// targets), and the message says why.
const BANS: [Ban; 11] = [
    Ban {
        rule: "No `map_err(|_| ..)`: the cause is worth keeping, in `#[source]` or as a variant of its own.",
        words: &["map_err(|_|"],
        scope: Scope::Product,
        except: &[],
    },
    Ban {
        rule: "No `#[ignore]`, no `#[should_panic]`: a test runs, and says itself what it expects.",
        words: &["#[ignore", "#[should_panic"],
        scope: Scope::All,
        except: &[],
    },
    Ban {
        rule: "Lints are silenced with `#[expect(.., reason = \"..\")]` on the smallest item, never with `allow`.",
        words: &["#[allow(", "#![allow("],
        scope: Scope::All,
        except: &[],
    },
    Ban {
        rule: "Bounded channels only: a queue without bound turns a slow reader into an out-of-memory kill.",
        words: &["unbounded_channel", "unbounded(", "mpsc::channel()"],
        scope: Scope::Product,
        except: &[],
    },
    Ban {
        rule: "No detached task: `kit::task::spawn` names it, keeps its handle and ends the process if it dies.",
        words: &["tokio::spawn(", "task::spawn_local(", "thread::spawn("],
        scope: Scope::Product,
        // A client ends with its main thread; a blocked read of the terminal must not hold it up.
        except: &["actors/kit/src/task.rs", "supervisor/ctl/"],
    },
    Ban {
        rule: "State belongs to one task; no async mutex.",
        words: &["sync::Mutex", "sync::RwLock"],
        scope: Scope::Product,
        except: &[],
    },
    Ban {
        rule: "Only the entry and ctl read the environment; an actor gets what it needs in its welcome.",
        words: &["env::var", "env::args", "env::set_var", "env::remove_var"],
        scope: Scope::Product,
        except: &["supervisor/main.rs", "supervisor/ctl/"],
    },
    Ban {
        rule: "Time is an argument; only `kit::clock` asks the system.",
        words: &["Instant::now", "SystemTime::now", "Timestamp::now", "ZonedDateTime::now", "Zoned::now"],
        scope: Scope::Product,
        except: &["actors/kit/src/clock.rs"],
    },
    Ban {
        rule: "Ordered maps: no hash, log or snapshot may depend on the order of a hash table.",
        words: &["HashMap", "HashSet"],
        scope: Scope::Product,
        except: &[],
    },
    Ban {
        rule: "Errors are enums: no `anyhow`, no `eyre`, no boxed errors.",
        words: &["anyhow", "eyre::", "Box<dyn Error", "Box<dyn std::error::Error"],
        scope: Scope::Product,
        except: &[],
    },
    Ban {
        rule: "Nothing is left to do at run time, and nothing is printed for debugging.",
        words: &["todo!(", "unimplemented!(", "dbg!("],
        scope: Scope::All,
        except: &[],
    },
];

#[test]
fn no_forbidden_word_is_written() {
    let mut report = Vec::new();
    for ban in &BANS {
        let found = SOURCES.iter().flat_map(|source| ban.breaks(source));
        let found: Vec<String> = found.collect();
        if !found.is_empty() {
            report.push(format!("{}\n    {}", ban.rule, found.join("\n    ")));
        }
    }
    verdict("Forbidden words:", &report);
}

impl Ban {
    fn breaks(&self, source: &Source) -> Vec<String> {
        if self.except.iter().any(|home| source.path.starts_with(home)) {
            return Vec::new();
        }
        let is_meant = |is_test: bool| match self.scope {
            Scope::All => true,
            Scope::Product => !is_test,
            Scope::Tests => is_test,
        };
        source
            .lines()
            .filter(|(_, line, is_test)| is_meant(*is_test) && has_any(line, self.words))
            .map(|(number, _, _)| source.place(number))
            .collect()
    }
}

fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let before = line.get(..at).and_then(|head| head.chars().next_back());
            let begins_word = word.starts_with(|c: char| c.is_alphanumeric());
            !begins_word || before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    })
}

#[test]
fn no_test_sleeps() {
    let sleeping = Ban {
        rule: "No sleeps in tests: pause the clock, or wait for a condition with a deadline, by the one polling function.",
        words: &["sleep(", "sleep_until("],
        scope: Scope::Tests,
        except: &["tests/prove/src/wait.rs"],
    };
    let broken: Vec<String> = SOURCES.iter().flat_map(|s| sleeping.breaks(s)).collect();
    verdict(sleeping.rule, &broken);
}

#[test]
fn unsafe_has_two_homes_and_a_reason_each_time() {
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        let comments: Vec<&str> = source.parts.comments.lines().collect();
        for (number, line, _) in source.lines() {
            if !has_any(line, &["unsafe "]) && !line.trim_end().ends_with("unsafe") {
                continue;
            }
            let above = comments.iter().take(number).rev().take(SAFETY_ABOVE);
            let has_reason = above.into_iter().any(|line| line.contains("SAFETY:"));
            let is_block = !line.contains("unsafe fn ");
            if !UNSAFE_HOMES.contains(&source.path) || (is_block && !has_reason) {
                broken.push(source.place(number));
            }
        }
    }
    verdict(
        "`unsafe` only in kit/src/sys.rs and link/src/sys.rs, each block with `// SAFETY:` above it.",
        &broken,
    );
}

#[test]
fn what_is_left_to_do_has_an_issue() {
    const MARKS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        for (at, line) in source.parts.comments.lines().enumerate() {
            let comment = line.trim_start();
            let is_doc = comment.starts_with("///") || comment.starts_with("//!");
            let comment = comment.trim_start_matches(['/', '!', '*', ' ']);
            let is_mark = |mark: &&str| {
                // In documentation TODO is Org's keyword, unless it is written as a mark.
                let behind = comment.strip_prefix(*mark);
                behind.is_some_and(|behind| !is_doc || behind.starts_with([':', '(']))
            };
            let issue = comment.split_once("(#").map(|(_, number)| number);
            let has_issue = issue.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
            if MARKS.iter().any(is_mark) && !has_issue {
                broken.push(source.place(at + 1));
            }
        }
    }
    verdict("`TODO` carries an issue number: `TODO(#12): ..`.", &broken);
}

#[test]
fn a_silenced_lint_says_why() {
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        let code = &source.parts.code;
        for (at, _) in code.match_indices("[expect(") {
            let attribute = code.get(at..).unwrap_or("");
            let end = attribute.find(")]").unwrap_or(attribute.len());
            let has_reason = attribute.get(..end).is_some_and(|a| a.contains("reason = "));
            if !has_reason {
                let line = code.get(..at).map_or(1, |head| head.lines().count());
                broken.push(source.place(line.max(1)));
            }
        }
    }
    verdict("`#[expect(..)]` carries a reason.", &broken);
}
