//! What both programs are asked.

use btrfs_plan_tests::dice::Dice;
use std::fmt;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Profiles, and how many devices they take at least.
const PROFILES: [(&str, usize); 9] = [
    ("single", 1),
    ("dup", 1),
    ("raid0", 1),
    ("raid1", 2),
    ("raid10", 2),
    ("raid5", 2),
    ("raid1c3", 3),
    ("raid6", 3),
    ("raid1c4", 4),
];

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Profiles on devices of all sizes.
    Profiles,
    /// Mixed block groups.
    Mixed,
    /// Byte counts, node and sector sizes.
    Sizes,
    /// Features, checksums, labels.
    Features,
    /// Emulated zones.
    Zoned,
    /// Devices that are hardly large enough, or not.
    Limits,
    /// Block devices instead of image files, with sectors of either size.
    Devices,
}

/// Options, and the sizes of devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// Options with their values, as both programs know them.
    pub(crate) options: Vec<String>,
    /// Bytes of the image files.
    pub(crate) sizes: Vec<u64>,
    /// Bytes of the sectors of block devices; image files where there are none.
    pub(crate) sector: Option<u32>,
    /// Where the options stand: before the devices, or behind them.
    pub(crate) behind: bool,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let devices = self.sector.map(|sector| format!(" of sectors of {sector}")).unwrap_or_default();
        write!(f, "{:?} on {:?}{devices}", self.options, self.sizes)
    }
}

impl Question {
    pub(crate) fn new(shape: Shape, dice: &mut Dice) -> Self {
        let mut question = Self { behind: dice.chance(30), ..Self::default() };
        question.sizes = match shape {
            Shape::Limits => limits(dice),
            Shape::Zoned => zones(dice),
            Shape::Devices => {
                question.sector = Some(dice.one(&[512, 4096]));
                (0..dice.one(&[1, 1, 2, 3, 4])).map(|_| (100 + dice.below(20_000)) * MIB).collect()
            }
            _ => sizes(dice),
        };
        let devices = question.sizes.len();
        let mut groups: Vec<Vec<String>> = match shape {
            Shape::Profiles => profiles(dice, devices),
            Shape::Mixed => mixed(dice, devices),
            Shape::Sizes => [profiles(dice, devices), node_sizes(dice), byte_count(dice, &question.sizes)].concat(),
            Shape::Features => [profiles(dice, devices), features(dice)].concat(),
            Shape::Zoned => [zoned(dice), profiles(dice, devices)].concat(),
            Shape::Devices => [profiles(dice, devices), byte_count(dice, &question.sizes)].concat(),
            Shape::Limits if dice.chance(30) => mixed(dice, devices),
            Shape::Limits => profiles(dice, devices),
        };
        if dice.chance(10) {
            groups.push(vec!["-K".to_owned()]);
        }
        // The order of options makes no difference.
        dice.shuffle(&mut groups);
        question.options = groups.concat();
        question
    }
}

fn option(name: &str, value: impl fmt::Display) -> Vec<String> {
    // Together or apart, all spellings are one option.
    vec![name.to_owned(), value.to_string()]
}

fn attached(dice: &mut Dice, short: &str, long: &str, value: impl fmt::Display) -> Vec<String> {
    match dice.below(4) {
        0 => vec![format!("{short}{value}")],
        1 => vec![format!("{long}={value}")],
        2 => option(long, value),
        _ => option(short, value),
    }
}

fn count(dice: &mut Dice) -> u64 {
    dice.one(&[1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9])
}

fn sizes(dice: &mut Dice) -> Vec<u64> {
    let base = dice.one(&[64, 128, 256, 512, 1024, 2048, 10240, 20480, 102_400, 2_097_152]);
    let size = |dice: &mut Dice| {
        let other = [48, 100, 112, 130, 200, 240, 300, 500, 700, 1000, 1500, 3000, 5000, 11_000, 60_000, 200_000];
        let size = if dice.chance(40) { base } else { dice.one(&other) } * MIB;
        let odd = match dice.below(5) {
            0 => 4096 * dice.below(2000),
            1 => 512 * dice.below(5000),
            _ => 0,
        };
        size + odd
    };
    (0..count(dice)).map(|_| size(dice)).collect()
}

/// Around the smallest sizes that are accepted.
fn limits(dice: &mut Dice) -> Vec<u64> {
    let least = [
        16 * MIB,
        47_185_920,
        72_351_744,
        114_294_784,
        131_072_000,
        136 * MIB,
        240_123_904,
        100 * MIB,
        157_286_400,
        41_943_040,
    ];
    let size = |dice: &mut Dice| {
        let size = dice.one(&least);
        match dice.below(6) {
            0 => size - 4096,
            1 => size - 1,
            2 => size + 4096 * dice.below(64),
            3 => size + MIB * dice.below(64),
            _ => size,
        }
    };
    (0..dice.one(&[1, 1, 1, 2, 2, 3, 4])).map(|_| size(dice)).collect()
}

