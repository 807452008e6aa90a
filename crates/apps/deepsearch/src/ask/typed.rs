//! Answers of a type.

use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::parse::read_value;
use graphloom_llm::structured::schema_of;
use graphloom_llm::{
    ChatModel, ChatRequest, Message, ModelError, Role, StructuredOptions, ToolChoice, ToolSpec, structured,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Ask, AskFailure, calls, messages, params};
use crate::resources::Resources;

/// Asks for a value of `T` and makes something of it with `check`. A value that `check` refuses is shown to the model
/// with the reason, until the tries are used up.
///
/// # Errors
/// Only errors that no model caused: a template, the store, a stop. What the model did wrong is the inner error.
pub async fn value<T, U>(
    cx: &Context<Resources>,
    ask: &Ask,
    args: &(impl Serialize + Sync),
    check: impl Fn(T) -> Result<U, String> + Send + Sync,
) -> Result<Result<U, AskFailure>, NodeError>
where
    T: DeserializeOwned + JsonSchema + Send,
{
    let resources = cx.resources();
    let calls = calls(cx, ask);
    let model = calls.model_of(Some(ask.slot.name()), resources.models.role(ask.slot.name()));
    let mut messages = messages(cx, ask, args)?;
    let tries = ask.tries.max(1);
    let (mut problem, mut last) = (String::new(), String::new());
    for _ in 0..tries {
        let request =
            ChatRequest { messages: messages.clone(), params: params(resources, ask), ..ChatRequest::default() };
        let answer = match ask.tool.filter(|_| model.capabilities().tools) {
            Some(tool) => called::<T>(&*model, request, tool, ask.schema.clone()).await,
            None => plain::<T>(&*model, request, ask.schema.clone()).await,
        };
        if let Some(fault) = calls.take_fault() {
            return Err(fault);
        }
        let raw = match answer {
            Ok((value, raw)) => match check(value) {
                Ok(value) => return Ok(Ok(value)),
                Err(reason) => {
                    problem = reason;
                    raw
                }
            },
            Err(ModelError::Parse { message, raw, .. }) => {
                problem = message;
                raw
            }
            Err(ModelError::Incomplete { partial, .. }) => {
                problem = "the answer is too long".to_owned();
                partial
            }
            Err(error) => return Ok(Err(AskFailure::Model(error))),
        };
        last.clone_from(&raw);
        messages.push(Message::text(Role::Assistant, raw));
        messages.extend(resources.prompts.render("complaint", &json!({ "problem": problem }))?.messages);
    }
    Ok(Err(AskFailure::after(tries, &last, problem)))
}

async fn plain<T: DeserializeOwned + JsonSchema>(
    model: &dyn ChatModel,
    request: ChatRequest,
    schema: Option<Value>,
) -> Result<(T, String), ModelError> {
    let options = StructuredOptions { max_reasks: 0, schema, ..StructuredOptions::default() };
    structured::<T>(model, request, &options).await.map(|answer| (answer.value, answer.raw))
}

/// The arguments of the tool's call. A call of another tool counts as one of this, and so does a
/// text that holds the arguments.
async fn called<T: DeserializeOwned + JsonSchema>(
    model: &dyn ChatModel,
    mut request: ChatRequest,
    tool: &str,
    schema: Option<Value>,
) -> Result<(T, String), ModelError> {
    let schema = schema.unwrap_or_else(schema_of::<T>);
    let description = schema.get("description").and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    request.tools = vec![ToolSpec { name: tool.to_owned(), description, parameters: schema.clone(), strict: false }];
    request.tool_choice = ToolChoice::Auto;
    let response = model.chat(request).await?;
    let parse = |message: String, raw: &str| ModelError::Parse {
        model: model.id().to_string(),
        expected: tool.to_owned(),
        message,
        raw: raw.to_owned(),
    };
    if let Some(how) = response.broken_off() {
        return Err(parse(format!("the answer {how}"), &response.text()));
    }
    let mut calls: Vec<_> = response.tool_calls().collect();
    calls.dedup_by(|one, other| one.arguments == other.arguments);
    if calls.len() > 1 {
        let message = format!("`{tool}` was called {} times; one call with all of it is wanted", calls.len());
        return Err(parse(message, &response.text()));
    }
    let raw = match calls.last() {
        Some(call) => match &call.arguments {
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        },
        None => response.text(),
    };
    if raw.trim().is_empty() {
        return Err(parse(format!("`{tool}` was not called"), ""));
    }
    // Fields beyond the schema are no reason to ask again: the type takes what it knows, and the check does the rest.
    let value = read_value(&raw, Some(&schema)).or_else(|_| read_value(&raw, None));
    let value = value.map_err(|failure| parse(failure.to_string(), &raw))?.value;
    let value = serde_json::from_value(value).map_err(|error| parse(error.to_string(), &raw))?;
    Ok((value, raw))
}
