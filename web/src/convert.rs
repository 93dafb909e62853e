//! Between Rust and JavaScript.

use crate::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// 64-bit integers as `BigInt`s, whatever their value; maps as plain objects.
pub(crate) fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true).serialize_maps_as_objects(true);
    Ok(value.serialize(&serializer)?)
}

pub(crate) fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(|error| Problem::of_shape(error.to_string()).into())
}
