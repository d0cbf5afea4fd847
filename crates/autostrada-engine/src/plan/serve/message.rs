//! The message that `serve` pushes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;

use super::protocol::ServeProtocolKind;
use crate::plan::PlanError;

/// The message of `/N`. Exactly one of `text` and `base64` is required.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServePayload {
    /// Text of the message, which is sent as a text message.
    text: Option<String>,
    /// Bytes of the message, encoded in base64, which is sent as a binary message.
    base64: Option<String>,
}

impl Default for ServePayload {
    fn default() -> Self {
        Self {
            text: Some("hello world".to_owned()),
            base64: None,
        }
    }
}

impl ServePayload {
    /// Checks the constraints that the types do not express.
    pub(super) fn check(&self, protocol: ServeProtocolKind) -> Result<(), PlanError> {
        let (_, payload) = self.decode()?;
        let bytes_max = u32::MAX as usize;
        if protocol == ServeProtocolKind::FramedTcp && payload.len() > bytes_max {
            return Err(PlanError::new(format!(
                "workload.payload: framed-tcp carries at most {bytes_max} bytes"
            )));
        }
        Ok(())
    }

    /// Returns whether the message is a text, and its bytes.
    /// Returns an error if not exactly one of `text` and `base64` is given, or the base64 is
    /// invalid.
    pub fn decode(&self) -> Result<(bool, Vec<u8>), PlanError> {
        match (&self.text, &self.base64) {
            (Some(text), None) => Ok((true, text.clone().into_bytes())),
            (None, Some(base64)) => STANDARD
                .decode(base64)
                .map(|bytes| (false, bytes))
                .map_err(|error| PlanError::new(format!("workload.payload.base64: {error}"))),
            _ => Err(PlanError::new(
                "workload.payload: set exactly one of text and base64",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Result<(bool, Vec<u8>), PlanError> {
        serde_json::from_str::<ServePayload>(json).unwrap().decode()
    }

    #[test]
    fn it_is_a_text_or_bytes() {
        assert_eq!(decode(r#"{"text": "hi"}"#).unwrap(), (true, b"hi".to_vec()));
        assert_eq!(
            decode(r#"{"base64": "AP8="}"#).unwrap(),
            (false, vec![0, 255])
        );
        assert_eq!(ServePayload::default().decode().unwrap().1, b"hello world");
    }

    #[test]
    fn anything_else_is_refused_with_the_key() {
        for json in ["{}", r#"{"text": "", "base64": ""}"#, r#"{"base64": "?"}"#] {
            let error = decode(json).unwrap_err().to_string();
            assert!(error.contains("workload.payload"), "{json}: {error}");
        }
    }
}
