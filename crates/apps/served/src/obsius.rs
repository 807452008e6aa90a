//! `obsius`: requests about a vault of notes.
//!
//! ```text
//! START ─► take ─► work (Obsius's own graph) ─► deliver ─► END
//! ```
//!
//! A client names a vault, and never a directory: it gets those that the server was given.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_agents::Strategy;
use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, END, FromRef, Node, NodeError, START, Shared, Snapshot, State,
    StateGraph,
};
use graphloom_obsius::config::LOCAL_ITERATION_TIMEOUT_MS;
use graphloom_obsius::state::PastRequest;
use graphloom_obsius::{Config, Resources, SessionInfo, WorkflowState, WorkflowStateUpdate, answers};
use graphloom_server::Server;
use graphloom_server::artifacts::Artifact;
use graphloom_server::messages::{Message, MessageKind, Messages, add_messages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Delivery, Document, keep_all};
use crate::request::{said, wanted};
use crate::today::today;

/// The name under which it is served.
pub const NAME: &str = "obsius";

/// How many requests of the conversation a new one is told.
const EARLIER: usize = 10;

/// Work on a vault.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// What was said: requests, and answers.
    #[state(reduce_with = add_messages, stored = deltas)]
    pub messages: Messages,
    /// What is to be done, in the place of a message.
    pub request: Option<String>,
    /// What is worked on now.
    pub session: Option<Shared<SessionInfo>>,
    /// Why the newest work ended, in words.
    pub outcome: Option<String>,
    /// The notes that the newest work changed.
    pub changed: Vec<String>,
    /// What should be known of the work, in order.
    pub notes: Vec<String>,
    /// The documents: what was changed, as a difference.
    pub artifacts: Vec<Artifact>,
    /// What is to be delivered.
    pub delivery: Option<Shared<Delivery>>,
}

/// What a run may be told beside its input.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorkContext {
    /// The name of the vault. It may be left out where the server has one vault.
    pub vault: Option<String>,
}

/// What the nodes of a run work with.
#[derive(Debug)]
pub struct WorkResources {
    resources: Arc<Resources>,
    config: Config,
}

impl FromRef<WorkResources> for Resources {
    fn from_ref(resources: &Arc<WorkResources>) -> Arc<Self> {
        Arc::clone(&resources.resources)
    }
}

const TAKE: Node = Node::named("take");
const WORK: Node = Node::named("work");
const DELIVER: Node = Node::named("deliver");

/// Serves work on these vaults as `obsius`. Where there is none, runs are refused with what to do about it.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn add_to(
    server: Server,
    vaults: BTreeMap<String, Arc<Resources>>,
    config: Config,
) -> Result<Server, CompileErrors> {
    let make = move |context: WorkContext| {
        let resources = chosen(&vaults, context.vault.as_deref())?;
        let mut config = config.clone();
        // A small model needs more time than a parameter that nobody set gives it.
        if resources.setup.strategy("execute") == Strategy::Guided && config == Config::default() {
            config.iteration_timeout_ms = LOCAL_ITERATION_TIMEOUT_MS;
        }
        Ok::<_, String>(WorkResources { resources, config })
    };
    let server = server
        .configured_graph(NAME, graph()?, make)
        .described(NAME, "Answers requests about a vault of notes, and changes it after your review")
        .takes(NAME, ["request", "messages"]);
    Ok(server.answers(NAME, answers()))
}

/// The graph of work on a vault, around Obsius's own.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn graph() -> Result<Compiled<Work, WorkResources>, CompileErrors> {
    let mut graph = StateGraph::<Work, WorkResources>::new(NAME);
    graph.add_node(TAKE, take);
    graph.add_subgraph(WORK, graphloom_obsius::graph(), begin, end);
    graph.add_node(DELIVER, deliver);
    graph.add_edge(START, TAKE).add_edge(TAKE, WORK).add_edge(WORK, DELIVER).add_edge(DELIVER, END);
    graph.compile()
}

/// The vault of a name, or the only one.
fn chosen<V: Clone>(vaults: &BTreeMap<String, V>, name: Option<&str>) -> Result<V, String> {
    let names = || vaults.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match name {
        _ if vaults.is_empty() => Err("the server has no vault; start it with `--vault DIR`".to_owned()),
        Some(name) => {
            vaults.get(name).cloned().ok_or_else(|| format!("there is no vault `{name}`; there are {}", names()))
        }
        None if vaults.len() > 1 => Err(format!("`vault` says which of {}", names())),
        None => vaults.values().next().cloned().ok_or_else(String::new),
    }
}

