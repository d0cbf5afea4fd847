//! The number of frames per write, of a client or a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of frames written with one system call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FramesPerWrite {
    /// As many frames as wait to be sent and the kernel accepts.
    #[default]
    Many,
    /// One frame.
    One,
}
