//! Random changes to a plan: to the bytes of its blocks, with checksums mended, and to the document's fields and lists.

use crate::survivors;
use crate::{Verdict, edit, judge};
use btrfs_planner::Plan;
use serde_json::Value;
use std::collections::BTreeMap;

/// Numbers that look random: SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// How all of it came out.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) made: u64,
    pub(crate) refused: u64,
    pub(crate) found: u64,
    /// By reason.
    pub(crate) excused: BTreeMap<&'static str, u64>,
    /// By what was changed, with an example.
    pub(crate) survivors: BTreeMap<String, (u64, String)>,
    /// The first code of each report, by how often.
    pub(crate) codes: BTreeMap<&'static str, u64>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.made += other.made;
        self.refused += other.refused;
        self.found += other.found;
        for (into, from) in [(&mut self.excused, other.excused), (&mut self.codes, other.codes)] {
            for (name, count) in from {
                *into.entry(name).or_default() += count;
            }
        }
        for (what, (count, example)) in other.survivors {
            self.survivors.entry(what).or_insert((0, example)).0 += count;
        }
    }
}

/// A plan, and what a change can pick from.
struct Subject {
    name: &'static str,
    plan: Plan,
    document: Value,
    /// Pointers to every field that is no list and no object, by part of the document.
    fields: Vec<Vec<String>>,
    /// Pointers to every list that is not empty.
    lists: Vec<Vec<String>>,
}

/// Parts of the document, as often as they are to be picked.
const PARTS: [&str; 12] = [
    "devices",
    "devices",
    "devices",
    "devices",
    "chunks",
    "chunks",
    "blocks",
    "blocks",
    "filesystem",
    "filesystem",
    "statistics",
    "other",
];

impl Subject {
    fn new(name: &'static str, plan: &Plan) -> Self {
        let mut document = serde_json::to_value(plan).unwrap();
        document.as_object_mut().unwrap().remove("seal");
        let (mut fields, mut lists) = (vec![Vec::new(); PARTS.len()], vec![Vec::new(); PARTS.len()]);
        let mut all = (Vec::new(), Vec::new());
        collect(&document, String::new(), &mut all);
        for (from, into) in [(all.0, &mut fields), (all.1, &mut lists)] {
            for pointer in from {
                let part = pointer.split('/').nth(1).unwrap_or_default();
                let known = PARTS.contains(&part);
                let wanted = PARTS.iter().enumerate().filter(|(_, name)| **name == if known { part } else { "other" });
                wanted.for_each(|(index, _)| into[index].push(pointer.clone()));
            }
        }
        Self { name, plan: plan.clone(), document, fields, lists }
    }
}

fn collect(value: &Value, pointer: String, found: &mut (Vec<String>, Vec<String>)) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| collect(value, format!("{pointer}/{name}"), found))
        }
        Value::Array(elements) => {
            if !elements.is_empty() {
                found.1.push(pointer.clone());
            }
            (0..)
                .zip(elements)
                .for_each(|(index, value): (usize, _)| collect(value, format!("{pointer}/{index}"), found));
        }
        _ => found.0.push(pointer),
    }
}

