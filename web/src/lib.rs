//! The planner for browsers: converts a request, calls the planner, converts what comes back.
//!
//! Read it in this order: `planned` (a plan in memory, and every question the page asks of it), `glance` (what is shown of every plan), `window` (a part of a
//! device's map), `zones`, `choices` (the tables behind the form), `size`, `lsblk` and `command` (what people
//! type and paste, and what they copy), `problem` (every error as an object that names the field at fault).
//!
//! 64-bit integers are `BigInt`s on the other side: a device's size need not fit into a `Number`. The page's types are
//! made from the JSON Schema of these types ([`schema`], with the feature of that name), never written twice.

mod choices;
mod command;
mod convert;
mod glance;
mod lsblk;
mod planned;
mod problem;
mod resilience;
#[cfg(feature = "schema")]
pub mod schema;
mod size;
mod window;
mod zones;

pub use choices::{Choices, FeatureChoice, ProfileChoice};
pub use command::{Commands, commands};
pub use glance::{DeviceGlance, Glance};
pub use lsblk::{Imported, lsblk};
pub use planned::{Planned, Unreadable};
pub use problem::Problem;
pub use resilience::{ChunkFate, ChunkSurvival, Resilience};
pub use size::{SizeError, parse_size, size_text};
pub use window::{Piece, Window};
pub use zones::ZoneView;

use btrfs_planner::Request;
use btrfs_planner::request::KernelVersion;
use convert::{from_js, to_js};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// The tables behind the form: profiles, features, checksums.
#[wasm_bindgen(js_name = choices)]
pub fn choices_for_page() -> Result<JsValue, JsValue> {
    to_js(&Choices::new())
}

/// Bytes from what people write: `10T`, `931.5GiB`, `4096`.
#[wasm_bindgen(js_name = parseSize)]
pub fn parse_size_for_page(text: &str) -> Result<u64, JsValue> {
    parse_size(text).map_err(|error| Problem::of_input("size", &error).into())
}

/// The shortest exact way to write a number of bytes.
#[wasm_bindgen(js_name = sizeText)]
#[must_use]
pub fn size_text_for_page(bytes: u64) -> String {
    size_text(bytes)
}

/// A kernel version in the notation of documents, from what machines say: `6.1.0-28-amd64` is `6.1`.
#[wasm_bindgen(js_name = kernelVersion)]
pub fn kernel_version(text: &str) -> Result<String, JsValue> {
    let version = text.trim().parse::<KernelVersion>();
    version.map(|version| version.to_string()).map_err(|error| Problem::of_input("target_kernel", &error).into())
}

/// Bytes in the largest unit, with two decimals: for reading, not exact.
#[wasm_bindgen(js_name = readableSize)]
#[must_use]
pub fn readable_size(bytes: u64) -> String {
    btrfs_planner::view::Size(bytes).to_string()
}

/// A saved request, as `btrfs-plan --print-request` prints it.
#[wasm_bindgen(js_name = readRequest)]
pub fn read_request(text: &str) -> Result<JsValue, JsValue> {
    to_js(&Request::from_json(text.as_bytes()).map_err(|error| Problem::of_request(&error, None))?)
}

/// A request as the document that `btrfs-plan --request` reads.
#[wasm_bindgen(js_name = writeRequest)]
pub fn write_request(request: JsValue) -> Result<String, JsValue> {
    Ok(from_js::<Request>(request)?.to_json())
}

/// Devices from the output of `lsblk -JbO`.
#[wasm_bindgen(js_name = readLsblk)]
pub fn read_lsblk(text: &str) -> Result<JsValue, JsValue> {
    to_js(&lsblk(text).map_err(|error| Problem::of_input("devices", &error))?)
}

/// Command lines that make the plan of a request.
#[wasm_bindgen(js_name = commands)]
pub fn commands_for_page(request: JsValue) -> Result<JsValue, JsValue> {
    to_js(&commands(&from_js(request)?))
}
