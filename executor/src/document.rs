//! Plans and requests on their way in and out: files or standard streams, plain or compressed, and bounded.

use crate::console::unless_gone;
use crate::exit::Failure;
use crate::probe::{Identity, Usage, signatures};
use crate::remedy::remedy;
use btrfs_planner::Plan;
use btrfs_planner::plan::ReadError;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The most bytes of a document, after decompression. A plan says where it comes from, but that may be a lie.
const MOST: u64 = 1 << 30;
/// Bytes that a compressed document may always become.
const ALWAYS: u64 = 16 << 20;
/// Bytes that each of its bytes may become beyond that.
const RATIO: u64 = 256;
/// The largest window that decompression may ask for, as a power of two.
const WINDOW: u32 = 27;
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Where a document comes from or goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A standard stream.
    Standard,
    /// A file.
    File(PathBuf),
}

impl From<&Path> for Place {
    /// `-` is the standard stream; a file of that name is `./-`.
    fn from(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Standard } else { Self::File(path.to_path_buf()) }
    }
}

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Reading failed.
    #[error("cannot read {}", place(from))]
    Read {
        /// The file; absent for standard input.
        from: Place,
        /// Why.
        source: io::Error,
    },
    /// It does not decompress.
    #[error("{} is compressed, and damaged or cut off", place(from))]
    Compressed {
        /// The file; absent for standard input.
        from: Place,
        /// Why.
        source: io::Error,
    },
    /// It is too large.
    #[error("{} is larger than a plan can be", place(.0))]
    TooLarge(Place),
    /// Nothing came.
    #[error("{} is empty", place(.0))]
    Empty(Place),
    /// It is no plan, or not to be trusted.
    #[error("{}", place(from))]
    Plan {
        /// Where it came from.
        from: Place,
        /// Why.
        source: ReadError,
    },
    /// It would be written over a device.
    #[error("'{}' is a device: a document does not belong there", .0.display())]
    Device(PathBuf),
    /// It would take the place of an image.
    #[error("'{}' is no document: {what}", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// What says so.
        what: String,
    },
    /// Writing failed.
    #[error("cannot write '{}'", to.display())]
    Write {
        /// The file.
        to: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl DocumentError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Plan { source, .. } => source.hint(),
            Self::Compressed { .. } => "make it again, and see that it arrives whole",
            Self::Empty(Place::Standard) => "what should have made the plan failed: see its message above",
            Self::Device(_) => "name a file; only btrfs-exec writes to devices",
            Self::Image { .. } => "name another file; one that is in the way has to be removed by hand",
            Self::TooLarge(_) => "no plan is that large; is it one?",
            Self::Write { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => return remedy(source),
            _ => return None,
        })
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        Self::refused_with(DocumentError::hint)(error)
    }
}

fn place(place: &Place) -> String {
    match place {
        Place::Standard => "standard input".to_string(),
        Place::File(path) => format!("'{}'", path.display()),
    }
}

/// Reads a document, and decompresses it if its first bytes say so.
pub fn read(from: &Place) -> Result<Vec<u8>, DocumentError> {
    let failed = |source| DocumentError::Read { from: from.clone(), source };
    let mut stream: Box<dyn Read> = match from {
        Place::Standard => Box::new(io::stdin().lock()),
        Place::File(path) => Box::new(File::open(path).map_err(failed)?),
    };
    let mut start = Vec::with_capacity(ZSTD_MAGIC.len());
    stream.by_ref().take(4).read_to_end(&mut start).map_err(failed)?;
    if start.is_empty() {
        return Err(DocumentError::Empty(from.clone()));
    }
    let whole = io::Cursor::new(start).chain(stream);
    let too_large = || DocumentError::TooLarge(from.clone());
    let bytes = Some(bounded(whole, MOST).map_err(failed)?).filter(|bytes| length(bytes) <= MOST);
    let bytes = bytes.ok_or_else(too_large)?;
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return Ok(bytes);
    }
    unpacked(&bytes).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => too_large(),
        _ => DocumentError::Compressed { from: from.clone(), source: error },
    })
}

/// Decompresses a document. One that becomes larger than [`most_unpacked`] is an error
/// ([`FileTooLarge`](io::ErrorKind::FileTooLarge)).
pub fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let most = most_unpacked(length(bytes));
    let document = decompressed(bytes, most)?;
    if length(&document) <= most { Ok(document) } else { Err(io::ErrorKind::FileTooLarge.into()) }
}

