//! Choosing by an enum schema, for models that give no likelihoods.

use serde_json::{Value, json};

use crate::structured::{StructuredOptions, structured_value};
use crate::{ChatModel, ChatRequest, Choice, ModelError};

/// Implements [`ChatModel::choose`] for a model that cannot compare likelihoods. The model is asked for an object whose
/// `choice` is one of the options.
///
/// # Errors
/// [`ModelError::Invalid`] when `options` is empty, else the errors of [`structured_value`].
pub async fn choose_by_schema(
    model: &dyn ChatModel,
    request: ChatRequest,
    options: &[String],
) -> Result<Choice, ModelError> {
    if options.is_empty() {
        let message = "a choice needs at least one option".to_owned();
        return Err(ModelError::Invalid { model: model.id().to_string(), message, request_id: None });
    }
    let schema = json!({
        "type": "object",
        "properties": {"choice": {"type": "string", "enum": options}},
        "required": ["choice"],
        "additionalProperties": false,
    });
    let asked = StructuredOptions { name: Some("choice".to_owned()), ..StructuredOptions::default() };
    let answer = structured_value(model, request, &schema, &asked).await?;
    let chosen = answer.value.get("choice").and_then(Value::as_str).unwrap_or_default();
    let index = options.iter().position(|option| option == chosen).ok_or_else(|| ModelError::Parse {
        model: model.id().to_string(),
        expected: "choice".to_owned(),
        message: format!("`{chosen}` is none of the options"),
        raw: answer.raw.clone(),
    })?;
    Ok(Choice { index, scores: Vec::new(), usage: answer.usage })
}
