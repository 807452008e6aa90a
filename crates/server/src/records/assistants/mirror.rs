//! The two places of an assistant's context: `context`, and `configurable` in its `config`.

use serde_json::{Map, Value};

use super::super::error::RecordError;

type Fields = Map<String, Value>;

/// Sets what a request gives of configuration and context, and makes the two say the same. What is not given stays.
///
/// # Errors
/// [`RecordError::BadRequest`] when both are given and differ.
pub(super) fn set(
    config: &mut Fields,
    context: &mut Fields,
    new_config: Option<&Fields>,
    new_context: Option<&Fields>,
) -> Result<(), RecordError> {
    let configurable = match new_config.and_then(|config| config.get("configurable")) {
        None | Some(Value::Null) => None,
        Some(Value::Object(configurable)) => Some(configurable).filter(|fields| !fields.is_empty()),
        Some(other) => {
            let message = format!("`config.configurable` is `{other}`, it must be an object");
            return Err(RecordError::BadRequest(message));
        }
    };
    if let (Some(configurable), Some(new_context)) = (configurable, new_context)
        && !new_context.is_empty()
        && configurable != new_context
    {
        let message = "Cannot specify both configurable and context. Prefer setting context alone.";
        return Err(RecordError::BadRequest(message.to_owned()));
    }
    if let Some(new_config) = new_config {
        config.clone_from(new_config);
    }
    if let Some(new) = configurable.or(new_context) {
        context.clone_from(new);
    }
    if context.is_empty() {
        config.shift_remove("configurable");
    } else {
        config.insert("configurable".to_owned(), Value::Object(context.clone()));
    }
    Ok(())
}
