//! What the machine itself can do, measured in the same run.

use crate::{
    Check,
    report::spread,
    wait::{in_ms, now},
};
use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    process::{Command, Stdio},
};

/// A round trip over a bare socketpair between two threads, 128 bytes each way: p50, p99 and most, in ms.
pub fn ping_pong(rounds: usize) -> Check<(f64, f64, f64)> {
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let echo = std::thread::spawn(move || {
        let mut bytes = [0; 128];
        while theirs.read_exact(&mut bytes).is_ok() && theirs.write_all(&bytes).is_ok() {}
    });
    let mut bytes = [7; 128];
    let mut took = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = now();
        ours.write_all(&bytes)?;
        ours.read_exact(&mut bytes)?;
        took.push(in_ms(begun.elapsed()));
    }
    drop(ours);
    drop(echo.join());
    Ok(spread(&mut took))
}

/// An append of 340 bytes with fdatasync in a folder: p50, p99 and most, in ms.
pub fn append_sync(folder: &Path, rounds: usize) -> Check<(f64, f64, f64)> {
    let path = folder.join("limit");
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path)?;
    let mut took = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = now();
        file.write_all(&[b'x'; 340])?;
        file.sync_data()?;
        took.push(in_ms(begun.elapsed()));
    }
    std::fs::remove_file(path)?;
    Ok(spread(&mut took))
}

/// A file written anew the careful way, temp, sync, rename, sync of the folder: p50, p99 and most, in ms.
pub fn replace_file(folder: &Path, bytes: usize, rounds: usize) -> Check<(f64, f64, f64)> {
    let (path, temp) = (folder.join("limit"), folder.join("limit.fresh"));
    let mut took = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = now();
        let mut file = std::fs::File::create(&temp)?;
        file.write_all(&vec![b'x'; bytes])?;
        file.sync_all()?;
        std::fs::rename(&temp, &path)?;
        std::fs::File::open(folder)?.sync_all()?;
        took.push(in_ms(begun.elapsed()));
    }
    std::fs::remove_file(path)?;
    Ok(spread(&mut took))
}

/// Fork, exec and exit of a program with its arguments: p50, p99 and most, in ms.
pub fn fork_exec(program: &Path, args: &[&str], rounds: usize) -> Check<(f64, f64, f64)> {
    let mut took = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = now();
        Command::new(program)
            .args(args)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        took.push(in_ms(begun.elapsed()));
    }
    Ok(spread(&mut took))
}
