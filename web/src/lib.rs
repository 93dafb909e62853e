//! The planner for browsers: converts a request, calls the planner, converts the plan back.

use btrfs_planner::{Plan, Request, RequestError};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// A plan for a request, both as JavaScript objects. Integers of the plan are `BigInt`s: a device's size need not fit
/// into a `Number`.
#[wasm_bindgen]
pub fn plan(request: JsValue) -> Result<JsValue, JsError> {
    let request: Request = serde_wasm_bindgen::from_value(request)?;
    let plan = sealed(&request)?;
    let integers_as_they_are = Serializer::new().serialize_large_number_types_as_bigints(true);
    Ok(plan.serialize(&integers_as_they_are)?)
}

/// A plan for a request, both as JSON: the document that `btrfs-exec` runs, since no `Number` touches it.
#[wasm_bindgen]
pub fn plan_json(request_text: &str) -> Result<String, JsError> {
    let request = Request::from_json(request_text.as_bytes()).map_err(|error| explain(&error))?;
    Ok(sealed(&request)?.to_json())
}

fn sealed(request: &Request) -> Result<Plan, JsError> {
    btrfs_planner::plan(request).map_err(|error| explain(&error))
}

/// What is wrong and, on a line of its own, what to do about it.
fn explain(error: &RequestError) -> JsError {
    match error.hint() {
        Some(hint) => JsError::new(&format!("{error}\n{hint}")),
        None => JsError::new(&error.to_string()),
    }
}
