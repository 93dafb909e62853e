//! Refuses UUIDs that this machine knows already.

use crate::bind::BindError;
use crate::exit::Failure;
use crate::probe::{Known, elsewhere};
use btrfs_planner::Request;
use std::path::Path;

/// Refuses a request for several devices whose UUIDs were chosen, where a device that is not one of them has such a UUID. One
/// device may be a copy of another: it is told apart by the device that is named when it is mounted.
pub(super) fn refuse_known(request: &Request) -> Result<(), Failure> {
    let own: Option<Vec<&Path>> = request.devices.iter().map(|facts| facts.path.as_deref().map(Path::new)).collect();
    let (filesystem, devices) = (request.identity.fsid, &request.identity.device_uuids);
    match own {
        // What is only described is on another machine, or nowhere yet.
        Some(own) if own.len() > 1 && (filesystem.is_some() || !devices.is_empty()) => {
            match elsewhere(filesystem.as_slice(), devices, &own) {
                Some(Known { uuid, path }) => {
                    Err(Failure::refused_with(BindError::hint)(BindError::Known { uuid, path }))
                }
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
