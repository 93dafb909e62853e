//! What is left when devices are lost.

use btrfs_planner::Plan;
use btrfs_planner::layout::capacity::StripeSet;
use btrfs_planner::plan::{Chunk, ChunkKind, Profile};
use btrfs_planner::units::DevId;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is left of a filesystem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resilience {
    /// Every chunk, in the plan's order.
    pub chunks: Vec<ChunkFate>,
    /// What a kernel would say.
    pub verdict: ChunkSurvival,
}

/// How a chunk fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChunkFate {
    /// What it holds.
    pub kind: ChunkKind,
    /// Its logical address.
    pub logical: u64,
    /// Stripes that are lost.
    pub lost: u32,
    /// How it is spread.
    pub profile: Profile,
    /// Its stripes.
    pub stripes: u32,
    /// What of it can be read.
    pub survival: ChunkSurvival,
}

/// How much survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChunkSurvival {
    /// Nothing is missing.
    Whole,
    /// Everything can be read, from fewer copies or with the help of parity.
    Degraded,
    /// Some of it is lost.
    Lost,
}

impl Resilience {
    /// The plan's filesystem without these devices.
    #[must_use]
    pub fn of(plan: &Plan, lost: &[u64]) -> Self {
        let lost = lost.iter().copied().map(DevId::new).collect();
        let chunks: Vec<ChunkFate> = plan.chunks.iter().map(|chunk| fate(chunk, &lost)).collect();
        let verdict = chunks.iter().map(|chunk| chunk.survival).max().unwrap_or(ChunkSurvival::Whole);
        Self { chunks, verdict }
    }
}

fn fate(chunk: &Chunk, lost: &BTreeSet<DevId>) -> ChunkFate {
    let devices: Vec<DevId> = chunk.stripes.iter().map(|stripe| stripe.devid).collect();
    let count = devices.iter().filter(|devid| lost.contains(devid)).count();
    let stripes = devices.len();
    let set = StripeSet { bytes: chunk.length, devices, kind: chunk.kind, profile: chunk.profile };
    let readable = set.readable_without(lost);
    let survival = match (count, readable) {
        (0, _) => ChunkSurvival::Whole,
        (_, true) => ChunkSurvival::Degraded,
        (_, false) => ChunkSurvival::Lost,
    };
    let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    ChunkFate {
        kind: chunk.kind,
        logical: chunk.logical.get(),
        lost: small(count),
        profile: chunk.profile,
        stripes: small(stripes),
        survival,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::Request;
    use btrfs_planner::request::DeviceFacts;

    /// For any profile and any set of lost devices: what the table of profiles promises is kept.
    #[test]
    fn as_many_devices_as_promised_may_be_lost() {
        for profile in Profile::ALL.into_iter().filter(|profile| *profile != Profile::Dup) {
            let mut request = Request::new(vec![DeviceFacts::described(10 << 30); 4], "r", 1);
            (request.data, request.metadata) = (Some(profile), Some(profile));
            let plan = btrfs_planner::plan(&request).unwrap();
            for set in 0_u64..16 {
                let lost: Vec<u64> = (1..=4).filter(|devid| set & (1 << (devid - 1)) != 0).collect();
                let left = Resilience::of(&plan, &lost);
                if lost.len() as u64 <= profile.traits().tolerated_failures {
                    assert_ne!(left.verdict, ChunkSurvival::Lost, "{profile} without {lost:?}");
                }
                if lost.len() == 4 {
                    assert_eq!(left.verdict, ChunkSurvival::Lost, "{profile}");
                }
                assert_eq!(left.verdict == ChunkSurvival::Whole, left.chunks.iter().all(|chunk| chunk.lost == 0));
            }
        }
    }
}
