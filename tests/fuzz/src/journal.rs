//! Segments of the journal. Promises: any bytes replay; every line that is a record is found again once it is framed;
//! damage never makes more records than were written, and the same bytes lead to the same state.

use supervisor::journal::replay_bytes;

/// The words of records.
pub(crate) const WORDS: &[&str] = &[
    "{\"t\":\"accepted\",",
    "{\"t\":\"done\",",
    "{\"t\":\"checkpoint\",",
    "{\"t\":\"checkpoint-end\",\"records\":",
    "\"key\":\"00000000000000010707070707070707\"",
    "\"attempt\":255",
    "\"role\":\"gateway:local\"",
    "\"at\":-1",
    "null",
    "\n",
    "\0\0\0\0",
    "\"Owner\"",
    "\"step\":0",
];

/// Takes bytes for a segment when the first is even; otherwise frames each line as a record should be.
///
/// # Panics
/// When a promise of the journal is broken.
pub fn journal(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    if choice % 2 == 0 {
        let (first, again) = (replay_bytes(rest), replay_bytes(rest));
        assert_eq!((first.1, first.2), (again.1, again.2));
        assert_eq!(format!("{:?}", first.0), format!("{:?}", again.0));
        assert!(rest.is_empty() || first.1 + first.2 > 0, "bytes that are nothing");
        return;
    }
    let (segment, lines) = segment(rest);
    let (state, records, bad) = replay_bytes(&segment);
    assert_eq!(records + bad, lines, "a framed line was lost or doubled");
    // What the state says of itself has to hold together, whatever led to it.
    assert_eq!(state.open().count(), state.open_count());
    for turn in state.open() {
        assert!(state.turn(turn.key).is_some(), "an open turn is not found");
    }
}

/// Makes a segment of lines, and says of how many.
#[must_use]
pub fn segment(lines: &[u8]) -> (Vec<u8>, u64) {
    let (mut segment, mut count) = (Vec::new(), 0);
    for line in lines.split(|byte| *byte == b'\n') {
        // The journal looks for bodies by their bracket, and writes no others.
        if line.first() == Some(&b'{') {
            frame(line, &mut segment);
            count += 1;
        }
    }
    (segment, count)
}

/// Length, checksum, body: written anew here, so that a change of the format does not pass unseen.
fn frame(body: &[u8], segment: &mut Vec<u8>) {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
    let sum = crc32c::crc32c_append(crc32c::crc32c(&length), body);
    segment.extend_from_slice(&length);
    segment.extend_from_slice(&sum.to_le_bytes());
    segment.extend_from_slice(body);
}
