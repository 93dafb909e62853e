//! Progress for people, if it takes long enough to be worth it: bars at a terminal, lines now and then elsewhere.

use btrfs_executor::console;
use btrfs_executor::run::{Cancel, Event, Observer, Step};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(300);
const REFRESH: Duration = Duration::from_millis(100);
/// Without a terminal, a line as often as this.
const LINE: Duration = Duration::from_secs(10);

/// Where every device is.
#[derive(Default)]
pub(crate) struct Progress {
    state: Mutex<State>,
    change: Condvar,
}

#[derive(Default)]
struct State {
    devices: BTreeMap<u64, At>,
    over: bool,
}

struct At {
    name: String,
    step: Step,
    done: u64,
    total: u64,
}

impl Progress {
    /// Shows progress until [`Progress::finish`]. Meant for a thread of its own.
    pub(crate) fn show(&self, bars: bool, cancel: &Cancel) {
        let mut told = false;
        let mut stop = |hint: &dyn Fn(&str)| {
            if cancel.is_interrupted() && !told {
                told = true;
                hint("stopping before the next request; once more to stop at once");
            }
        };
        if bars {
            if self.is_over_after(PATIENCE) {
                return;
            }
            let bars = Bars::new();
            while !self.is_over_after(REFRESH) {
                bars.draw(&self.locked());
                stop(&|text| bars.tell(text));
            }
            bars.clear();
        } else {
            let mut waited = Duration::ZERO;
            while !self.is_over_after(PATIENCE) {
                stop(&|text| console::tell(text));
                waited += PATIENCE;
                if waited >= LINE {
                    waited = Duration::ZERO;
                    self.locked().devices.iter().for_each(|(devid, at)| console::tell(&line(*devid, at)));
                }
            }
        }
    }

    /// There is nothing more to show.
    pub(crate) fn finish(&self) {
        self.locked().over = true;
        self.change.notify_all();
    }

    fn is_over_after(&self, time: Duration) -> bool {
        let waited = self.change.wait_timeout_while(self.locked(), time, |state| !state.over);
        waited.map_or(true, |(state, _)| state.over)
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress {
    fn event(&self, devid: u64, name: &str, event: Event<'_>) {
        match event {
            Event::Begin { step, bytes } => {
                let at = At { name: name.to_string(), step, done: 0, total: bytes };
                self.locked().devices.insert(devid, at);
            }
            Event::Progress { bytes, .. } => {
                if let Some(at) = self.locked().devices.get_mut(&devid) {
                    at.done = bytes;
                }
            }
            Event::End(_) => {
                if let Some(at) = self.locked().devices.get_mut(&devid) {
                    at.done = at.total;
                }
            }
            _ => {}
        }
    }
}

fn line(devid: u64, at: &At) -> String {
    let percent = u128::from(at.done) * 100 / u128::from(at.total.max(1));
    format!("device {devid} ({}): {} {percent} %", console::escaped(&at.name), at.step)
}

/// A bar for every device.
struct Bars {
    all: MultiProgress,
    bars: Mutex<BTreeMap<u64, ProgressBar>>,
}

impl Bars {
    fn new() -> Self {
        Self { all: MultiProgress::with_draw_target(ProgressDrawTarget::stderr()), bars: Mutex::default() }
    }

    fn draw(&self, state: &State) {
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        for (devid, at) in &state.devices {
            let bar = bars.entry(*devid).or_insert_with(|| self.bar(*devid, at));
            bar.set_length(at.total);
            bar.set_position(at.done);
            bar.set_message(at.step.to_string());
        }
    }

    fn bar(&self, devid: u64, at: &At) -> ProgressBar {
        let colour = if console::coloured() { ".cyan" } else { "" };
        let template = format!("{{prefix}} {{msg:8}} [{{bar:30{colour}}}] {{bytes}} of {{total_bytes}}");
        // A template of our own making; the plain bar will do if it is not understood.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = self.all.add(ProgressBar::new(at.total).with_style(style.progress_chars("=> ")));
        bar.set_prefix(format!("device {devid} ({})", console::escaped(&at.name)));
        bar
    }

    fn tell(&self, text: &str) {
        let _ = self.all.println(text);
    }

    fn clear(&self) {
        let _ = self.all.clear();
    }
}
