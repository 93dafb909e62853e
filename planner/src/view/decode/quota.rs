//! Quota groups, and subvolumes by UUID.

use super::cursor::{Cursor, Taken};
use super::names;
use crate::disk::checksum::ChecksumType;

pub(super) fn status(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u64("version")?;
    cursor.u64("generation")?;
    cursor.flags("flags", 8, &names::QUOTA)?;
    cursor.u64("rescan")?;
    // Older kernels end here.
    if cursor.left() > 0 {
        cursor.u64("enable_gen")?;
    }
    Ok(())
}

pub(super) fn info(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    for name in ["generation", "rfer", "rfer_cmpr", "excl", "excl_cmpr"] {
        cursor.u64(name)?;
    }
    Ok(())
}

pub(super) fn limit(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.flags("flags", 8, &names::LIMIT)?;
    for name in ["max_rfer", "max_excl", "rsv_rfer", "rsv_excl"] {
        cursor.u64(name)?;
    }
    Ok(())
}

/// Numbers of the subvolumes that have a UUID.
pub(super) fn subvolumes(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.object("subvol_id")?;
    while cursor.left() > 0 {
        cursor.object("subvol_id")?;
    }
    Ok(())
}