/// Makes `count` mutations on all processors.
pub(crate) fn run(plans: &[(&'static str, Plan)], seed: u64, count: u64) -> Tally {
    let subjects: Vec<Subject> = plans.iter().map(|(name, plan)| Subject::new(name, plan)).collect();
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let subjects = &subjects;
    std::thread::scope(|scope| {
        let work = |thread| {
            move || {
                let mut tally = Tally::default();
                for number in (thread..count).step_by(threads as usize) {
                    one(&subjects[(number % subjects.len() as u64) as usize], seed, number, &mut tally);
                }
                tally
            }
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        let mut tally = Tally::default();
        threads.into_iter().for_each(|thread| tally.add(thread.join().unwrap()));
        tally
    })
}

/// A changed plan, or none where the document has no such shape; and what was changed.
type Change = (Option<Plan>, String);

fn one(subject: &Subject, seed: u64, number: u64, tally: &mut Tally) {
    let mut random = Random(seed.wrapping_mul(0x0100_0000_01b3) ^ number);
    // What changes nothing is no mutation.
    let (plan, what) = loop {
        let change = match random.below(10) {
            0..3 => bytes(subject, &mut random),
            3..8 => field(subject, &mut random),
            _ => list(subject, &mut random),
        };
        match &change.0 {
            Some(plan) if *plan == Plan { seal: plan.seal, ..subject.plan.clone() } => {}
            _ => break change,
        }
    };
    tally.made += 1;
    let Some(plan) = plan else {
        tally.refused += 1;
        return;
    };
    let example = plan.clone();
    match judge(plan) {
        Verdict::Refused(_) => tally.refused += 1,
        Verdict::Found(findings) => {
            tally.found += 1;
            *tally.codes.entry(findings[0].code.name()).or_default() += 1;
        }
        Verdict::Survived => match survivors::reason(&subject.plan, &example, &what) {
            Some(reason) => *tally.excused.entry(reason).or_default() += 1,
            None => {
                let entry = tally.survivors.entry(generic(&what)).or_insert((0, String::new()));
                entry.0 += 1;
                entry.1 = format!("{what} of '{}' (number {number})", subject.name);
            }
        },
    }
}

/// A pointer without the places in lists, so that like changes are one kind.
pub(crate) fn generic(what: &str) -> String {
    let part = |part: &str| {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            "*".to_string()
        } else {
            part.to_string()
        }
    };
    let pointer = what.split(' ').next().unwrap_or(what);
    let rest = &what[pointer.len()..];
    let rest = rest.split('=').next().unwrap_or(rest);
    pointer.split('/').map(part).collect::<Vec<_>>().join("/") + rest
}

/// Bytes of a block or superblock: in all copies, or in one.
fn bytes(subject: &Subject, random: &mut Random) -> Change {
    let mut plan = subject.plan.clone();
    let superblocks: Vec<u32> =
        plan.devices.iter().flat_map(|device| device.commit.iter().map(|write| write.payload)).collect();
    let is_superblock = random.below(5) == 0;
    let index = if is_superblock { *random.of(&superblocks) } else { random.of(&plan.blocks).payload };
    let one_copy = !is_superblock && random.below(4) == 0;
    let index = if one_copy { edit::split_copy(&mut plan, index) } else { index };
    let old = plan.payloads[index as usize].expand().unwrap();
    let count = 1 + random.below(3);
    // Half of the changes go where there is something.
    let full: Vec<usize> = (32..old.len()).filter(|at| old[*at] != 0).collect();
    let mut changes = Vec::new();
    for _ in 0..count {
        let at = if random.below(2) == 0 { *random.of(&full) } else { 32 + random.below(old.len() - 32) };
        let value = match random.below(4) {
            0 => old[at].wrapping_add(1),
            1 => old[at].wrapping_sub(1),
            2 => old[at] ^ 1 << random.below(8),
            _ => random.below(256) as u8,
        };
        changes.push((at, value));
    }
    let apply = |bytes: &mut [u8]| changes.iter().for_each(|(at, value)| bytes[*at] = *value);
    if is_superblock && random.below(2) == 0 {
        // The same change in all of them.
        superblocks.iter().for_each(|index| edit::payload(&mut plan, *index, apply));
    } else {
        edit::payload(&mut plan, index, apply);
    }
    let new = plan.payloads[index as usize].expand().unwrap();
    if new[32..] == old[32..] {
        return (Some(subject.plan.clone()), String::new());
    }
    let differing: Vec<usize> = (32..old.len()).filter(|at| old[*at] != new[*at]).collect();
    let kind = match (is_superblock, one_copy) {
        (true, _) => "superblock",
        (false, true) => "block copy",
        (false, false) => "block",
    };
    let tree = plan.blocks.iter().find(|block| block.payload == index).map_or("", |block| &block.tree);
    let mut what = format!("bytes of a {kind} {tree}");
    if !is_superblock {
        differing.iter().for_each(|at| what.push_str(&format!(" {}", survivors::field_at(&old, *at))));
    }
    what.push_str(&format!("={differing:?}"));
    (Some(plan), what)
}

/// One field of the document.
fn field(subject: &Subject, random: &mut Random) -> Change {
    let fields = random.of(&subject.fields);
    if fields.is_empty() {
        return (Some(subject.plan.clone()), String::new());
    }
    let pointer = random.of(fields);
    let mut document = subject.document.clone();
    let part = random.below(PARTS.len());
    let other = random.of(random_fields(subject, part));
    let other = subject.document.pointer(other).cloned().unwrap_or_default();
    let value = document.pointer_mut(pointer).unwrap();
    let before = value.clone();
    *value = match &before {
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            match random.below(11) {
                0 => number.wrapping_add(1).into(),
                1 => number.wrapping_sub(1).into(),
                2 => (number ^ 1 << random.below(48)).into(),
                3 => 0.into(),
                4 => number.wrapping_add(4096).into(),
                5 => number.wrapping_sub(4096).into(),
                6 => number.wrapping_add(65536).into(),
                7 => number.wrapping_sub(512).into(),
                8 => number.wrapping_mul(2).into(),
                9 => random.next().into(),
                _ => other,
            }
        }
        Value::String(text) => match random.below(4) {
            0 => other,
            1 => "".into(),
            _ => changed(text, random).into(),
        },
        Value::Bool(flag) => (!flag).into(),
        _ => other,
    };
    let after = value.to_string();
    (serde_json::from_value(with_seal(document)).ok(), format!("{pointer} changed={before} to {after}"))
}

fn random_fields(subject: &Subject, part: usize) -> &[String] {
    subject.fields.iter().cycle().skip(part).find(|fields| !fields.is_empty()).unwrap()
}

/// A text with another character somewhere.
fn changed(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let new = *random.of(&['0', '1', '7', 'a', 'b', 'f', 'x', 'A', '-', '/']);
    match characters.len() {
        0 => characters.push(new),
        length => characters[random.below(length)] = new,
    }
    characters.into_iter().collect()
}

/// One list of the document: an element less, once more, elsewhere, or in another list.
fn list(subject: &Subject, random: &mut Random) -> Change {
    let lists = random.of(&subject.lists);
    if lists.is_empty() {
        return (Some(subject.plan.clone()), String::new());
    }
    let pointer = random.of(lists);
    let mut document = subject.document.clone();
    let elements = document.pointer_mut(pointer).and_then(Value::as_array_mut).unwrap();
    let (at, to) = (random.below(elements.len()), random.below(elements.len()));
    let operation = match random.below(5) {
        0 => {
            elements.remove(at);
            "less"
        }
        1 => {
            let element = elements[at].clone();
            elements.insert(to, element);
            "twice"
        }
        2 => {
            elements.swap(at, to);
            "swapped"
        }
        3 => {
            let element = elements.remove(at);
            elements.insert(to, element);
            "moved"
        }
        _ => {
            let element = elements.remove(at);
            let other = random.of(lists);
            let others = document.pointer_mut(other).and_then(Value::as_array_mut);
            let Some(others) = others else { return (Some(subject.plan.clone()), String::new()) };
            let place = random.below(others.len() + 1);
            others.insert(place, element);
            "in another list"
        }
    };
    (serde_json::from_value(with_seal(document)).ok(), format!("{pointer} {operation}={at}"))
}

fn with_seal(mut document: Value) -> Value {
    // Any will do: the plan is sealed again.
    document.as_object_mut().unwrap().insert("seal".into(), "0".repeat(64).into());
    document
}
