//! Reading a plan strictly: nothing unknown, nothing out of place, and the seal intact.

use super::{FORMAT, Plan, PlanProblem, Seal};
use alloc::string::{String, ToString};
use serde::Deserialize;

/// Why a document is not a plan that may be trusted to be what was sealed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not JSON, or cut off.
    #[error("not a plan: {0}")]
    Syntax(String),
    /// A plan of another format.
    #[error("the plan has the format '{0}', this program reads '{FORMAT}'")]
    Format(String),
    /// JSON, but not of a plan's shape.
    #[error("not a plan of the format '{FORMAT}': {0}")]
    Shape(String),
    /// The content is not what was sealed.
    #[error("the seal is broken: the plan says {found}, its content gives {expected}")]
    Seal {
        /// What the document says.
        found: Seal,
        /// What its content gives.
        expected: Seal,
        /// Whether the content has integers that programs with floating-point numbers round.
        large_integers: bool,
    },
    /// The seal is right, but the plan asks for something that makes no sense.
    #[error("the plan is sealed but not sound: {0}")]
    Unsound(#[from] PlanProblem),
}

impl ReadError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "was it cut off on the way? make it again with btrfs-plan",
            Self::Format(_) => "use the version of the program that made it, or make it again",
            Self::Shape(message) if message.contains("floating point") => {
                "a tool on the way rounded integers (jq before 1.7 does): pass the plan on untouched"
            }
            Self::Shape(_) => "was it edited, or made by another version? make it again with btrfs-plan",
            Self::Seal { large_integers: true, .. } => {
                "it was changed after planning; integers past 2^53 are rounded by some tools (jq before 1.7 is one): \
                 pass the plan on untouched"
            }
            Self::Seal { .. } => "it was changed after planning: plan again rather than edit",
            Self::Unsound(_) => "this is an error of the program that made it; do not run it",
        }
    }
}

impl Plan {
    /// Reads a document, and checks its shape, its seal and the soundness of its schedule.
    pub fn from_json(text: &[u8]) -> Result<Self, ReadError> {
        /// The one field that decides how to read the others.
        #[derive(Deserialize)]
        struct Header {
            format: Option<String>,
        }

        let header: Header = serde_json::from_slice(text).map_err(|error| ReadError::Syntax(error.to_string()))?;
        match header.format {
            Some(format) if format == FORMAT => {}
            Some(format) => return Err(ReadError::Format(format)),
            None => return Err(ReadError::Syntax("there is no `format`".to_string())),
        }
        let plan: Self = serde_json::from_slice(text).map_err(|error| ReadError::Shape(error.to_string()))?;
        let expected = plan.expected_seal();
        if plan.seal != expected {
            let large_integers = plan.devices.iter().any(|device| device.size.max(device.found.size) > 1 << 53);
            return Err(ReadError::Seal { found: plan.seal, expected, large_integers });
        }
        plan.check()?;
        plan.check_payloads(text.len())?;
        Ok(plan)
    }
}
