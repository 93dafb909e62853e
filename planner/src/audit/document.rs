//! Fields of a plan that nothing else shows to be right.

use super::{Code, Findings, Place};
use crate::plan::{FORMAT, Plan};

pub(super) fn check(plan: &Plan, findings: &mut Findings) {
    let place = Place::filesystem();
    findings.equal(Code::DocumentFormat, place, FORMAT, &plan.format);
    let page = plan.filesystem.page_size;
    if !page.is_power_of_two() || !(4096..=65536).contains(&page) {
        findings.add(Code::DocumentPageSize, place, "a power of two from 4096 to 65536", page);
    }
}
