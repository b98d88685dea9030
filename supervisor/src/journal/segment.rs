//! One segment: taken apart as it lies on the disk, and begun anew with a checkpoint.

use super::{
    Durability, Error, Record, State, disk,
    frame::{self, Frame, Piece},
};
use std::{io::Write, path::Path};

/// Widens a length; no file of ours is longer than a `u64` can say.
pub(super) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A segment taken apart.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    pub(super) good: Vec<Frame<'a>>,
    /// Bad places, from and to.
    pub(super) gaps: Vec<(usize, usize)>,
}

impl<'a> Survey<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut survey = Self::default();
        for piece in frame::pieces(bytes) {
            match piece {
                Piece::Good(frame) => survey.good.push(frame),
                Piece::Bad { offset, end } => survey.gaps.push((offset, end)),
            }
        }
        survey
    }

    /// Returns where the last good record ends.
    pub(super) fn good_end(&self) -> usize {
        self.good.last().map_or(0, Frame::end)
    }

    /// Returns the good records as they lay, without the gaps.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let frames = self.good.iter();
        let whole = frames.filter_map(|frame| bytes.get(frame.offset..frame.end()));
        whole.flatten().copied().collect()
    }
}

/// A segment that is complete but not in force.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) file: disk::Staged,
    /// Length of the checkpoint, which is all that is in it.
    pub(super) bytes: u64,
}

/// Stages a segment that begins with the checkpoint of a state.
pub(super) fn begin_segment(dir: &Path, number: u32, state: &State, how: Durability) -> Result<Begun, Error> {
    let name = disk::segment_name(number);
    let mut bytes = 0;
    let file = disk::stage(dir, &name, how, |writer| {
        bytes = checkpoint(state, &name, writer)?;
        Ok(())
    })?;
    Ok(Begun { file, bytes })
}

/// Writes the checkpoint of a state, record by record, because it may be larger than what one wants in memory. Returns
/// its length.
pub(super) fn checkpoint(state: &State, name: &str, to: &mut impl Write) -> Result<u64, Error> {
    let mut bytes = 0;
    let mut buffer = Vec::new();
    let mut put = |record: &Record| {
        buffer.clear();
        frame::encode(record, &mut buffer)?;
        bytes += wide(buffer.len());
        to.write_all(&buffer).map_err(Error::io("write", name))
    };
    put(&state.checkpoint())?;
    let mut records = 0;
    for record in state.history() {
        put(&record)?;
        records += 1;
    }
    put(&Record::CheckpointEnd { records })?;
    Ok(bytes)
}
