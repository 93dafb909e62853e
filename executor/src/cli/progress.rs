//! Progress for people, if it takes long enough to be worth it: bars at a terminal, lines now and then elsewhere.

use crate::console;
use crate::run::{Cancel, Event, Observer, Step};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(300);
const REFRESH: Duration = Duration::from_millis(100);
/// Without a terminal, a line as often as this.
const LINE: Duration = Duration::from_secs(10);
/// A request that takes longer is told of: devices, drivers and networks hang.
const OVERDUE: Duration = Duration::from_secs(30);

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
    /// The request that is under way, since when, and whether its delay has been told of.
    request: Option<(Request, Instant, bool)>,
}

/// A request to a device.
#[derive(Clone, Copy)]
struct Request {
    what: &'static str,
    place: Option<(u64, u64)>,
}

impl Request {
    fn of(event: Event<'_>) -> Option<Self> {
        let (what, place) = match event {
            Event::Read { offset, length, .. } => ("read", Some((offset, length))),
            Event::Write { offset, length, .. } => ("write", Some((offset, length))),
            Event::Discard { offset, length } => ("discard", Some((offset, length))),
            Event::Reset { offset, length } => ("zone reset", Some((offset, length))),
            Event::Flush { .. } => ("flush", None),
            _ => return None,
        };
        Some(Self { what, place })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((offset, length)) => write!(f, "{} of {length} bytes at {offset}", self.what),
            None => f.write_str(self.what),
        }
    }
}

impl Progress {
    /// Shows progress until [`Progress::finish`]. Meant for a thread of its own.
    pub(crate) fn show(&self, bars: bool, cancel: &Cancel) {
        let mut told = false;
        let mut look = |tell: &dyn Fn(&str)| {
            if cancel.is_interrupted() && !told {
                told = true;
                tell("stopping before the next request; once more to stop at once");
                self.waited_for().iter().for_each(|line| tell(line));
            }
            self.newly_overdue().iter().for_each(|line| tell(line));
        };
        if bars {
            if self.is_over_after(PATIENCE) {
                return;
            }
            let bars = Bars::new();
            while !self.is_over_after(REFRESH) {
                bars.draw(&self.locked());
                look(&|text| bars.tell(text));
            }
            bars.clear();
        } else {
            let mut waited = Duration::ZERO;
            while !self.is_over_after(PATIENCE) {
                look(&|text| console::tell(text));
                waited += PATIENCE;
                if waited >= LINE {
                    waited = Duration::ZERO;
                    self.locked().devices.iter().for_each(|(devid, at)| console::tell(&line(*devid, at)));
                }
            }
        }
    }

    /// Every device that has not answered yet, and what it was asked.
    fn waited_for(&self) -> Vec<String> {
        let state = self.locked();
        let line = |(devid, at): (&u64, &At)| {
            let (request, since, _) = at.request?;
            Some(waiting(*devid, at, request, since))
        };
        state.devices.iter().filter_map(line).collect()
    }

    /// Those that have not for too long, each told of once.
    fn newly_overdue(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (devid, at) in &mut self.locked().devices {
            if let Some((request, since, false)) = at.request
                && since.elapsed() >= OVERDUE
            {
                at.request = Some((request, since, true));
                lines.push(waiting(*devid, at, request, since));
            }
        }
        lines
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
                let at = At { name: name.to_string(), step, done: 0, total: bytes, request: None };
                self.locked().devices.insert(devid, at);
            }
            _ => {
                if let Some(at) = self.locked().devices.get_mut(&devid) {
                    // Whatever is announced, the request before has been answered.
                    at.request = Request::of(event).map(|request| (request, Instant::now(), false));
                    match event {
                        Event::Progress { bytes, .. } => at.done = bytes,
                        Event::End(_) => at.done = at.total,
                        _ => {}
                    }
                }
            }
        }
    }
}

fn waiting(devid: u64, at: &At, request: Request, since: Instant) -> String {
    let seconds = since.elapsed().as_secs();
    let name = console::escaped(&at.name);
    format!("device {devid} ({name}) has not answered a {request} for {seconds} s (step {})", at.step)
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
