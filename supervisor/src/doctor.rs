//! Looks at what the hub does not see: the journal's files, the kernel, the folders. Reads only.

use crate::{journal, paths::Paths};
use protocol::control::{Finding, Reply, Status};
use std::path::Path;

/// Returns the records of a turn from the journal's files.
#[must_use]
pub fn trace(paths: &Paths, turn: &str) -> Reply {
    let turn = turn.to_ascii_lowercase();
    if turn.is_empty() || !turn.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Reply::Refused {
            code: 1,
            why: format!("`{turn}` is not the beginning of a turn's key"),
            hint: "passepartout ctl snapshots".into(),
        };
    }
    match journal::trace(&paths.journal(), &turn) {
        Ok(found) if found.is_empty() => Reply::Refused {
            code: 1,
            why: format!("the journal's segments hold nothing of turn {turn}"),
            hint: "passepartout ctl snapshots".into(),
        },
        Ok(found) => {
            let line = |record: &journal::Record| serde_json::to_string(record).unwrap_or_default();
            Reply::Lines(found.iter().map(|(_, record)| line(record)).collect())
        }
        Err(error) => refused(&error),
    }
}

/// Checks every record of the journal.
#[must_use]
pub fn verify(paths: &Paths) -> Reply {
    match journal::verify(&paths.journal()) {
        Ok(report) => Reply::Lines(report.segments.iter().map(segment_line).collect()),
        Err(error) => refused(&error),
    }
}

fn segment_line(segment: &journal::SegmentReport) -> String {
    let journal::SegmentReport { file, records, records_behind, bytes, bad } = segment;
    match bad {
        None => format!("{file}: {records} records, {bytes} bytes, sound"),
        Some(at) => format!(
            "{file}: {records} records, then damaged at byte {at} of {bytes}, {records_behind} records behind it"
        ),
    }
}

fn refused(error: &journal::Error) -> Reply {
    Reply::Refused { code: 1, why: error.to_string(), hint: "passepartout ctl journal repair".into() }
}

/// Returns the resident memory of a process in KiB, 0 when it cannot be read.
#[must_use]
pub fn rss_kib(pid: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64 / 1024
}

/// Examines the whole.
#[must_use]
pub fn examine(paths: &Paths, status: &Status) -> Reply {
    let mut findings = Vec::new();
    for role in &status.roles {
        let grade = if role.actual == "ready" && role.degraded.is_empty() { "ok" } else { "bad" };
        let mut text = format!("{} ({})", role.actual, role.note);
        if !role.degraded.is_empty() {
            text = format!("{}: {}", role.actual, role.degraded);
        } else if role.actual != "ready" && !role.last_death.is_empty() {
            text = format!(
                "{}, last death: {}; `passepartout ctl tail` shows more",
                role.actual, role.last_death
            );
        }
        findings.push(finding(grade, &role.role, &text));
        if role.actual == "ready" {
            let missing = role.sandbox.contains("missing");
            let grade = if missing { "warn" } else { "ok" };
            findings.push(finding(grade, &format!("confinement of {}", role.role), &role.sandbox));
        }
    }
    findings.push(kernel());
    findings.push(cgroup());
    for (subject, path) in [("memex", &paths.memex), ("state", &paths.state)] {
        findings.push(folder(subject, path));
    }
    findings.push(match journal::verify(&paths.journal()) {
        Ok(report) if report.is_sound() => finding("ok", "journal", "every record is sound"),
        Ok(_) => finding("bad", "journal", "damaged: `passepartout ctl journal verify` shows where"),
        Err(error) => finding("bad", "journal", &error.to_string()),
    });
    findings.extend(status.notices.iter().map(|line| finding("warn", "attention", line)));
    Reply::Findings(findings)
}

fn finding(grade: &str, subject: &str, text: &str) -> Finding {
    Finding { grade: grade.into(), subject: subject.into(), text: text.into() }
}

fn kernel() -> Finding {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    finding("ok", "kernel", &format!("Linux {release}"))
}

fn cgroup() -> Finding {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"));
    match path {
        Some(path)
            if Path::new("/sys/fs/cgroup")
                .join(path.trim_start_matches('/'))
                .join("cgroup.procs")
                .exists() =>
        {
            finding(
                "ok",
                "cgroup",
                "version 2; limits of each role come from rlimits, the unit file limits the whole",
            )
        }
        _ => finding("ok", "cgroup", "version 2 is not delegated here: memory is bounded by rlimits alone"),
    }
}

fn folder(subject: &str, path: &Path) -> Finding {
    match rustix::fs::statvfs(path) {
        Ok(stat) => {
            let free = stat.f_bavail * stat.f_frsize / (1024 * 1024);
            let grade = if free < 64 { "warn" } else { "ok" };
            finding(grade, subject, &format!("{}, {free} MiB free", path.display()))
        }
        Err(error) => finding("bad", subject, &format!("{}: {error}", path.display())),
    }
}
