//! libblkid, as far as it is needed. The binding on crates.io lacks the flags of partition tables.

use nix::libc::{c_char, c_int, size_t};
use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::{self, NonNull};

const SUPERBLOCKS_LABEL: c_int = 1 << 1;
const SUPERBLOCKS_UUID: c_int = 1 << 3;
const SUPERBLOCKS_TYPE: c_int = 1 << 5;
const SUPERBLOCKS_USAGE: c_int = 1 << 7;
const SUPERBLOCKS_MAGIC: c_int = 1 << 9;
const SUPERBLOCKS_BAD_CHECKSUM: c_int = 1 << 10;
const PARTITIONS_FORCE_GPT: c_int = 1 << 1;
const PARTITIONS_MAGIC: c_int = 1 << 3;

const FILTER_NOT_IN: c_int = 1;

/// blkid_struct_probe
#[repr(C)]
struct RawProbe {
    _opaque: [u8; 0],
}

/// blkid_struct_cache
#[repr(C)]
struct RawCache {
    _opaque: [u8; 0],
}

/// blkid_struct_dev_iterate
#[repr(C)]
struct RawSearch {
    _opaque: [u8; 0],
}

/// blkid_struct_dev
#[repr(C)]
struct RawDevice {
    _opaque: [u8; 0],
}

// SAFETY: these are the declarations of <blkid/blkid.h>.
#[link(name = "blkid")]
unsafe extern "C" {
    fn blkid_new_probe() -> *mut RawProbe;
    fn blkid_free_probe(probe: *mut RawProbe);
    fn blkid_probe_set_device(probe: *mut RawProbe, fd: c_int, offset: i64, size: i64) -> c_int;
    fn blkid_probe_enable_superblocks(probe: *mut RawProbe, enable: c_int) -> c_int;
    fn blkid_probe_set_superblocks_flags(probe: *mut RawProbe, flags: c_int) -> c_int;
    fn blkid_probe_filter_superblocks_type(probe: *mut RawProbe, flag: c_int, names: *mut *mut c_char) -> c_int;
    fn blkid_probe_enable_partitions(probe: *mut RawProbe, enable: c_int) -> c_int;
    fn blkid_probe_set_partitions_flags(probe: *mut RawProbe, flags: c_int) -> c_int;
    fn blkid_do_probe(probe: *mut RawProbe) -> c_int;
    fn blkid_probe_hide_range(probe: *mut RawProbe, offset: u64, length: u64) -> c_int;
    fn blkid_probe_step_back(probe: *mut RawProbe) -> c_int;
    fn blkid_probe_lookup_value(
        probe: *mut RawProbe,
        name: *const c_char,
        data: *mut *const c_char,
        length: *mut size_t,
    ) -> c_int;
    fn blkid_get_cache(cache: *mut *mut RawCache, file: *const c_char) -> c_int;
    fn blkid_put_cache(cache: *mut RawCache);
    fn blkid_probe_all(cache: *mut RawCache) -> c_int;
    fn blkid_dev_iterate_begin(cache: *mut RawCache) -> *mut RawSearch;
    fn blkid_dev_iterate_end(search: *mut RawSearch);
    fn blkid_dev_set_search(search: *mut RawSearch, tag: *const c_char, value: *const c_char) -> c_int;
    fn blkid_dev_next(search: *mut RawSearch, device: *mut *mut RawDevice) -> c_int;
    fn blkid_dev_devname(device: *mut RawDevice) -> *const c_char;
}

/// A prober of everything that libblkid knows, on an open file.
pub(super) struct Probe<'f> {
    raw: NonNull<RawProbe>,
    file: PhantomData<&'f File>,
}

impl<'f> Probe<'f> {
    pub(super) fn new(file: &'f File) -> io::Result<Self> {
        // SAFETY: takes nothing; gives null or a probe that is ours to free.
        let raw = NonNull::new(unsafe { blkid_new_probe() }).ok_or(io::ErrorKind::OutOfMemory)?;
        let probe = Self { raw, file: PhantomData };
        let superblocks = SUPERBLOCKS_LABEL
            | SUPERBLOCKS_UUID
            | SUPERBLOCKS_TYPE
            | SUPERBLOCKS_USAGE
            | SUPERBLOCKS_MAGIC
            | SUPERBLOCKS_BAD_CHECKSUM;
        let partitions = PARTITIONS_FORCE_GPT | PARTITIONS_MAGIC;
        let raw = raw.as_ptr();
        // SAFETY: the probe lives; the descriptor outlives it, since `file` is borrowed as long. Size 0 means all of it.
        checked(unsafe { blkid_probe_set_device(raw, file.as_raw_fd(), 0, 0) })?;
        // SAFETY: the probe lives, and these take plain numbers.
        checked(unsafe { blkid_probe_enable_superblocks(raw, 1) })?;
        // SAFETY: as above.
        checked(unsafe { blkid_probe_set_superblocks_flags(raw, superblocks) })?;
        // SAFETY: as above.
        checked(unsafe { blkid_probe_enable_partitions(raw, 1) })?;
        // SAFETY: as above.
        checked(unsafe { blkid_probe_set_partitions_flags(raw, partitions) })?;
        Ok(probe)
    }

