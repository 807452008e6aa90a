//! Closed questions: a value of a schema, one of some options.

use graphloom_llm::parse::read_value;
use graphloom_llm::{ChatRequest, Choice, Params, ResponseFormat};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Agent, AgentError, Answer, Ask, Parsed};

impl Agent<'_> {
    /// Asks for a value of a schema. A reply without one is asked for again, as by [`ask`](Self::ask).
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn value<T: DeserializeOwned>(
        &self,
        args: &(impl Serialize + Sync),
        mut ask: Ask,
        name: &str,
        schema: Value,
    ) -> Result<Answer<T>, AgentError> {
        ask.format = ResponseFormat::JsonSchema { name: name.to_owned(), schema: schema.clone() };
        self.ask(args, ask, |reply| {
            let parsed = read_value(reply.text, Some(&schema)).map_err(|failure| failure.to_string())?;
            serde_json::from_value(parsed.value).map(Parsed::new).map_err(|error| error.to_string())
        })
        .await
    }

    /// Lets the model choose one of `options`, which stand in the rendered prompt, at temperature 0. The index of the choice
    /// is one of an option.
    ///
    /// # Errors
    /// Errors of the template; [`AgentError::Model`].
    pub async fn choose(
        &self,
        args: &(impl Serialize + Sync),
        options: &[String],
    ) -> Result<Answer<Choice>, AgentError> {
        let exchange = self.begin(self.template(), args)?;
        let params = Params { temperature: Some(0.0), ..Params::default() };
        let request = ChatRequest { messages: exchange.messages.clone(), params, ..ChatRequest::default() };
        match self.model().choose(request, options).await {
            Ok(mut choice) => {
                choice.index = choice.index.min(options.len().saturating_sub(1));
                Ok(Answer { value: choice, exchange })
            }
            Err(source) => Err(self.failed(source, exchange)),
        }
    }
}
