//! Reading `/proc/self/mountinfo`: what is mounted, by device number.
//!
//! Nothing here asks the mounted filesystems themselves: somebody else's mount that cannot be read is no reason to stop.

use super::number::DeviceNumber;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The number of the filesystem; that of its device, unless the filesystem made one up.
    pub(crate) number: DeviceNumber,
    /// Where it is mounted.
    pub(crate) point: PathBuf,
    /// What was mounted: for a filesystem on a device, its path.
    pub(crate) source: PathBuf,
}

/// The mounts of a mountinfo text. Lines of another shape are passed over.
pub(crate) fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|byte| *byte == b'\n').filter_map(parse_line).collect()
}

/// `36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw`
fn parse_line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let number = std::str::from_utf8(fields.nth(2)?).ok()?.parse().ok()?;
    let point = unescaped(fields.nth(1)?);
    let mut behind = fields.skip_while(|field| *field != b"-").skip(2);
    Some(Mount { number, point, source: unescaped(behind.next()?) })
}

/// The path that the kernel wrote with `\040` for a space and the like.
pub(super) fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, behind @ ..] = rest {
        let octal = match rest {
            [b'\\', digits @ ..] => digits.get(..3).and_then(octal),
            _ => None,
        };
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { rest.get(4..).unwrap_or_default() } else { behind };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn octal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"\
22 1 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n\
29 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n\
99 29 0:44 /sub /mnt/with\\040space rw shared:1 master:2 - btrfs /dev/loop0 rw,subvolid=5\n\
100 29 0:51 / /home/other/.fuse rw - fuse.sshfs host:/x\\011y rw\n\
nonsense\n\
101 29 x:y / /a rw - ext4 /dev/sdz rw\n\
102 29 8:1 / /no-dash rw\n\
\n";

    #[test]
    fn mounts_by_number_and_source() {
        let mount = |major, minor, point: &str, source: &str| Mount {
            number: DeviceNumber { major, minor },
            point: point.into(),
            source: source.into(),
        };
        assert_eq!(
            parse(TEXT),
            [
                mount(0, 21, "/sys", "sysfs"),
                mount(254, 1, "/", "/dev/vda1"),
                mount(0, 44, "/mnt/with space", "/dev/loop0"),
                mount(0, 51, "/home/other/.fuse", "host:/x\ty"),
            ]
        );
    }

    #[test]
    fn escapes_that_are_none_stay() {
        for (field, path) in [(r"a\040b", "a b"), (r"a\04", r"a\04"), (r"\999", r"\999"), (r"a\134", r"a\"), ("", "")] {
            assert_eq!(unescaped(field.as_bytes()), PathBuf::from(path));
        }
    }
}
