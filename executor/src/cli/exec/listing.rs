//! What a dry run would have done, device by device, in order.

use crate::console;
use crate::run::{Event, Observer};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Collects every operation; devices run at the same time, and are shown one after another.
#[derive(Default)]
pub(crate) struct Listing(Mutex<BTreeMap<u64, (String, String)>>);

impl Listing {
    /// The operations of all devices.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (devid, (name, lines)) in self.devices().iter() {
            // Writing to a String cannot fail.
            let _ = write!(text, "device {devid}: {}\n{lines}", console::escaped(name));
        }
        text
    }

    fn devices(&self) -> MutexGuard<'_, BTreeMap<u64, (String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Listing {
    fn event(&self, devid: u64, name: &str, event: Event<'_>) {
        let line = match event {
            Event::Write { step, offset, length } => format!("  {step:<8} write    {length:>16} bytes at {offset}\n"),
            Event::Discard { offset, length } => format!("  discard  discard  {length:>16} bytes at {offset}\n"),
            Event::Reset { offset, length } => format!("  reset    reset    {length:>16} bytes at {offset}\n"),
            Event::Flush { step } => format!("  {step:<8} flush\n"),
            _ => return,
        };
        let mut devices = self.devices();
        let (_, lines) = devices.entry(devid).or_insert_with(|| (name.to_string(), String::new()));
        lines.push_str(&line);
    }
}