    /// Leaves out one kind.
    pub(super) fn leave_out(&mut self, kind: &CStr) -> io::Result<()> {
        let mut names = [kind.as_ptr().cast_mut(), ptr::null_mut()];
        // SAFETY: the probe lives; the list ends with null, and the library only compares the names in it.
        checked(unsafe { blkid_probe_filter_superblocks_type(self.raw.as_ptr(), FILTER_NOT_IN, names.as_mut_ptr()) })
    }

    /// Goes on to the next thing that is recognised; false when there is none.
    pub(super) fn next(&mut self) -> io::Result<bool> {
        // SAFETY: the probe lives.
        match unsafe { blkid_do_probe(self.raw.as_ptr()) } {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// A value of what was recognised last.
    pub(super) fn value(&self, name: &CStr) -> Option<Vec<u8>> {
        let mut data: *const c_char = ptr::null();
        let mut length: size_t = 0;
        // SAFETY: the probe lives, the name ends with 0, and the results go to two locals.
        let found =
            unsafe { blkid_probe_lookup_value(self.raw.as_ptr(), name.as_ptr(), &raw mut data, &raw mut length) };
        if found != 0 || data.is_null() {
            return None;
        }
        // SAFETY: the library says that `length` bytes stand there, until the next call on this probe; they are copied.
        Some(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }.to_vec())
    }

    /// Makes the next call look for the same kind again, as if these bytes were zeros. Nothing is written.
    pub(super) fn look_past(&mut self, offset: u64, length: u64) -> bool {
        // SAFETY: the probe lives; only its buffers change.
        unsafe {
            blkid_probe_hide_range(self.raw.as_ptr(), offset, length) == 0
                && blkid_probe_step_back(self.raw.as_ptr()) == 0
        }
    }
}

impl Drop for Probe<'_> {
    fn drop(&mut self) {
        // SAFETY: the probe was ours, and nobody uses it any more.
        unsafe { blkid_free_probe(self.raw.as_ptr()) }
    }
}

/// What all block devices of this machine hold.
pub(super) struct Machine {
    cache: NonNull<RawCache>,
}

impl Machine {
    /// Looks at every block device, now: nothing is taken from, or kept in, the cache that libblkid has on disk.
    pub(super) fn look() -> io::Result<Self> {
        let mut cache = ptr::null_mut();
        // SAFETY: the result goes to a local, and the name ends with 0.
        checked(unsafe { blkid_get_cache(&raw mut cache, c"/dev/null".as_ptr()) })?;
        let machine = Self { cache: NonNull::new(cache).ok_or(io::ErrorKind::OutOfMemory)? };
        // SAFETY: the cache lives.
        checked(unsafe { blkid_probe_all(machine.cache.as_ptr()) })?;
        Ok(machine)
    }

    /// The devices on which a tag has this value.
    pub(super) fn having(&self, tag: &CStr, value: &CStr) -> Vec<PathBuf> {
        let mut found = Vec::new();
        // SAFETY: the cache lives; gives null or a search that is ours to end.
        let Some(search) = NonNull::new(unsafe { blkid_dev_iterate_begin(self.cache.as_ptr()) }) else { return found };
        let search = search.as_ptr();
        // SAFETY: the search lives, and both texts end with 0; the library copies them.
        if unsafe { blkid_dev_set_search(search, tag.as_ptr(), value.as_ptr()) } == 0 {
            let mut device = ptr::null_mut();
            // SAFETY: the search lives, and the result goes to a local.
            while unsafe { blkid_dev_next(search, &raw mut device) } == 0 {
                // SAFETY: the device is one of the cache, which lives.
                let name = unsafe { blkid_dev_devname(device) };
                if !name.is_null() {
                    // SAFETY: a name that ends with 0, of the cache, which lives; it is copied.
                    let name = unsafe { CStr::from_ptr(name) };
                    found.push(PathBuf::from(OsStr::from_bytes(name.to_bytes())));
                }
            }
        }
        // SAFETY: the search was ours, and nobody uses it any more.
        unsafe { blkid_dev_iterate_end(search) };
        found
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: the cache was ours, and nobody uses it any more.
        unsafe { blkid_put_cache(self.cache.as_ptr()) }
    }
}

fn checked(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
