//! What the kernel said since a moment, about some devices.

use crate::loops::concerns;
use crate::suite::Outcome;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

/// A line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 0, an emergency, over 4, a warning, to 7, for debugging.
    pub level: u8,
    /// The text.
    pub text: String,
}

/// A place in the kernel's log: what comes after it can be read.
#[derive(Debug)]
pub struct Mark {
    log: File,
}

impl Mark {
    /// The present end of the log.
    pub fn now() -> Outcome<Self> {
        let mut log = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open("/dev/kmsg")?;
        log.seek(SeekFrom::End(0))?;
        Ok(Self { log })
    }

    /// The lines since the mark or the last call that are about one of `names`, or about no block device at all.
    pub fn lines(&mut self, names: &[String]) -> Outcome<Vec<Line>> {
        let mut lines = Vec::new();
        // A read gives one record; the kernel refuses a buffer that is too small for it.
        let mut record = [0; 16384];
        loop {
            match self.log.read(&mut record) {
                Ok(length) => lines.extend(parse(&String::from_utf8_lossy(&record[..length]))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // Records between the last one read and the oldest one kept are lost: go on with what is there.
                Err(error) if error.raw_os_error() == Some(nix::libc::EPIPE) => {}
                Err(error) => return Err(error.into()),
            }
        }
        lines.retain(|line| concerns(&line.text, names));
        Ok(lines)
    }
}

/// `level,sequence,time,flags;text`, then lines of properties that start with a space.
fn parse(record: &str) -> Option<Line> {
    let (prefix, text) = record.split_once(';')?;
    let facility_and_level: u32 = prefix.split(',').next()?.parse().ok()?;
    let text = text.lines().next()?.to_owned();
    Some(Line { level: (facility_and_level & 7) as u8, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_a_level_and_a_text() {
        let line = parse("4,339,5140900,-;BTRFS warning (device loop3): odd; very\n SUBSYSTEM=block\n").unwrap();
        assert_eq!(line, Line { level: 4, text: "BTRFS warning (device loop3): odd; very".to_owned() });
        assert_eq!(parse("30,1,2,-;daemon").unwrap().level, 6);
    }
}
