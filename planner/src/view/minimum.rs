//! The smallest devices that a request can be planned on: for image builders, who ask before there is a device.

use crate::layout::ChunkKind;
use crate::plan;
use crate::request::{Profiles, Request, RequestError, Zones};
use crate::units::{Checked, wide};
use serde::Serialize;

/// The smallest devices that hold what a request asks for. In documents: the object that `btrfs-plan minimum --json`
/// prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MinimumView {
    /// The fewest bytes of each device.
    pub device_size: u64,
    /// How many devices there are.
    pub devices: u64,
    /// Whether data and metadata share block groups.
    pub mixed: bool,
    /// The profiles.
    pub profiles: Profiles,
    /// The fewest bytes of all devices together.
    pub total: u64,
    /// Always `minimum`.
    pub view: &'static str,
    /// Bytes of a zone, if the filesystem is zoned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_size: Option<u64>,
    /// Zones of each device, if the filesystem is zoned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<u64>,
}

/// The largest size that is tried: whatever does not fit there does not fit at all.
const LARGEST: u64 = 1 << 50;

impl MinimumView {
    /// The minimum for this request, whose devices are taken to be all of one size; what it says of their sizes and of a
    /// byte count does not count.
    ///
    /// What mkfs.btrfs calls the minimum is not always enough (it then fails half-way), so this is the smallest size that a
    /// plan was made for.
    ///
    /// # Errors
    ///
    /// A [`RequestError`] where no device is large enough.
    pub fn of(request: &Request) -> Result<Self, RequestError> {
        let mut request = request.clone();
        request.byte_count = None;
        let fits = |size: u64| plan(&sized(&request, size));
        let plan = fits(LARGEST)?;
        let filesystem = &plan.filesystem;
        let unit = filesystem.zone_size.unwrap_or(u64::from(filesystem.sector_size));
        // In units: all up to `small` are too small, `large` is not.
        let (mut small, mut large) = (0_u64, LARGEST.checked_div(unit).unwrap_or(1));
        let mut step = 1_u64;
        // Small sizes are likelier than large ones.
        while let Some(size) = small.checked_add(step).filter(|size| *size < large) {
            if fits(size.times(unit)?).is_ok() {
                large = size;
            } else {
                small = size;
                step = step.saturating_mul(2);
            }
        }
        while large.saturating_sub(small) > 1 {
            let middle = small.saturating_add(large.saturating_sub(small) / 2);
            if fits(middle.times(unit)?).is_ok() { large = middle } else { small = middle }
        }
        let device_size = large.times(unit)?;
        let devices = wide(request.devices.len());
        Ok(Self {
            device_size,
            devices,
            mixed: plan.chunks.iter().any(|chunk| chunk.kind == ChunkKind::Mixed),
            profiles: filesystem.profiles,
            total: device_size.times(devices)?,
            view: "minimum",
            zone_size: filesystem.zone_size,
            zones: filesystem.zone_size.map(|_| large),
        })
    }
}

/// The request on devices of this size.
fn sized(request: &Request, size: u64) -> Request {
    let mut request = request.clone();
    for device in &mut request.devices {
        device.size = size;
        if let Some(zones) = &device.zones {
            device.zones = Some(Zones::described(size, zones.size, None, 0));
        }
        device.signatures.clear();
    }
    request
}
