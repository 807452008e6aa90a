//! An own provider of models: any program that reads a prompt from its input and prints an answer.
//!
//! `cargo run -p graphloom-examples --example own_provider`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::layers::{Budgeted, Ledger, Retry, RetryPolicy};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, FinishReason, Message, ModelError, ModelId,
    Role, StructuredSupport, Usage, choose_by_schema, events_of,
};

/// A program as a model. `llama-cli`, a script, or a company's own client would be called like this.
struct Program {
    id: ModelId,
    capabilities: Capabilities,
    command: Vec<String>,
}

impl Program {
    fn new(command: &[&str]) -> Self {
        let capabilities = Capabilities {
            // The schema is put into the prompt, and the answer is read with tolerance.
            structured: StructuredSupport::Prompted,
            tools: false,
            images: false,
            sampling: false,
            context: None,
            local: true,
            documents: false,
        };
        let command = command.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
        Self { id: ModelId::new("program", command.join(" ")), capabilities, command }
    }

    /// Runs the program. Whose fault an error is decides whether the layers around a model try again.
    fn run(command: &[String], prompt: &str) -> Result<String, std::io::Error> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(prompt.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

#[async_trait]
impl ChatModel for Program {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let (command, prompt) = (self.command.clone(), rendered(&request));
        let input = u64::try_from(prompt.split_whitespace().count()).unwrap_or(u64::MAX);
        let setup = |message: String| ModelError::Setup { message };
        let text = tokio::task::spawn_blocking(move || Self::run(&command, &prompt))
            .await
            .map_err(|error| setup(error.to_string()))?
            .map_err(|error| setup(format!("`{}` cannot be run: {error}", self.id)))?;
        let usage = Usage { input, output: 1, ..Usage::default() };
        let message = Message::text(Role::Assistant, text);
        Ok(ChatResponse { model: self.id.to_string(), message, finish: FinishReason::Stop, usage, request_id: None })
    }

    /// A provider that answers whole streams its answer in pieces.
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let events = events_of(self.chat(request).await?, 16);
        Ok(futures::stream::iter(events.into_iter().map(Ok)).boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        choose_by_schema(self, request, options).await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The program of this example counts the words of its prompt. The layers know nothing of where answers come from.
    let ledger = Ledger::new("calls=2".parse()?);
    let model: Arc<dyn ChatModel> = Arc::new(Program::new(&["wc", "-w"]));
    let model = Arc::new(Retry::new(model, RetryPolicy::default()));
    let model = Budgeted::new(model, Arc::clone(&ledger))?;

    let answer = model.chat(ChatRequest::user("How many words are these?")).await?;
    println!("{} says {}", answer.model, answer.text());
    assert_eq!(answer.text(), "6", "the role before the message is a word too");
    model.chat(ChatRequest::user("And these?")).await?;
    let refused = model.chat(ChatRequest::user("One more?")).await;
    println!("after {} calls: {}", ledger.spent().calls, refused.err().ok_or("the budget is spent")?);

    let missing = Program::new(&["no-such-program"]).chat(ChatRequest::user("Hello?")).await;
    println!("{}", missing.err().ok_or("there is no such program")?);
    Ok(())
}
