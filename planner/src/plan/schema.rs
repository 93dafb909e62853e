//! The published JSON Schemas.

use super::Plan;
use super::bytes::Part;
use super::seal::Seal;
use crate::request::Request;
use crate::schedule::{ByteRange, WriteAt};
use alloc::borrow::Cow;
use alloc::string::String;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The JSON Schema of a plan.
#[must_use]
pub fn plan_schema() -> String {
    print(&schemars::schema_for!(Plan))
}

/// The JSON Schema of a request.
#[must_use]
pub fn request_schema() -> String {
    print(&schemars::schema_for!(Request))
}

fn print(schema: &Schema) -> String {
    // A schema is plain JSON: serialization into memory cannot fail.
    serde_json::to_string_pretty(schema).unwrap_or_default()
}

impl JsonSchema for Seal {
    fn schema_name() -> Cow<'static, str> {
        "Seal".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the canonical form: what `jq -cjS 'del(.seal)'` prints"
        })
    }
}

impl JsonSchema for Part {
    fn schema_name() -> Cow<'static, str> {
        "Part".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "minItems": 2, "maxItems": 2, "items": false,
            "prefixItems": [{ "type": "integer", "minimum": 0 }, { "type": "string", "contentEncoding": "base64" }],
            "description": "[offset in the payload, bytes in base64]"
        })
    }
}

impl JsonSchema for ByteRange {
    fn schema_name() -> Cow<'static, str> {
        "ByteRange".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "minItems": 2, "maxItems": 2, "items": false,
            "prefixItems": [{ "type": "integer", "minimum": 0 }, { "type": "integer", "minimum": 1 }],
            "description": "[start, length] in bytes"
        })
    }
}

impl JsonSchema for WriteAt {
    fn schema_name() -> Cow<'static, str> {
        "WriteAt".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "minItems": 2, "maxItems": 2, "items": false,
            "prefixItems": [{ "type": "integer", "minimum": 0 }, { "type": "integer", "minimum": 0 }],
            "description": "[byte offset on the device, index into payloads]"
        })
    }
}
