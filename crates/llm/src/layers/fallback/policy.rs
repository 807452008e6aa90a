//! Which failures another model is asked after, and who may answer a request.

use crate::{Capabilities, ChatRequest, ModelError, Part, ResponseFormat, StructuredSupport};

/// After which failures of the models before it a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackOn {
    /// The other one cannot answer now, or not so long a request: its server limits, fails, hangs or cannot be reached, it
    /// has not the context or not the ability.
    #[default]
    Unavailable,
    /// Also a key that is refused, a quota that is spent, a request that is rejected and an answer that is refused.
    AnyFailure,
}

impl FallbackOn {
    /// Whether another model is asked after `error`. What this program itself refuses or gets wrong (a spent budget, a
    /// recording that lacks the call, a fault) is no failure of a model.
    pub fn takes(self, error: &ModelError) -> bool {
        match error {
            ModelError::RateLimited { .. }
            | ModelError::Server { .. }
            | ModelError::Unreachable { .. }
            | ModelError::Timeout { .. }
            | ModelError::StreamInterrupted { .. }
            | ModelError::Unreadable { .. }
            | ModelError::ContextLength { .. }
            | ModelError::TooLarge { .. }
            | ModelError::Unsupported { .. } => true,
            ModelError::Auth { .. }
            | ModelError::Quota { .. }
            | ModelError::Invalid { .. }
            | ModelError::Refused { .. } => self == Self::AnyFailure,
            _ => false,
        }
    }
}

/// Why a model cannot take a request, in words; `None` when it can.
pub(super) fn lacks(capabilities: &Capabilities, request: &ChatRequest, expected: u64) -> Option<String> {
    let parts = || request.messages.iter().flat_map(|message| &message.parts);
    if !capabilities.images && parts().any(|part| matches!(part, Part::Image { .. })) {
        return Some("reads no images".to_owned());
    }
    if !capabilities.documents && parts().any(|part| matches!(part, Part::Document { .. })) {
        return Some("reads no documents".to_owned());
    }
    if !capabilities.tools && !request.tools.is_empty() {
        return Some("calls no tools".to_owned());
    }
    match capabilities.context {
        Some(context) if expected > u64::from(context) => {
            Some(format!("reads {context} tokens, and the request needs about {expected}"))
        }
        _ => None,
    }
}

/// Whether a model sees to it that an answer has the form that is asked for.
pub(super) fn enforces(capabilities: &Capabilities, request: &ChatRequest) -> bool {
    match request.format {
        ResponseFormat::Text => true,
        ResponseFormat::JsonObject => capabilities.structured != StructuredSupport::Prompted,
        ResponseFormat::JsonSchema { .. } => {
            matches!(capabilities.structured, StructuredSupport::Constrained | StructuredSupport::JsonSchema)
        }
    }
}
