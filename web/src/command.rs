//! Command lines for a request.

use crate::size_text;
use btrfs_planner::Request;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{Defaults, DeviceFacts, DeviceKind, DiscardLimits, DiscardStrategy, Feature, Zones};
use serde::Serialize;
use std::fmt::Write;

/// The most bytes of one discard that a description stands for.
const ANY_LENGTH: u64 = 1 << 50;

/// Command lines to copy, for a POSIX shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commands {
    /// Plans the same options for real devices, whose paths are to be filled in where they are not known.
    pub devices: String,
    /// Makes the same plan, byte for byte, from described devices; absent where a device is more than can be described.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    /// Makes the same plan, byte for byte, from the saved request.
    pub request: String,
}

/// The command lines of a request.
#[must_use]
pub fn commands(request: &Request) -> Commands {
    let options = options(request);
    let described: Option<Vec<String>> = request.devices.iter().map(describe).collect();
    let of_identity =
        format!(" --seed {} --time {} --page-size {}", quoted(&request.identity.seed), request.time, request.page_size);
    let mut devices = format!("btrfs-plan{options} -o plan.json");
    for (number, device) in (1_u64..).zip(&request.devices) {
        let path = device.path.clone().unwrap_or_else(|| format!("/dev/DEVICE{number}"));
        let _ = write!(devices, " {}", quoted(&path));
    }
    let described = described.filter(|devices| !devices.is_empty()).map(|devices| {
        let targets: Vec<String> = devices.iter().map(|device| quoted(device)).collect();
        format!("btrfs-plan{options}{of_identity} -o plan.json {}", targets.join(" "))
    });
    Commands { devices, described, request: "btrfs-plan --request request.json -o plan.json".to_owned() }
}

fn options(request: &Request) -> String {
    let mut line = String::new();
    let mut option = |name: &str, value: &str| {
        let _ = write!(line, " {name} {}", quoted(value));
    };
    if let Some(data) = request.data {
        option("-d", data.name());
    }
    if let Some(metadata) = request.metadata {
        option("-m", metadata.name());
    }
    if let Some(bytes) = request.byte_count.filter(|bytes| *bytes > 0) {
        option("-b", &exact(bytes));
    }
    if request.checksum != ChecksumType::default() {
        option("--checksum", request.checksum.name());
    }
    for (name, size) in [("-n", request.node_size), ("-s", request.sector_size)] {
        if let Some(size) = size.filter(|size| *size > 0) {
            option(name, &size.to_string());
        }
    }
    if !request.features.is_empty() {
        let names: Vec<String> = request.features.iter().map(|switch| String::from(*switch)).collect();
        option("-O", &names.join(","));
    }
    if !request.label.is_empty() {
        option("-L", &request.label);
    }
    if let Some(fsid) = request.identity.fsid {
        option("-U", &fsid.to_string());
    }
    for uuid in &request.identity.device_uuids {
        option("--device-uuid", &uuid.to_string());
    }
    if request.discard != DiscardStrategy::default() {
        option("--discard", request.discard.name());
    }
    if request.defaults != Defaults::default() {
        option("--defaults", request.defaults.name());
    }
    if let Some(kernel) = request.target_kernel {
        option("--target-kernel", &kernel.to_string());
    }
    if let Some(bytes) = request.emulated_zone_size {
        option("--param", &format!("zone-size={}", exact(bytes)));
    }
    if let Some(roots) = global_roots(request) {
        option("--num-global-roots", &roots.to_string());
    }
    for (flag, on) in [(" --drop-unsupported", request.drop_unsupported), (" --experimental", request.experimental)] {
        if on {
            line.push_str(flag);
        }
    }
    if request.mixed {
        line.push_str(" -M");
    }
    if request.force {
        line.push_str(" -f");
    }
    line
}

/// How many extent trees there are: a command line without a number takes that of its machine's processors.
fn global_roots(request: &Request) -> Option<u64> {
    let several = request.switch(Feature::ExtentTreeV2) == Some(true);
    request.global_roots.or_else(|| several.then_some(1))
}

/// A device as a target that describes it; `None` where a description cannot say all of it.
fn describe(device: &DeviceFacts) -> Option<String> {
    let DeviceFacts {
        discard,
        kind,
        logical_sector,
        model,
        path,
        physical_sector,
        rotational,
        serial,
        signatures,
        size,
        zones,
    } = device;
    if *kind != DeviceKind::Described || !signatures.is_empty() {
        return None;
    }
    let mut text = format!("size={}", exact(*size));
    if *logical_sector != 512 {
        let _ = write!(text, ",sector={logical_sector}");
    }
    if physical_sector != logical_sector {
        let _ = write!(text, ",physical={physical_sector}");
    }
    if *rotational {
        text.push_str(",rotational");
    }
    match discard {
        None => {}
        Some(DiscardLimits { alignment: 0, granularity, max_bytes: ANY_LENGTH }) if *granularity > 0 => {
            let _ = write!(text, ",discard={}", exact(*granularity));
        }
        Some(_) => return None,
    }
    if let Some(zones) = zones {
        text.push_str(&describe_zones(zones, *size)?);
    }
    for (name, value) in [("model", model), ("serial", serial), ("path", path)] {
        match value {
            None => {}
            Some(value) if !value.is_empty() && !value.contains(',') => {
                let _ = write!(text, ",{name}={value}");
            }
            Some(_) => return None,
        }
    }
    Some(text)
}

fn describe_zones(zones: &Zones, device: u64) -> Option<String> {
    let conventional = zones.count_of(|state| state == btrfs_planner::request::ZoneState::Conventional).ok()?;
    let capacity = zones.runs.iter().find_map(|run| run.capacity);
    let plain = Zones::described(device, zones.size, capacity, conventional);
    if (Zones { max_active: zones.max_active, max_open: zones.max_open, ..plain }) != *zones {
        return None;
    }
    let mut text = format!(",zone={}", exact(zones.size));
    if let Some(capacity) = capacity {
        let _ = write!(text, ",capacity={}", exact(capacity));
    }
    for (name, value) in
        [("conventional", conventional), ("active", zones.max_active.into()), ("open", zones.max_open.into())]
    {
        if value > 0 {
            let _ = write!(text, ",{name}={value}");
        }
    }
    Some(text)
}

/// Without decimals, which the command line does not take.
fn exact(bytes: u64) -> String {
    let text = size_text(bytes);
    if text.contains('.') { bytes.to_string() } else { text }
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=,:@%+".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::{Profile, Signature};

    #[test]
    fn lines_say_all_that_was_asked() {
        let mut request =
            Request::new(vec![DeviceFacts::described(10 << 40), DeviceFacts::described((1 << 30) + 512)], "it's", 7);
        request.metadata = Some(Profile::Raid1);
        request.label = "my disk".to_owned();
        request.devices[0].rotational = true;
        let lines = commands(&request);
        assert_eq!(
            lines.described.as_deref(),
            Some(
                r"btrfs-plan -m raid1 -L 'my disk' --seed 'it'\''s' --time 7 --page-size 4096 -o plan.json size=10T,rotational size=1073742336"
            )
        );
        assert_eq!(lines.devices, "btrfs-plan -m raid1 -L 'my disk' -o plan.json /dev/DEVICE1 /dev/DEVICE2");
        request.devices[1].signatures.push(Signature {
            kind: "ext4".to_owned(),
            label: None,
            length: 2,
            offset: 1080,
            usage: "filesystem".to_owned(),
            uuid: None,
        });
        assert_eq!(commands(&request).described, None);
    }
}