/// Takes the request, and brings the index of the notes up to date.
async fn take(work: Snapshot<Work>, cx: Context<WorkResources>) -> Result<WorkUpdate, NodeError> {
    let (request, message) = wanted(&work.messages, work.request.as_ref(), "request")?;
    let WorkResources { resources, config } = cx.resources();
    let index = Arc::clone(&resources.index);
    let refreshed = tokio::task::spawn_blocking(move || {
        index.vault().refresh().map_err(NodeError::terminal)?;
        index.refresh().map_err(NodeError::terminal)
    });
    refreshed.await??;
    let thread = cx.task().thread.to_string();
    let mut session = SessionInfo::default();
    session.session_id.clone_from(&thread);
    // Of each request the changes are a transaction of their own.
    session.workflow_id = format!("{thread}-{}", cx.task().step);
    session.start_time = cx.once("began", async { Ok::<u64, NodeError>(cx.now()) }).await?;
    session.vault = resources.vault.root().display().to_string();
    session.model = resources.setup.models.role("default").id().to_string();
    session.today = today(&cx).await?;
    session.seed = resources.setup.seed;
    session.config = config.clone();
    session.earlier = earlier(&work.messages);
    session.original_request = request;
    Ok(Work::update()
        .messages(message.into_iter().collect::<Messages>())
        .request(None::<String>)
        .session(Some(Shared::new(session))))
}

/// The requests of the conversation that were answered, with what was answered last; the newest ones, oldest first.
fn earlier(messages: &Messages) -> Vec<PastRequest> {
    let mut past: Vec<PastRequest> = Vec::new();
    let mut asked: Option<String> = None;
    let spoken = |message: &&Message| matches!(message.kind(), MessageKind::Human | MessageKind::Ai);
    for message in messages.iter().filter(spoken) {
        match (message.kind(), asked.take()) {
            (MessageKind::Human, _) => asked = Some(message.text()),
            (_, Some(request)) => past.push(PastRequest { request, answer: message.text() }),
            (_, None) => {}
        }
    }
    past.drain(..past.len().saturating_sub(EARLIER));
    past
}

fn begin(work: &Work) -> WorkflowStateUpdate {
    WorkflowState::update().session(work.session.as_deref().cloned().unwrap_or_default())
}

fn end(ended: ChildOutcome<WorkflowState>) -> Result<WorkUpdate, NodeError> {
    let state = ended.done()?;
    let Some(outcome) = &state.outcome else {
        return Err(NodeError::terminal("the work ended without an outcome"));
    };
    let mut delivery = Delivery::default();
    delivery.said.push(outcome.answer.clone());
    if let Some(failure) = &state.failure {
        delivery.said.push(format!("It failed: {}", failure.message));
    }
    let changed = state.applied.as_ref().map(|applied| applied.paths.clone()).unwrap_or_default();
    if let Some(applied) = &state.applied {
        delivery.documents.push(Document::json("changes.json", &applied)?);
    }
    if delivery.said.iter().all(|text| text.trim().is_empty()) {
        delivery.said.push(outcome.stop.text());
    }
    Ok(Work::update()
        .outcome(Some(outcome.stop.text()))
        .changed(changed)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>())
        .delivery(Some(Shared::new(delivery))))
}

async fn deliver(work: Snapshot<Work>, cx: Context<WorkResources>) -> Result<WorkUpdate, NodeError> {
    let delivery = work.delivery.as_deref().cloned().unwrap_or_default();
    let artifacts = keep_all(&cx, &work.artifacts, &delivery.documents).await?;
    Ok(Work::update().messages(said(&delivery.said)).artifacts(artifacts).delivery(None::<Shared<Delivery>>))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_is_named_and_a_directory_is_not() {
        let two = BTreeMap::from([("home".to_owned(), 1), ("work".to_owned(), 2)]);
        let one = BTreeMap::from([("home".to_owned(), 1)]);
        assert_eq!(chosen(&two, Some("work")), Ok(2));
        assert_eq!(chosen(&one, None), Ok(1));
        for (vaults, name, part) in [
            (&two, None, "which of `home`, `work`"),
            (&two, Some("/etc"), "no vault `/etc`"),
            (&one, Some("../home"), "there are `home`"),
            (&BTreeMap::new(), None, "`--vault DIR`"),
        ] {
            let error = chosen(vaults, name).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_was_answered_is_told_to_the_next_request() {
        let messages = Messages::from([
            Message::human("one"),
            Message::human("one again"),
            Message::ai("first"),
            Message::ai("and more"),
            Message::human("two"),
        ]);
        let past = earlier(&messages);
        assert_eq!(past, [PastRequest { request: "one again".to_owned(), answer: "first".to_owned() }]);
    }
}
