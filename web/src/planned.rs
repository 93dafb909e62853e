//! A plan in memory, and every question the page asks of it.

use crate::convert::to_js;
use crate::zones::zones;
use crate::{Glance, Problem, Resilience, Window};
use btrfs_planner::audit::audit_plan;
use btrfs_planner::plan::{Draft, ReadError};
use btrfs_planner::schedule::discard_requests;
use btrfs_planner::view::{self, BlockView, CapacityView, DeviceDetail, NotThere, Overview, SuperblockView};
use btrfs_planner::{Plan, Request, draft};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// A document that is not a plan to be trusted.
pub type Unreadable = ReadError;

/// A plan, made here or read from a document.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Planned {
    plan: Draft,
    /// What was asked, where the plan was made here.
    request: Option<Request>,
}

#[wasm_bindgen]
impl Planned {
    /// Plans a request, given as a document.
    pub fn plan(request: &str) -> Result<Planned, JsValue> {
        let request = Request::from_json(request.as_bytes()).map_err(|error| Problem::of_request(&error, None))?;
        let plan = draft(&request).map_err(|error| Problem::of_request(&error, Some(&request)))?;
        Ok(Self { plan, request: Some(request) })
    }

    /// Reads a plan: shape, seal and soundness are checked.
    pub fn read(text: &[u8]) -> Result<Planned, JsValue> {
        let plan = Plan::from_json(text).map_err(|error| Problem::of_reading(&error))?;
        Ok(Self { plan: plan.into(), request: None })
    }

    /// The document, as `btrfs-plan` prints it.
    pub fn json(&mut self) -> String {
        self.plan.sealed().to_json()
    }

    /// The seal, in 64 hexadecimal digits. A plan made here is sealed when it is first asked for.
    pub fn seal(&mut self) -> String {
        self.plan.sealed().seal.to_string()
    }

    /// What is shown of every plan.
    pub fn glance(&self) -> Result<JsValue, JsValue> {
        to_js(&Glance::of(self.plan.unsealed()))
    }

    /// A part of a device's map, drawn in `cells`.
    pub fn window(&self, devid: u64, start: u64, length: u64, cells: u32) -> Result<JsValue, JsValue> {
        to_js(&Window::of(self.plan.unsealed(), devid, start, length, cells).map_err(|error| missing(&error))?)
    }

    /// A device with every range and every write.
    pub fn device(&self, devid: u64) -> Result<JsValue, JsValue> {
        let mut detail = DeviceDetail::of(self.plan.unsealed(), devid).map_err(|error| missing(&error))?;
        detail.overview.map.clear();
        to_js(&detail)
    }

    /// The zones of a device that are not empty before or after.
    pub fn zones(&self, devid: u64) -> Result<JsValue, JsValue> {
        to_js(&zones(self.plan.unsealed(), devid))
    }

    /// The index of tree blocks.
    pub fn blocks(&self) -> Result<JsValue, JsValue> {
        to_js(&self.plan.unsealed().blocks)
    }

    /// A tree block with all its fields and its places.
    pub fn block(&self, logical: u64) -> Result<JsValue, JsValue> {
        to_js(&BlockView::of(self.plan.unsealed(), logical).map_err(|error| missing(&error))?)
    }

    /// The primary superblock of a device with all its fields.
    pub fn superblock(&self, devid: u64) -> Result<JsValue, JsValue> {
        to_js(&SuperblockView::of(self.plan.unsealed(), devid).map_err(|error| missing(&error))?)
    }

    /// The discard requests of a device, three ways; `undefined` for a plan that was read.
    #[wasm_bindgen(js_name = discardRequests)]
    pub fn discard_requests(&self, devid: u64) -> Result<JsValue, JsValue> {
        let Some(request) = &self.request else { return Ok(JsValue::UNDEFINED) };
        let devices = discard_requests(request).map_err(|error| Problem::of_request(&error, Some(request)))?;
        let device = devid.checked_sub(1).and_then(|index| devices.get(usize::try_from(index).ok()?));
        to_js(&device)
    }

    /// What an audit finds.
    pub fn audit(&self) -> Result<JsValue, JsValue> {
        to_js(&audit_plan(self.plan.unsealed()))
    }

    /// What is left when devices are lost.
    pub fn resilience(&self, lost: Vec<u64>) -> Result<JsValue, JsValue> {
        to_js(&Resilience::of(self.plan.unsealed(), &lost))
    }

    /// How much the filesystem can hold, and why not more.
    pub fn capacity(&self) -> Result<JsValue, JsValue> {
        to_js(&CapacityView::of(self.plan.unsealed()).map_err(|error| Problem::of_shape(error.to_string()))?)
    }

    /// What another plan has that this one has not, and the other way round.
    pub fn diff(&mut self, other: &mut Planned) -> Result<JsValue, JsValue> {
        to_js(&view::diff(self.plan.sealed(), other.plan.sealed()))
    }

    /// The map of all devices as one SVG.
    pub fn svg(&self) -> String {
        view::svg(&Overview::of(self.plan.unsealed()))
    }

    /// The plan as a report in HTML, with what the audit finds.
    pub fn report(&mut self) -> String {
        let plan = self.plan.sealed();
        view::html(&Overview::of(plan), Some(&audit_plan(plan)))
    }

    /// The plan in a screenful of text.
    pub fn summary(&mut self) -> String {
        view::summary(self.plan.sealed())
    }
}

fn missing(error: &NotThere) -> JsValue {
    Problem { device: None, field: None, hint: error.hint(), message: error.to_string() }.into()
}