fn zones(dice: &mut Dice) -> Vec<u64> {
    let size = |dice: &mut Dice| dice.one(&[3, 4, 6, 8, 10, 20, 100, 600]) * 1024 * MIB;
    (0..dice.one(&[1, 1, 2, 3, 4])).map(|_| size(dice)).collect()
}

/// A profile; one that takes no more devices than there are, for the most part.
fn profile(dice: &mut Dice, devices: usize) -> &'static str {
    let fitting = PROFILES.iter().take_while(|(_, least)| *least <= devices).count();
    let end = if dice.chance(5) { PROFILES.len() } else { fitting };
    dice.one(&PROFILES[..end]).0
}

fn profiles(dice: &mut Dice, devices: usize) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    for (short, long) in [("-m", "--metadata"), ("-d", "--data")] {
        if dice.chance(80) {
            let profile = profile(dice, devices);
            let spelt = if dice.chance(10) { profile.to_uppercase() } else { profile.to_owned() };
            groups.push(attached(dice, short, long, spelt));
        }
    }
    groups
}

fn mixed(dice: &mut Dice, devices: usize) -> Vec<Vec<String>> {
    let mut groups = vec![vec![dice.one(&["-M", "--mixed"]).to_owned()]];
    let profile = profile(dice, devices);
    match dice.below(6) {
        0 => {}
        1 => groups.extend(profiles(dice, devices)),
        2 => groups.push(option("-d", profile)),
        _ => groups.extend([option("-d", profile), option("-m", profile)]),
    }
    if dice.chance(20) {
        groups.push(option("-n", dice.one(&["4k", "16k", "4096"])));
    }
    groups
}

fn node_sizes(dice: &mut Dice) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    if dice.chance(60) {
        let sizes = ["4k", "8k", "16K", "32k", "64k", "4096", "0", "4k", "65536b", "32K", "8192", "2k", "128k", "5000"];
        let size = dice.one(&sizes);
        groups.push(attached(dice, "-n", "--nodesize", size));
    }
    if dice.chance(25) {
        let size = dice.one(&["4k", "8k", "16k", "32k", "64k", "4k", "512", "5000"]);
        groups.push(attached(dice, "-s", "--sectorsize", size));
    }
    groups
}

/// Of no more than the smallest device, for the most part.
fn byte_count(dice: &mut Dice, sizes: &[u64]) -> Vec<Vec<String>> {
    if dice.chance(40) {
        return Vec::new();
    }
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let value = match dice.below(6) {
        0 => smallest.to_string(),
        1 => "0".to_owned(),
        2 => format!("{}k", smallest / KIB - dice.below(1000)),
        3 => format!("{}M", smallest / MIB),
        _ => (smallest - dice.below(30) * 12_345).to_string(),
    };
    vec![attached(dice, "-b", "--byte-count", value)]
}

fn features(dice: &mut Dice) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let switch = |dice: &mut Dice, names: &[&str]| {
        let count = 1 + dice.below(3);
        let one = |dice: &mut Dice| format!("{}{}", dice.one(&["", "^"]), dice.one(names));
        (0..count).map(|_| one(dice)).collect::<Vec<String>>().join(",")
    };
    if dice.chance(70) {
        let list = switch(
            dice,
            &["extref", "skinny-metadata", "no-holes", "raid56", "extref", "skinny-metadata", "no-holes", "nonsense"],
        );
        groups.push(attached(dice, "-O", "--features", list));
    }
    if dice.chance(50) {
        let list = switch(dice, &["quota", "free-space-tree", "quota", "free-space-tree", "quota", "list-everything"]);
        groups.push(attached(dice, "-R", "--runtime-features", list));
    }
    if dice.chance(40) {
        let names = ["crc32c", "xxhash", "xxhash64", "sha256", "blake2", "CRC32C", "sha256", "md5"];
        groups.push(option(dice.one(&["--csum", "--checksum"]), dice.one(&names)));
    }
    if dice.chance(40) {
        let label = "x".repeat(usize::try_from(dice.one(&[1, 12, 254, 254, 255, 256])).unwrap_or_default());
        groups.push(attached(dice, "-L", "--label", label));
    }
    groups
}

fn zoned(dice: &mut Dice) -> Vec<Vec<String>> {
    let list = dice.one(&["zoned", "zoned", "zoned,^no-holes", "^zoned,zoned"]);
    vec![option("-O", list)]
}
