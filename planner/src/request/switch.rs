//! Features by name, as requests and command lines switch them.

use super::Feature;
use alloc::string::{String, ToString};
use serde::{Deserialize, Serialize};

/// A feature switched on (`quota`) or off (`^no-holes`), as after `-O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FeatureSwitch {
    /// Which one.
    pub feature: Feature,
    /// On or off.
    pub on: bool,
}

/// A name that is no feature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unrecognized filesystem feature '{0}'")]
pub struct UnknownFeature(pub String);

impl core::str::FromStr for FeatureSwitch {
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<Self, UnknownFeature> {
        let (name, on) = text.strip_prefix('^').map_or((text, true), |name| (name, false));
        let feature = Feature::from_name(name).ok_or_else(|| UnknownFeature(name.to_string()))?;
        Ok(Self { feature, on })
    }
}

impl TryFrom<String> for FeatureSwitch {
    type Error = UnknownFeature;

    fn try_from(text: String) -> Result<Self, UnknownFeature> {
        text.parse()
    }
}

impl From<FeatureSwitch> for String {
    fn from(switch: FeatureSwitch) -> Self {
        alloc::format!("{}{}", if switch.on { "" } else { "^" }, switch.feature)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FeatureSwitch {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "FeatureSwitch".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: alloc::vec::Vec<String> = Feature::ALL
            .into_iter()
            .filter(|feature| feature.traits().switchable)
            .flat_map(|feature| [Some(feature.name()), feature.traits().alias])
            .flatten()
            .flat_map(|name| [name.to_string(), alloc::format!("^{name}")])
            .collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_the_name_of_one_feature() {
        for feature in Feature::ALL {
            let traits = feature.traits();
            for name in [Some(traits.name), traits.alias].into_iter().flatten() {
                assert_eq!(Feature::from_name(name), traits.switchable.then_some(feature), "{name}");
            }
        }
    }

    #[test]
    fn switches_read_as_they_print() {
        for text in ["quota", "^no-holes", "^block-group-tree", "raid-stripe-tree"] {
            assert_eq!(String::from(text.parse::<FeatureSwitch>().unwrap()), text);
        }
        assert_eq!(String::from("^bgt".parse::<FeatureSwitch>().unwrap()), "^block-group-tree");
        assert_eq!("Quota".parse::<FeatureSwitch>(), Err(UnknownFeature("Quota".into())));
        assert_eq!("^mixed-backref".parse::<FeatureSwitch>(), Err(UnknownFeature("mixed-backref".into())));
    }
}
