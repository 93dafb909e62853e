//! Errors as objects.

use crate::convert::to_js;
use btrfs_planner::plan::ReadError;
use btrfs_planner::{Request, RequestError};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// What is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// The device at fault, as an index into the request's devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// The field at fault, as requests name it; of the device where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// A request that cannot be planned, or, without a request, a document that is none.
    #[must_use]
    pub fn of_request(error: &RequestError, request: Option<&Request>) -> Self {
        let named = |name: &str| {
            let devices = request.map(|request| request.devices.as_slice()).unwrap_or_default();
            let by_path = devices.iter().position(|device| device.path.as_deref() == Some(name));
            let index = by_path.or_else(|| {
                let number: usize = name.strip_prefix("device ")?.parse().ok()?;
                number.checked_sub(1).filter(|index| *index < devices.len())
            })?;
            u32::try_from(index).ok()
        };
        Self {
            device: error.device().and_then(named),
            field: error.field().map(String::from),
            hint: error.hint().map(String::from),
            message: error.to_string(),
        }
    }

    /// A document that is no plan.
    #[must_use]
    pub fn of_reading(error: &ReadError) -> Self {
        Self { device: None, field: None, hint: Some(error.hint().to_owned()), message: error.to_string() }
    }

    /// Something that was typed or pasted.
    #[must_use]
    pub fn of_input(field: &str, error: &dyn std::error::Error) -> Self {
        Self { device: None, field: Some(field.to_owned()), hint: None, message: error.to_string() }
    }

    /// Something that the page passed on in another shape than it should.
    #[must_use]
    pub const fn of_shape(message: String) -> Self {
        Self { device: None, field: None, hint: None, message }
    }
}

impl From<Problem> for JsValue {
    fn from(problem: Problem) -> Self {
        // A struct of texts: only the engine itself could refuse it.
        to_js(&problem).unwrap_or_else(|error| error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::{DeviceFacts, Profile};

    #[test]
    fn problems_name_field_and_device() {
        let gib = 1 << 30;
        let new = |sizes: &[u64]| Request::new(sizes.iter().copied().map(DeviceFacts::described).collect(), "s", 1);
        let mut label = new(&[gib]);
        label.label = "x".repeat(300);
        let mut few = new(&[gib]);
        few.data = Some(Profile::Raid6);
        let mut path = new(&[gib, 5]);
        path.devices[1].path = Some("/dev/b".to_owned());
        for (request, field, device) in [
            (new(&[]), "devices", None),
            (new(&[gib, 5]), "size", Some(1)),
            (path, "size", Some(1)),
            (label, "label", None),
            (few, "data", None),
        ] {
            let error = btrfs_planner::plan(&request).unwrap_err();
            let problem = Problem::of_request(&error, Some(&request));
            assert_eq!((problem.field.as_deref(), problem.device), (Some(field), device), "{error}");
        }
    }
}