/// The most bytes that so many compressed ones may stand for: a small file that asks for much memory is no plan. Plans
/// shrink to a twentieth at best, and those that do have many devices that are alike.
#[must_use]
pub const fn most_unpacked(compressed: u64) -> u64 {
    let most = compressed.saturating_mul(RATIO).saturating_add(ALWAYS);
    if most < MOST { most } else { MOST }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn decompressed(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::Decoder::new(stream)?;
    decoder.window_log_max(WINDOW)?;
    bounded(decoder, most)
}

/// All of a stream, or one byte more than is allowed.
fn bounded(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    // Most plans fit: one read.
    let mut bytes = Vec::with_capacity(64 << 10);
    stream.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a plan and checks its shape, its seal and its schedule.
pub fn read_plan(from: &Place) -> Result<Plan, DocumentError> {
    Plan::from_json(&read(from)?).map_err(|source| DocumentError::Plan { from: from.clone(), source })
}

/// The document, compressed.
pub fn compressed(document: &[u8]) -> io::Result<Vec<u8>> {
    // Plans are small and made of base64: a high level costs milliseconds and saves a tenth.
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 12)?;
    encoder.include_checksum(true)?;
    encoder.write_all(document)?;
    encoder.finish()
}

/// Writes a document to a file, whole or not at all: what stood there stays until the new one is complete.
pub fn write_file(path: &Path, document: &[u8]) -> Result<(), DocumentError> {
    let failed = |source| DocumentError::Write { to: path.to_path_buf(), source };
    if path.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device()) {
        return Err(DocumentError::Device(path.to_path_buf()));
    }
    // What is no regular file (a pipe, /dev/null) cannot be replaced, only written to.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let written = File::options().write(true).open(path).and_then(|mut file| file.write_all(document));
        return unless_gone(written).map_err(failed);
    }
    refuse_image(path)?;
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let written = File::create_new(&part).and_then(|mut file| file.write_all(document));
    let done = written.and_then(|()| std::fs::rename(&part, path));
    done.map_err(|source| {
        let _ = std::fs::remove_file(&part);
        failed(source)
    })
}

/// An image that somebody uses, or with something on it, is not replaced by a document: its name was meant for something else.
fn refuse_image(path: &Path) -> Result<(), DocumentError> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    let image = |what| DocumentError::Image { path: path.to_path_buf(), what };
    // Without /proc nothing is known of its use; what is on it is.
    let user = Usage::read().ok().and_then(|usage| usage.of(Identity::of(&file.metadata().ok()?)?));
    if let Some(user) = user {
        return Err(image(user.to_string()));
    }
    let empty = file.metadata().is_ok_and(|metadata| metadata.len() == 0);
    match signatures(&file).unwrap_or_default().first() {
        Some(found) if !empty => Err(image(format!("it holds {}", found.kind))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        write_file(&path, bytes).unwrap();
        (folder, Place::File(path))
    }

    #[test]
    fn plain_and_compressed_documents_come_back() {
        let text = "{\"format\":\"x\"}".repeat(1000).into_bytes();
        let (_folder, plain) = file(&text);
        assert_eq!(read(&plain).unwrap(), text);
        let small = compressed(&text).unwrap();
        assert!(small.len() < 100 && small.starts_with(&ZSTD_MAGIC));
        let (_folder, place) = file(&small);
        assert_eq!(read(&place).unwrap(), text);
    }

    #[test]
    fn damage_has_a_name() {
        let small = compressed(&[7; 5000]).unwrap();
        let (_folder, cut) = file(&small[..small.len() - 3]);
        assert!(matches!(read(&cut), Err(DocumentError::Compressed { .. })));
        let (_folder, empty) = file(b"");
        assert!(matches!(read(&empty), Err(DocumentError::Empty(_))));
        let (_folder, short) = file(b"{}");
        assert!(matches!(read_plan(&short), Err(DocumentError::Plan { .. })));
        assert!(matches!(read(&Place::File("/nonexistent".into())), Err(DocumentError::Read { .. })));
    }

    #[test]
    fn a_small_file_cannot_ask_for_much_memory() {
        let bomb = compressed(&vec![0; 4 << 20]).unwrap();
        assert!(bomb.len() < 2000);
        assert_eq!(unpacked(&bomb).unwrap().len(), 4 << 20, "that much it may always be");
        let bomb = compressed(&vec![0; 20 << 20]).unwrap();
        assert_eq!(unpacked(&bomb).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let (_folder, place) = file(&bomb);
        assert!(matches!(read(&place), Err(DocumentError::TooLarge(_))));
        let bomb = compressed(&vec![0; 4 << 20]).unwrap();
        assert_eq!(decompressed(&bomb[..], 1 << 20).unwrap().len(), (1 << 20) + 1);
        let mut wide = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        wide.window_log(WINDOW + 1).unwrap();
        wide.write_all(&[1; 1000]).unwrap();
        wide.flush().unwrap();
        assert!(decompressed(&wide.finish().unwrap()[..], MOST).is_err());
    }

    #[test]
    fn nothing_is_left_beside_a_written_file() {
        let (folder, _) = file(b"one");
        write_file(&folder.path().join("plan.json"), b"two").unwrap();
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 1);
        assert!(write_file(Path::new("/nonexistent/plan"), b"x").is_err());
    }
}
