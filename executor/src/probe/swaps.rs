//! Reading `/proc/swaps`: which devices and files are swap.

use super::mountinfo::unescaped;
use std::path::PathBuf;

/// The paths of a swaps text: the first word of every line but the header.
pub(crate) fn parse(text: &[u8]) -> Vec<PathBuf> {
    let lines = text.split(|byte| *byte == b'\n').skip(1);
    let words = lines.filter_map(|line| line.split(|byte| byte.is_ascii_whitespace()).next());
    words.filter(|word| !word.is_empty()).map(unescaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_every_line() {
        let text = b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
            /dev/dm-1                               partition\t8388604\t\t0\t\t-2\n\
            /swap\\040file                            file\t\t1048572\t\t0\t\t-3\n";
        assert_eq!(parse(text), [PathBuf::from("/dev/dm-1"), PathBuf::from("/swap file")]);
        assert_eq!(parse(b""), Vec::<PathBuf>::new());
        assert_eq!(parse(b"Filename Type\n"), Vec::<PathBuf>::new());
    }
}
