//! What a sparse file holds, and where.

use crate::suite::Outcome;
use nix::errno::Errno;
use nix::unistd::{Whence, lseek};
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A range of a file that its filesystem has stored, and a digest of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// Of the content.
    pub digest: u64,
}

/// The stored ranges of a file, ascending. What is between them reads as zeros and takes no room.
pub fn extents(path: &Path) -> Outcome<Vec<Extent>> {
    let file = File::open(path)?;
    let mut found = Vec::new();
    let mut place = 0;
    loop {
        let start = match lseek(&file, place, Whence::SeekData) {
            Ok(start) => start,
            Err(Errno::ENXIO) => return Ok(found),
            Err(error) => return Err(error.into()),
        };
        place = lseek(&file, start, Whence::SeekHole)?;
        let (start, end) = (start.try_into()?, place.try_into()?);
        found.push(Extent { start, end, digest: digest(&file, start, end)? });
    }
}

fn digest(file: &File, start: u64, end: u64) -> Outcome<u64> {
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 1 << 20];
    let mut place = start;
    while place < end {
        let wanted = buffer.len().min(usize::try_from(end - place)?);
        file.read_exact_at(&mut buffer[..wanted], place)?;
        hasher.write(&buffer[..wanted]);
        place += wanted as u64;
    }
    Ok(hasher.finish())
}

/// Whether two files of one size hold the same bytes, wherever they are sparse; if not, where they first differ.
pub fn first_difference(left: &Path, right: &Path) -> Outcome<Option<u64>> {
    let (left_file, right_file) = (File::open(left)?, File::open(right)?);
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for path in [left, right] {
        ranges.extend(extents(path)?.into_iter().map(|extent| (extent.start, extent.end)));
    }
    ranges.sort_unstable();
    let (mut left_buffer, mut right_buffer) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    for (start, end) in ranges {
        let mut place = start;
        while place < end {
            let wanted = left_buffer.len().min(usize::try_from(end - place)?);
            left_file.read_exact_at(&mut left_buffer[..wanted], place)?;
            right_file.read_exact_at(&mut right_buffer[..wanted], place)?;
            if let Some(index) = (0..wanted).find(|index| left_buffer[*index] != right_buffer[*index]) {
                return Ok(Some(place + index as u64));
            }
            place += wanted as u64;
        }
    }
    Ok(None)
}

/// Fills a range of a file with bytes that are not zero and look like no signature.
pub fn fill(path: &Path, start: u64, length: u64) -> Outcome {
    let file = File::options().write(true).open(path)?;
    let block = vec![0xa5; 1 << 20];
    let mut place = start;
    while place < start + length {
        let wanted = block.len().min(usize::try_from(start + length - place)?);
        file.write_all_at(&block[..wanted], place)?;
        place += wanted as u64;
    }
    file.sync_all()?;
    Ok(())
}

/// Every file in a folder, by name: its path, its length and its stored ranges. Whatever changes one of them shows.
pub fn files(folder: &Path) -> Outcome<Vec<(PathBuf, u64, Vec<Extent>)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push((entry.path(), entry.metadata()?.len(), extents(&entry.path())?));
        }
    }
    files.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::{scratch, sparse_file};

    #[test]
    fn data_holes_and_differences_are_found() {
        let folder = scratch().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for path in [&one, &two] {
            sparse_file(path, 64 << 20).unwrap();
            fill(path, 8 << 20, 4096).unwrap();
        }
        let found = extents(&one).unwrap();
        assert_eq!(
            found.iter().map(|extent| (extent.start, extent.end)).collect::<Vec<_>>(),
            [(8 << 20, (8 << 20) + 4096)]
        );
        assert_eq!(found, extents(&two).unwrap());
        assert_eq!(first_difference(&one, &two).unwrap(), None);
        // Stored zeros are the same bytes as a hole.
        File::options().write(true).open(&two).unwrap().write_all_at(&[0; 8192], 1 << 20).unwrap();
        assert_eq!(first_difference(&one, &two).unwrap(), None);
        assert_ne!(extents(&one).unwrap(), extents(&two).unwrap());
        File::options().write(true).open(&two).unwrap().write_all_at(&[1], (1 << 20) + 7).unwrap();
        assert_eq!(first_difference(&one, &two).unwrap(), Some((1 << 20) + 7));
    }
}
