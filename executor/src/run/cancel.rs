//! When to stop: somebody asked, or a device has failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by everything that works on a run. Every worker looks at it before each of its requests.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    interrupted: Arc<AtomicBool>,
    failed: Arc<AtomicBool>,
}

impl Cancel {
    /// A run that nobody has asked to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag that a signal handler raises.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    /// Asks to stop before the next request.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// Whether somebody has asked to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// A device has failed: the others need not go on.
    pub(super) fn fail(&self) {
        self.failed.store(true, Ordering::SeqCst);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }
}
