//! Asking a model for a value of a Rust type.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::parse::{ParseStep, read_value};
use crate::{ChatModel, ChatRequest, FinishReason, Message, ModelError, Part, Role, StructuredSupport, Usage};

mod envelope;
mod options;
mod partial;
mod prepare;
mod watched;

pub use options::StructuredOptions;
pub use partial::{PartialEvent, PartialJson};
pub(crate) use prepare::prepare_prompted;
pub use prepare::schema_of;

use envelope::Envelope;
use watched::{AnswerSource, Watched, Whole};

/// A value that a model gave, and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured<T> {
    /// The value.
    pub value: T,
    /// The text that the value was read from.
    pub raw: String,
    /// How often the model was asked.
    pub attempts: u32,
    /// The stages of reading the value, over all attempts.
    pub trace: Vec<ParseStep>,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// Asks `model` for a value of `T`.
///
/// A model that takes a schema receives it; for other models the schema is written under the last user message. The
/// reply is read with [`read_value`], checked against the schema and then made a `T`. A reply that does not fit is sent
/// back with its exact faults, at most [`StructuredOptions::max_reasks`] times.
///
/// ```
/// use graphloom_llm::{ChatRequest, Scripted, structured, StructuredOptions};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Verdict {
///     approved: bool,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = Scripted::from_fn(|_| Ok("Sure: {'approved': True}"));
/// let request = ChatRequest::user("Is it good?");
/// let verdict = structured::<Verdict>(&model, request, &StructuredOptions::default()).await?;
/// assert!(verdict.value.approved);
/// # Ok::<(), graphloom_llm::ModelError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
/// The errors of the model; [`ModelError::Incomplete`] when a reply ended at its token limit, and such a reply is not
/// asked for again; [`ModelError::Refused`] when the provider withheld the reply, [`ModelError::Unreadable`] when the
/// provider broke it off for another reason; [`ModelError::Parse`] when the last reply does not fit.
pub async fn structured<T>(
    model: &dyn ChatModel,
    request: ChatRequest,
    options: &StructuredOptions,
) -> Result<Structured<T>, ModelError>
where
    T: DeserializeOwned + JsonSchema,
{
    let schema = options.schema.clone().unwrap_or_else(schema_of::<T>);
    let name = options.name.clone().unwrap_or_else(|| prepare::safe_name(&T::schema_name()));
    ask(model, request, &schema, &name, options, typed::<T>, &mut Whole).await
}

/// As [`structured`], and `seen` gets the value while it arrives: the value so far, and what was added to it last. An answer
/// that is asked for again, also one whose stream broke off, begins anew. What is seen is not checked against the schema; the value that is returned is.
///
/// # Errors
/// As [`structured`], and the errors of a stream.
pub async fn structured_partial<T>(
    model: &dyn ChatModel,
    request: ChatRequest,
    options: &StructuredOptions,
    mut seen: impl FnMut(&PartialJson, &[PartialEvent]) + Send,
) -> Result<Structured<T>, ModelError>
where
    T: DeserializeOwned + JsonSchema,
{
    let schema = options.schema.clone().unwrap_or_else(schema_of::<T>);
    let name = options.name.clone().unwrap_or_else(|| prepare::safe_name(&T::schema_name()));
    ask(model, request, &schema, &name, options, typed::<T>, &mut Watched(&mut seen)).await
}

/// As [`structured`], for a schema that is made at run time.
///
/// # Errors
/// As [`structured`].
pub async fn structured_value(
    model: &dyn ChatModel,
    request: ChatRequest,
    schema: &Value,
    options: &StructuredOptions,
) -> Result<Structured<Value>, ModelError> {
    let name = options.name.clone().unwrap_or_else(|| "answer".to_owned());
    ask(model, request, schema, &name, options, Ok, &mut Whole).await
}

/// Makes a `T` of a value. An error names the place that does not fit.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        format!("at `{path}`: {}", error.into_inner())
    })
}

async fn ask<T>(
    model: &dyn ChatModel,
    request: ChatRequest,
    schema: &Value,
    name: &str,
    options: &StructuredOptions,
    finish: fn(Value) -> Result<T, String>,
    asks: &mut impl AnswerSource,
) -> Result<Structured<T>, ModelError> {
    let support = model.capabilities().structured;
    let envelope = Envelope::for_schema(schema, support);
    let mut request = prepare::prepare(request, envelope.schema(), name, support, options);
    let mut trace = Vec::new();
    let mut usage = Usage::default();
    let mut attempts = 0;
    loop {
        let response = asks.ask(model, request.clone(), envelope.member()).await?;
        attempts += 1;
        usage += response.usage;
        let id = model.id().to_string();
        let raw = response.text();
        match (&response.finish, response.broken_off()) {
            (_, None) => {}
            (FinishReason::Length, _) => return Err(ModelError::Incomplete { model: id, partial: raw }),
            (FinishReason::ContentFilter, _) => {
                let message = if raw.is_empty() { "the provider withheld the answer".to_owned() } else { raw };
                return Err(ModelError::Refused { model: id, message });
            }
            (_, Some(message)) => {
                return Err(ModelError::Unreadable { model: id, partial: raw, message: format!("it {message}") });
            }
        }
        let errors = match read_value(&raw, Some(envelope.schema())) {
            Ok(mut parsed) => match finish(envelope.unwrap(parsed.value, &mut parsed.steps)) {
                Ok(value) => {
                    trace.extend(parsed.steps);
                    return Ok(Structured { value, raw, attempts, trace, usage, model: response.model });
                }
                Err(error) => vec![error],
            },
            Err(failure) => failure.errors,
        };
        if attempts > options.max_reasks {
            return Err(ModelError::Parse { model: id, expected: name.to_owned(), message: errors.join("; "), raw });
        }
        ask_again(&mut request, &response.message, &raw, &errors, envelope.schema(), support, options);
        trace.push(ParseStep::AskedAgain { errors });
    }
}

/// Adds the reply and its faults to the conversation.
fn ask_again(
    request: &mut ChatRequest,
    reply: &Message,
    raw: &str,
    errors: &[String],
    schema: &Value,
    support: StructuredSupport,
    options: &StructuredOptions,
) {
    // Providers refuse an empty assistant message.
    let reply_text = if raw.trim().is_empty() { "(no text)" } else { raw };
    let mut parts: Vec<Part> = reply
        .parts
        .iter()
        .filter(|part| matches!(part, Part::Reasoning { .. } | Part::EncryptedReasoning { .. }))
        .cloned()
        .collect();
    parts.push(Part::Text { text: reply_text.to_owned() });
    request.messages.push(Message { role: Role::Assistant, parts });
    let list: String = errors.iter().map(|error| format!("- {error}\n")).collect();
    let excerpt = match support {
        StructuredSupport::Constrained | StructuredSupport::JsonSchema => prepare::excerpt(schema, options.excerpt),
        // The whole schema already stands in the conversation.
        _ => String::new(),
    };
    let text = options.reask.replace("{errors}", list.trim_end()).replace("{schema}", &excerpt);
    request.messages.push(Message::user(text.trim_end()));
}
