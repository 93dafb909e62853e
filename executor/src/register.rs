//! The one thing that is known of btrfs here: its driver wants to be told of new devices.

use crate::ioctl;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const CONTROL: &str = "/dev/btrfs-control";

/// Tells the driver of every device; the answer is what could not be told, in words. A machine without the driver has
/// nobody to tell.
#[must_use]
pub fn register(paths: &[PathBuf]) -> Vec<String> {
    if paths.is_empty() || !Path::new(CONTROL).exists() {
        return Vec::new();
    }
    let told = |path: &PathBuf, result: io::Result<()>| {
        result.err().map(|error| format!("{}: not registered with the kernel: {error}", path.display()))
    };
    match OpenOptions::new().read(true).write(true).open(CONTROL) {
        Ok(control) => {
            paths.iter().filter_map(|path| told(path, ioctl::scan(&control, path.as_os_str().as_bytes()))).collect()
        }
        Err(error) => vec![format!("{CONTROL}: cannot register devices with the kernel: {error}")],
    }
}
