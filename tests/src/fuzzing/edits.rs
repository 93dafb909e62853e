//! Changes to a good document: numbers replaced, elements dropped and repeated, texts exchanged.

use serde_json::Value;

/// Numbers that break things.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    511,
    512,
    4095,
    4096,
    65535,
    65536,
    (1 << 26) - 1,
    1 << 32,
    (1 << 53) + 1,
    1 << 60,
    i64::MAX as u64,
    u64::MAX - 4095,
    u64::MAX,
];

/// Changes as bytes: six for each.
pub(super) struct Edits<'a>(pub(super) &'a [u8]);

impl Edits<'_> {
    /// Makes them, one after another.
    pub(super) fn apply(&self, document: &mut Value) {
        for edit in self.0.chunks_exact(6).take(16) {
            let place = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]);
            let mut count = 0;
            visit(document, &mut |_| count += 1);
            let Some(chosen) = place.checked_rem(count) else { return };
            let mut at = 0;
            visit(document, &mut |value| {
                if at == chosen {
                    change(value, edit[3], u16::from_le_bytes([edit[4], edit[5]]));
                }
                at += 1;
            });
        }
    }
}

/// Calls for every value but those inside of payloads, of which there are too many.
fn visit(value: &mut Value, take: &mut impl FnMut(&mut Value)) {
    take(value);
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| visit(element, take)),
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| *name != "parts");
            fields.for_each(|(_, field)| visit(field, take));
        }
        _ => {}
    }
}

fn change(value: &mut Value, how: u8, number: u16) {
    let number = usize::from(number);
    match value {
        Value::Number(old) => {
            let old = old.as_u64().unwrap_or(0);
            let new = match how % 6 {
                0 => NUMBERS[number % NUMBERS.len()],
                1 => old.wrapping_add(number as u64),
                2 => old.wrapping_sub(number as u64),
                3 => old ^ (1 << (number % 64)),
                4 => old.wrapping_mul(number as u64),
                _ => old.wrapping_add(NUMBERS[number % NUMBERS.len()]),
            };
            *value = new.into();
        }
        Value::Array(elements) if !elements.is_empty() => {
            let index = number % elements.len();
            match how % 4 {
                0 => drop(elements.remove(index)),
                1 => elements.insert(index, elements[index].clone()),
                2 => elements.swap(index, 0),
                _ => elements.clear(),
            }
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::String(text) => {
            let words = ["", "raid5", "single", "zoned", "btrfs", "full", "none", "\u{0}", "blake2"];
            words[number % words.len()].clone_into(text);
        }
        _ => {}
    }
}
