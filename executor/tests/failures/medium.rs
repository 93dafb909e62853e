//! What a device keeps when it loses power: what was flushed, and of the rest a part that nobody can tell.

use btrfs_executor::device::{Operation, Recorded, SimulatedDevice};
use btrfs_planner::request::{ZoneState, Zones};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const PAGE: u64 = 4096;
/// What a write is torn at.
const SECTOR: u64 = 512;
/// Into how many pieces a discard falls apart at most.
const PIECES: u64 = 16;

/// Random numbers that are the same every time: SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// What becomes of operations that were not flushed.
#[derive(Clone, Debug)]
pub(crate) enum Unflushed {
    /// None of them has happened.
    Lost,
    /// All of them have.
    Kept,
    /// Each is lost, kept, or torn into sectors some of which are kept.
    Torn(Dice),
}

/// The bytes that a device holds for certain. Copies are cheap: pages are shared until they change.
#[derive(Clone, Debug)]
pub(crate) struct Medium {
    size: u64,
    zones: Option<Zones>,
    pages: BTreeMap<u64, Arc<[u8]>>,
}

impl Medium {
    pub(crate) fn new(size: u64, zones: Option<Zones>) -> Self {
        Self { size, zones, pages: BTreeMap::new() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn zones(&self) -> Option<&Zones> {
        self.zones.as_ref()
    }

    pub(crate) fn set_zones(&mut self, zones: Zones) {
        self.zones = Some(zones);
    }

    /// Every page that was ever written, with its place.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.pages.iter().map(|(index, page)| (index * PAGE, &page[..]))
    }

    /// The page that begins here, if it was ever written.
    pub(crate) fn page(&self, start: u64) -> Option<&[u8]> {
        self.pages.get(&(start / PAGE)).map(|page| &page[..])
    }

    /// Whether these bytes stand here.
    pub(crate) fn holds(&self, offset: u64, bytes: &[u8]) -> bool {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let within = (at % PAGE) as usize;
            let (here, behind) = rest.split_at((PAGE as usize - within).min(rest.len()));
            let same = match self.page(at - within as u64) {
                Some(page) => &page[within..within + here.len()] == here,
                None => here.iter().all(|byte| *byte == 0),
            };
            if !same {
                return false;
            }
            (at, rest) = (at + here.len() as u64, behind);
        }
        true
    }

    /// Whether a range holds nothing but zeros.
    pub(crate) fn is_zero(&self, start: u64, end: u64) -> bool {
        self.pages.range(start / PAGE..end.div_ceil(PAGE)).all(|(index, page)| {
            let place = |at: u64| (at.max(index * PAGE) - index * PAGE).min(PAGE) as usize;
            page[place(start)..place(end)].iter().all(|byte| *byte == 0)
        })
    }

