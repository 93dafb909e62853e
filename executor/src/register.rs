//! The one thing that is known of btrfs here: its driver wants to be told of new devices.

use crate::ioctl;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const CONTROL: &str = "/dev/btrfs-control";

/// Tells the driver of every device, while they are open and what it reads of them is still in memory. The answer is
/// those that it must be told of again when they are closed: older kernels insist.
#[must_use]
pub fn register_open(paths: &[PathBuf]) -> Vec<PathBuf> {
    let Some(Ok(control)) = control(paths) else { return paths.to_vec() };
    paths.iter().filter(|path| scan(&control, path).is_err()).cloned().collect()
}

/// Tells the driver of every device; the answer is what could not be told, in words. A machine without the driver has
/// nobody to tell.
#[must_use]
pub fn register_closed(paths: &[PathBuf]) -> Vec<String> {
    match control(paths) {
        None => Vec::new(),
        Some(Err(error)) => vec![format!("{CONTROL}: cannot register devices with the kernel: {error}")],
        Some(Ok(control)) => {
            let told = |path: &PathBuf| {
                let error = scan(&control, path).err()?;
                Some(format!("{}: not registered with the kernel: {error}", path.display()))
            };
            paths.iter().filter_map(told).collect()
        }
    }
}

fn scan(control: &File, path: &Path) -> io::Result<()> {
    ioctl::scan(control, path.as_os_str().as_bytes())
}

fn control(paths: &[PathBuf]) -> Option<io::Result<File>> {
    if paths.is_empty() {
        return None;
    }
    match File::options().read(true).write(true).open(CONTROL) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(result),
    }
}
