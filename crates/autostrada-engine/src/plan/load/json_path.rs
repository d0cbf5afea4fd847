//! A value in a JSON message, found without storing the rest of the message.

use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::plan::PlanError;

/// Names and indices that lead to a value: `$.params.id`, `$[0].id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(usize),
}

impl FromStr for JsonPath {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new(format!("{text:?} is not a path such as $.id or $[0].id"));
        let mut rest = text.strip_prefix('$').ok_or_else(wrong)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(name) = rest.strip_prefix('.') {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                if end == 0 {
                    return Err(wrong());
                }
                steps.push(Step::Name(name[..end].to_owned()));
                rest = &name[end..];
            } else {
                let index = rest.strip_prefix('[').ok_or_else(wrong)?;
                let (index, after) = index.split_once(']').ok_or_else(wrong)?;
                steps.push(Step::Index(index.parse().map_err(|_| wrong())?));
                rest = after;
            }
        }
        if steps.is_empty() {
            return Err(wrong());
        }
        Ok(Self { steps })
    }
}

impl JsonPath {
    /// Returns the value as it is written, a text without its quotes; `None` if the message has no
    /// such value or is not JSON up to it.
    pub fn find<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let mut found = None;
        let find = Find {
            steps: &self.steps,
            found: &mut found,
        };
        // The visitor stops with an error when it has found the value.
        let _ = find.deserialize(&mut serde_json::Deserializer::from_slice(message));
        let value = found?.get();
        let text = value
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        Some(text.unwrap_or(value).as_bytes())
    }
}

/// Follows the rest of a path.
struct Find<'p, 'm> {
    steps: &'p [Step],
    found: &'p mut Option<&'m RawValue>,
}

impl<'m> DeserializeSeed<'m> for Find<'_, 'm> {
    type Value = ();

    fn deserialize<D: Deserializer<'m>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.steps.first() {
            None => {
                *self.found = Some(serde::Deserialize::deserialize(deserializer)?);
                Err(D::Error::custom("found"))
            }
            Some(Step::Name(_)) => deserializer.deserialize_map(self),
            Some(Step::Index(_)) => deserializer.deserialize_seq(self),
        }
    }
}

impl<'m> Visitor<'m> for Find<'_, 'm> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'m>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((Step::Name(name), rest)) = self.steps.split_first() else {
            return Ok(());
        };
        while let Some(is_step) = map.next_key_seed(Is(name))? {
            if is_step {
                map.next_value_seed(Find {
                    steps: rest,
                    found: self.found,
                })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'m>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some((Step::Index(index), rest)) = self.steps.split_first() else {
            return Ok(());
        };
        for _ in 0..*index {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        seq.next_element_seed(Find {
            steps: rest,
            found: self.found,
        })?;
        Ok(())
    }
}

/// Whether a key is a name.
struct Is<'p>(&'p str);

impl<'m> DeserializeSeed<'m> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'m>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'m>(path: &str, message: &'m str) -> Option<&'m str> {
        let path: JsonPath = path.parse().unwrap();
        let found = path.find(message.as_bytes())?;
        Some(std::str::from_utf8(found).unwrap())
    }

    #[test]
    fn a_value_is_found_at_any_depth() {
        let message = r#" {"a": {"b": [1, {"id": "x"}], "id": -2.5e3}, "id": 7, "x\ny": 1} "#;
        assert_eq!(find("$.id", message), Some("7"));
        assert_eq!(find("$.a.id", message), Some("-2.5e3"));
        assert_eq!(find("$.a.b[1].id", message), Some("x"));
        assert_eq!(find("$.a.b[0]", message), Some("1"));
        assert_eq!(find("$[1]", r#"["echo", 5, {"n": 1}]"#), Some("5"));
    }

    #[test]
    fn other_messages_have_no_value() {
        for message in ["", "hello", "[1]", "{}", r#"{"a": 1}"#, r#"{"id""#, "7"] {
            assert_eq!(find("$.id", message), None, "{message}");
        }
        assert_eq!(find("$[3]", "[1, 2]"), None);
        // The message after the value is not read.
        assert_eq!(find("$.id", r#"{"id": 7, broken"#), Some("7"));
    }

    #[test]
    fn other_paths_are_refused() {
        for path in ["", "$", "id", "$id", "$.", "$..a", "$[x]", "$[1", "$.a[]"] {
            assert!(path.parse::<JsonPath>().is_err(), "{path}");
        }
    }
}