    pub(crate) fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.read_into(offset, &mut bytes);
        bytes
    }

    pub(crate) fn read_into(&self, offset: u64, mut bytes: &mut [u8]) {
        let mut at = offset;
        while !bytes.is_empty() {
            let within = (at % PAGE) as usize;
            let count = (PAGE as usize - within).min(bytes.len());
            let (here, rest) = bytes.split_at_mut(count);
            match self.pages.get(&(at / PAGE)) {
                Some(page) => here.copy_from_slice(&page[within..within + count]),
                None => here.fill(0),
            }
            (at, bytes) = (at + count as u64, rest);
        }
    }

    pub(crate) fn write(&mut self, offset: u64, mut bytes: &[u8]) {
        let mut at = offset;
        while !bytes.is_empty() {
            let within = (at % PAGE) as usize;
            let count = (PAGE as usize - within).min(bytes.len());
            let page = self.pages.entry(at / PAGE).or_insert_with(|| vec![0; PAGE as usize].into());
            Arc::make_mut(page)[within..within + count].copy_from_slice(&bytes[..count]);
            (at, bytes) = (at + count as u64, &bytes[count..]);
        }
    }

    fn clear(&mut self, start: u64, end: u64) {
        let whole = start.div_ceil(PAGE)..end / PAGE;
        if whole.start < whole.end {
            let mut behind = self.pages.split_off(&whole.start);
            self.pages.append(&mut behind.split_off(&whole.end));
        }
        let head = start.next_multiple_of(PAGE).min(end);
        for (from, to) in [(start, head), ((end - end % PAGE).max(head), end)] {
            if from < to && self.pages.contains_key(&(from / PAGE)) {
                self.write(from, &vec![0; (to - from) as usize]);
            }
        }
    }

    fn sequential(&self, offset: u64) -> bool {
        let state = self.zones.as_ref().and_then(|zones| zones.state_at(offset));
        state.is_some_and(|state| state != ZoneState::Conventional)
    }

    fn zone_size(&self) -> u64 {
        self.zones.as_ref().map_or(u64::MAX, |zones| zones.size)
    }

    /// The sequential zones of a range: start and end of each.
    fn zones_in(&self, offset: u64, length: u64) -> Vec<(u64, u64)> {
        let size = self.zone_size();
        let zones = (offset / size..(offset + length).div_ceil(size)).map(|zone| (zone * size, (zone + 1) * size));
        zones.filter(|(start, _)| self.sequential(*start)).collect()
    }

    /// Does all that an operation does.
    pub(crate) fn apply(&mut self, recorded: &Recorded) {
        match recorded.operation {
            Operation::Write { offset, .. } => self.write(offset, &recorded.bytes),
            Operation::Discard { offset, length } => self.clear(offset, offset + length),
            Operation::Reset { offset, length } => {
                self.zones_in(offset, length).into_iter().for_each(|(start, end)| self.clear(start, end));
            }
            Operation::Read { .. } | Operation::Flush => {}
        }
    }

    /// Loses power behind these operations, none of which was flushed.
    pub(crate) fn lose_power(&mut self, operations: &[Recorded], unflushed: &Unflushed) {
        match unflushed {
            Unflushed::Lost => {}
            Unflushed::Kept => operations.iter().for_each(|recorded| self.apply(recorded)),
            Unflushed::Torn(dice) => self.tear(operations, &mut dice.clone()),
        }
    }

    fn tear(&mut self, operations: &[Recorded], dice: &mut Dice) {
        // A sequential zone takes nothing behind what is missing in it.
        let mut stuck = BTreeSet::new();
        for recorded in operations {
            let fate = dice.below(4);
            match recorded.operation {
                Operation::Write { offset, .. } if self.sequential(offset) => {
                    self.tear_in_order(recorded, offset, fate, &mut stuck, dice);
                }
                Operation::Write { offset, .. } => {
                    for (at, sector) in (offset..).step_by(SECTOR as usize).zip(recorded.bytes.chunks(SECTOR as usize))
                    {
                        if fate == 1 || (fate > 1 && dice.coin()) {
                            self.write(at, sector);
                        }
                    }
                }
                Operation::Discard { offset, length } => {
                    let piece = (length.div_ceil(PIECES)).next_multiple_of(PAGE);
                    for start in (offset..offset + length).step_by(piece as usize) {
                        if fate == 1 || (fate > 1 && dice.coin()) {
                            self.clear(start, (start + piece).min(offset + length));
                        }
                    }
                }
                Operation::Reset { offset, length } => {
                    for (start, end) in self.zones_in(offset, length) {
                        if fate == 1 || (fate > 1 && dice.coin()) {
                            self.clear(start, end);
                        } else {
                            stuck.insert(start);
                        }
                    }
                }
                Operation::Read { .. } | Operation::Flush => {}
            }
        }
    }

    /// A write that may go through several zones: a prefix of what falls into each of them is kept.
    fn tear_in_order(
        &mut self,
        recorded: &Recorded,
        offset: u64,
        fate: u64,
        stuck: &mut BTreeSet<u64>,
        dice: &mut Dice,
    ) {
        let size = self.zone_size();
        let mut at = offset;
        let end = offset + recorded.bytes.len() as u64;
        while at < end {
            let zone = at / size * size;
            let stop = (zone + size).min(end);
            let sectors = (stop - at).div_ceil(SECTOR);
            let kept = match fate {
                _ if stuck.contains(&zone) => 0,
                0 => 0,
                1 => sectors,
                _ => dice.below(sectors + 1),
            };
            let keep = (kept * SECTOR).min(stop - at);
            let from = (at - offset) as usize;
            self.write(at, &recorded.bytes[from..from + keep as usize]);
            if kept < sectors {
                stuck.insert(zone);
            }
            at = stop;
        }
    }

    /// A device that holds this, durably. `zones`: what its zones are said to be.
    pub(crate) fn device(&self, zones: &Option<Zones>) -> SimulatedDevice {
        let device = SimulatedDevice::new(self.size).with_recording();
        let device = match zones {
            Some(zones) => device.with_zones(zones),
            None => device,
        };
        // Neighbouring pages in one go: each call copies all that is there.
        let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
        for (start, page) in self.pages() {
            match runs.last_mut() {
                Some((first, bytes)) if *first + bytes.len() as u64 == start => bytes.extend_from_slice(page),
                _ => runs.push((start, page.to_vec())),
            }
        }
        runs.into_iter().fold(device, |device, (offset, bytes)| device.with_content(offset, &bytes))
    }
}
