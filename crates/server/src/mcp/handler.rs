//! The methods of the protocol.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, ErrorData, GetTaskParams,
    GetTaskResult, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::OnceCell;

use crate::host::Host;
use crate::mcp::answer::{ANSWER, Answer};
use crate::mcp::call::Call;
use crate::mcp::cancelling::Requests;
use crate::mcp::seal::Seal;
use crate::mcp::tools::Tools;
use crate::mcp::{outcome, tasks, thread};
use crate::records::AssistantSearch;
use crate::refusal::Refusal;

/// What a client is told of the server as a whole.
const INSTRUCTIONS: &str = "Each tool runs a graph on a thread of its own and gives the graph's state. A run may ask the user \
                            a question; where the client cannot show it, the result says how to answer it with the tool `answer`.";

/// The methods of the protocol, for one client.
#[derive(Clone)]
pub(super) struct Handler {
    host: Host,
    seal: Arc<OnceCell<Seal>>,
    requests: Requests,
}

impl Handler {
    pub(super) fn new(host: Host) -> Self {
        Self { host, seal: Arc::default(), requests: Requests::default() }
    }

    /// The same methods for another client.
    pub(super) fn for_client(&self) -> Self {
        Self { host: self.host.clone(), seal: Arc::clone(&self.seal), requests: Requests::default() }
    }

    async fn tools(&self) -> Result<Tools, Refusal> {
        let assistants = self.host.manager.records().assistants.all(&AssistantSearch::default()).await?;
        Ok(Tools::new(assistants, |graph| self.host.manager.graph(graph)))
    }

    async fn seal(&self) -> Result<&Seal, Refusal> {
        self.seal.get_or_try_init(|| Seal::load(&self.host.manager.records().protocols)).await
    }

    /// A call; the outer error is one of the protocol, the inner one becomes a result that says what went wrong.
    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<CallToolResponse, Refusal>, ErrorData> {
        let cancelling = &self.requests.enter(&context.id);
        let (seal, tools) = match (self.seal().await, self.tools().await) {
            (Ok(seal), Ok(tools)) => (seal, tools),
            (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
        };
        let host = &self.host;
        let waiting = |assistant| {
            let open = |state: &String| seal.open(assistant, state);
            let opened = request.request_state.as_ref().map(open).transpose();
            opened.map_err(|error| ErrorData::invalid_params(error.to_string(), None))
        };
        let responses = request.input_responses.clone().unwrap_or_default();
        if request.name == ANSWER {
            let answer = match Answer::read(request.arguments.clone()) {
                Ok(answer) => answer,
                Err(bad) => return Ok(Ok(outcome::refused(&bad.to_string()).into())),
            };
            let (assistant, graph) = match thread::assistant(host, answer.thread_id).await {
                Ok(found) => found,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let waiting = waiting(assistant.assistant_id)?;
            let call = Call { host, seal, assistant, graph, thread: answer.thread_id, context, cancelling };
            return Ok(match waiting {
                Some(waiting) if waiting.thread == answer.thread_id => call.go_on(&waiting, &responses).await,
                _ => call.answer_one(&answer).await,
            });
        }
        let Some(tool) = tools.find(&request.name) else {
            let name: String = request.name.chars().take(100).collect();
            return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None));
        };
        let waiting = waiting(tool.assistant.assistant_id)?;
        let thread = match &waiting {
            Some(waiting) => waiting.thread,
            None => match thread::create(host, &request.name).await {
                Ok(thread) => thread,
                Err(refusal) => return Ok(Err(refusal)),
            },
        };
        let call = Call { host, seal, assistant: tool.assistant, graph: tool.graph, thread, context, cancelling };
        Ok(match waiting {
            Some(waiting) => call.go_on(&waiting, &responses).await,
            None => call.run(request.arguments).await,
        })
    }
}

/// A refusal in words for the client.
fn told(refusal: &Refusal) -> String {
    if let Refusal::Failed(detail) = refusal {
        tracing::error!(detail, "a call failed");
        return "The server failed; its log says why.".to_owned();
    }
    refusal.to_string()
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
            .with_server_info(Implementation::new("graphloom", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools().await.map_err(|refusal| ErrorData::internal_error(told(&refusal), None))?;
        Ok(ListToolsResult::with_all_items(tools.all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = Box::pin(self.call(request, &context)).await?;
        Ok(called.unwrap_or_else(|refusal| outcome::refused(&told(&refusal)).into()))
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {
        if let Some(id) = &notification.request_id {
            self.requests.cancel(id);
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(&self.host, &request.task_id, &context).await.map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(&self.host, &request.task_id, &request.input_responses).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(&self.host, &request.task_id).await
    }
}
