//! The bytes of a simulated device: as much memory as was written, however large the device.

use std::collections::BTreeMap;
use std::sync::Arc;

const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;

/// Pages that were written, by their index; all others are zeros. Copies share what does not change.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages(BTreeMap<u64, Arc<[u8]>>);

impl Pages {
    pub(super) fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.read_into(offset, &mut bytes);
        bytes
    }

    pub(super) fn read_into(&self, offset: u64, bytes: &mut [u8]) {
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let (index, start) = place(at);
            let count = (PAGE_BYTES - start).min(rest.len());
            let (here, behind) = rest.split_at_mut(count);
            match self.0.get(&index).and_then(|page| page.get(start..start + count)) {
                Some(part) => here.copy_from_slice(part),
                None => here.fill(0),
            }
            (at, rest) = (at + count as u64, behind);
        }
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            let (index, start) = place(offset + done as u64);
            let page = self.0.entry(index).or_insert_with(|| vec![0; PAGE_BYTES].into());
            let room = Arc::make_mut(page).get_mut(start..).unwrap_or_default();
            let count = room.len().min(rest.len());
            let (to, from) = (room.get_mut(..count).unwrap_or_default(), rest.get(..count).unwrap_or_default());
            to.copy_from_slice(from);
            done += count;
        }
    }

    /// Makes a range read as zeros.
    pub(super) fn clear(&mut self, start: u64, end: u64) {
        let whole = start.div_ceil(PAGE)..end / PAGE;
        if whole.start < whole.end {
            let mut behind = self.0.split_off(&whole.start);
            self.0.append(&mut behind.split_off(&whole.end));
        }
        // The cut pages at either end.
        let head = start.next_multiple_of(PAGE).min(end);
        let tail = (end - end % PAGE).max(head);
        for (from, to) in [(start, head), (tail, end)] {
            let (index, at) = place(from);
            let page = self.0.get_mut(&index).map(Arc::make_mut);
            if let Some(part) = page.and_then(|page| page.get_mut(at..at + (to - from) as usize)) {
                part.fill(0);
            }
        }
    }
}

/// Page index and place in the page of a byte.
fn place(at: u64) -> (u64, usize) {
    (at / PAGE, (at % PAGE) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_go() {
        let mut pages = Pages::default();
        pages.write(4000, &[7; 5000]);
        assert_eq!(pages.read(3999, 5002), [&[0][..], &[7; 5000], &[0]].concat());
        pages.clear(4001, 8999);
        assert_eq!(pages.read(4000, 5000), [&[7][..], &[0; 4998], &[7]].concat());
        pages.clear(0, 1 << 50);
        assert!(pages.0.is_empty());
    }
}
