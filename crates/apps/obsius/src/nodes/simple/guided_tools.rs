//! Tool calls for a model that cannot make any: small choices guide it, so that one conversation serves both kinds of models.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_agents::AgentError;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, FinishReason, Message, ModelError, ModelId,
    Part, Role, ToolCall, ToolChoice, Usage, events_of, fence,
};
use graphloom_retrieval::answer::Request;
use graphloom_vault::{Note, NotePath, Overlay};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::analyze::{Intents, keywords};
use crate::ask::{agent, value};
use crate::execute::calls::{append, create_note};
use crate::probe::find_note;
use crate::resources::Setup;
use crate::write::{Quoted, plain, quoted};

/// How many found notes are quoted, and how many of them a small model chooses among.
const FOUND: usize = 8;
const CHOICES: usize = 4;

/// Makes a guided model look like one that calls tools. The model names notes and chooses among those that were found; notes
/// are quoted. Which tool comes next follows from the request and from the results so far.
pub(crate) struct GuidedTools {
    inner: Arc<dyn ChatModel>,
    capabilities: Capabilities,
    setup: Setup,
    request: String,
    notes: Overlay,
}

impl GuidedTools {
    pub(crate) fn new(setup: Setup, request: &str, notes: Overlay) -> Self {
        let inner = Arc::clone(setup.models.role("execute"));
        let capabilities = Capabilities { tools: true, ..inner.capabilities().clone() };
        Self { inner, capabilities, setup, request: request.to_owned(), notes }
    }

    async fn next(&self, request: &ChatRequest) -> Result<(Vec<Part>, Usage), AgentError> {
        let results: Vec<(String, bool)> = results_in(&request.messages);
        let called: Vec<&str> = calls_in(&request.messages);
        let may_call =
            |tool: &str| request.tool_choice != ToolChoice::None && request.tools.iter().any(|spec| spec.name == tool);
        let Some((newest, failed)) = results.last() else {
            let (tool, usage) = self.first_tool().await?;
            // A new note quotes what the vault has on its subject.
            let searches = tool != "create_note" || may_call("search_notes");
            let (call, more) =
                if searches { (self.search(), Usage::default()) } else { self.new_note(&[], &[]).await? };
            if !may_call(call.0) || !may_call(tool) {
                return Ok((reply_parts("No tool that this needs may be used here."), usage));
            }
            return Ok((vec![self.call(called.len(), call)], sum(usage, more)));
        };
        if called.last() == Some(&"create_note") && *failed && may_call("create_note") && called.len() < 3 {
            // The name is taken: another one is made of it.
            let before = results.iter().rev().nth(1).map(|(text, _)| self.notes_in(text)).unwrap_or_default();
            let (call, usage) = self.new_note(&[newest.as_str()], &before).await?;
            return Ok((vec![self.call(called.len(), call)], usage));
        }
        if called.last() != Some(&"search_notes") {
            return Ok((reply_parts(newest), Usage::default()));
        }
        let found = if *failed { Vec::new() } else { self.notes_in(newest) };
        let (tool, usage) = self.first_tool().await?;
        if tool == "create_note" && may_call(tool) {
            let (call, more) = self.new_note(&[], &found).await?;
            return Ok((vec![self.call(called.len(), call)], sum(usage, more)));
        }
        if *failed {
            return Ok((reply_parts(newest), usage));
        }
        let intents = Intents::of(&self.request);
        if intents.modify && !found.is_empty() && may_call("update_note") {
            return self.change(called.len(), &found).await;
        }
        Ok(self.answer(&found, newest))
    }

    /// The tool that a request asks for: told by its words, else chosen by the model.
    async fn first_tool(&self) -> Result<(&'static str, Usage), AgentError> {
        let intents = Intents::of(&self.request);
        if intents.delete || intents.rename {
            let what = "move or delete notes: it would have to name them; choose another `--model`".to_owned();
            let source = ModelError::Unsupported { model: self.inner.id().to_string(), what };
            return Err(AgentError::Model {
                agent: "tool".to_owned(),
                source: Box::new(source),
                exchange: Box::default(),
            });
        }
        Ok(match (intents.create, intents.modify, intents.search || intents.ask) {
            (true, false, false) => ("create_note", Usage::default()),
            (false, _, true) | (false, true, _) => ("search_notes", Usage::default()),
            _ => {
                let options = ["create_note", "search_notes"];
                let texts = options.map(str::to_owned);
                let args = json!({ "request": self.request });
                let chosen = agent(&self.setup, "tool", "request")?.choose(&args, &texts).await?;
                (options[chosen.value.index.min(1)], chosen.exchange.usage())
            }
        })
    }

    /// A note on the subject of the request, under a name that none of `refused` is about: what the notes that were found say
    /// on it, and on what none has a sentence.
    async fn new_note(&self, refused: &[&str], found: &[Note]) -> Result<((&'static str, Value), Usage), AgentError> {
        #[derive(Deserialize)]
        struct Title {
            title: String,
        }
        let schema = json!({
            "type": "object",
            "properties": {"title": {"type": "string", "minLength": 1, "maxLength": 60}},
            "required": ["title"],
            "additionalProperties": false
        });
        let args = json!({ "request": self.request });
        let named = value::<Title>(&self.setup, &agent(&self.setup, "title", "note")?, &args, "title", schema).await?;
        let usage = named.exchange.usage();
        let words = keywords(&self.request);
        let given = plain(&named.value.title);
        // A name that shares no word with the request is not its subject.
        let lower = given.to_lowercase();
        let fits = words.is_empty() || words.iter().any(|word| lower.contains(&word.to_lowercase()));
        let mut title = if fits && NotePath::for_title("", &given).is_ok() {
            given
        } else {
            crate::analyze::title_of(&self.request)
        };
        if !refused.is_empty() || find_note(&self.notes, &title).is_some() {
            title = (2..)
                .map(|n| format!("{title} {n}"))
                .find(|name| find_note(&self.notes, name).is_none())
                .unwrap_or(title);
        }
        Ok((create_note(&title, &self.quoted(found).joined()), usage))
    }

    fn search(&self) -> (&'static str, Value) {
        let words = Request::of(&self.request).words();
        let query = if words.is_empty() { self.request.clone() } else { words };
        ("search_notes", json!({ "query": query, "limit": FOUND }))
    }

    /// Adds what other found notes say to the one that the model chooses.
    async fn change(&self, made: usize, found: &[Note]) -> Result<(Vec<Part>, Usage), AgentError> {
        let found = &found[..found.len().min(CHOICES)];
        let titles: Vec<String> = found.iter().map(|note| note.title().to_owned()).collect();
        let mut usage = Usage::default();
        let chosen = if titles.len() > 1 {
            let args = json!({ "notes": titles, "ways": titles });
            let chosen = agent(&self.setup, "group", "notes")?.choose(&args, &titles).await?;
            usage += chosen.exchange.usage();
            chosen.value.index
        } else {
            0
        };
        // The words of the request say better which note is meant, where they name one.
        let named = found.iter().position(|note| self.request.to_lowercase().contains(&note.title().to_lowercase()));
        let Some(note) = found.get(named.unwrap_or(chosen)) else {
            return Ok((reply_parts("No note was found."), usage));
        };
        let others: Vec<Note> = found.iter().filter(|other| other.path() != note.path()).cloned().collect();
        let quoted = self.quoted(&others);
        if quoted.text.is_empty() {
            let nothing = format!("Nothing was added to `{}`: no other note that was found says more.", note.path());
            return Ok((reply_parts(&nothing), usage));
        }
        Ok((vec![self.call(made, append(note.path().as_str(), &quoted.text))], usage))
    }

    /// What the found notes say on the request, with their names.
    fn answer(&self, found: &[Note], newest: &str) -> (Vec<Part>, Usage) {
        if found.is_empty() {
            return (reply_parts(newest), Usage::default());
        }
        let all = graphloom_vault::Notes::paths(&self.notes);
        let names: Vec<String> =
            found.iter().map(|note| crate::write::link_to(note.path(), note.title(), &all)).collect();
        let answer = format!("{}\n\nFound: {}", self.quoted(found).joined(), names.join(", "));
        (reply_parts(&answer), Usage::default())
    }

    fn quoted(&self, found: &[Note]) -> Quoted {
        quoted(&Request::of(&self.request), found, &graphloom_vault::Notes::paths(&self.notes))
    }

    /// The notes that a result names.
    fn notes_in(&self, result: &str) -> Vec<Note> {
        let mut found: Vec<Note> = Vec::new();
        // A name may hold any of the marks that can stand around one.
        let quoted = result.split(['`', '\n']);
        for part in quoted.chain(result.split(['`', '"', '\n', '(', ')', '[', ']', ':', '*'])) {
            let part = part.trim();
            let Some(path) = NotePath::of_file(part).ok().filter(NotePath::is_note) else { continue };
            if found.iter().all(|note| *note.path() != path)
                && let Ok(Some(note)) = graphloom_vault::Notes::read(&self.notes, &path)
            {
                found.push(note);
            }
        }
        found.truncate(FOUND);
        found
    }

    fn call(&self, made: usize, (name, arguments): (&str, Value)) -> Part {
        Part::ToolCall(ToolCall { id: format!("call-{}", made + 1), name: name.to_owned(), arguments })
    }

    fn response(&self, parts: Vec<Part>, usage: Usage) -> ChatResponse {
        let calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        let finish = if calls { FinishReason::ToolCalls } else { FinishReason::Stop };
        ChatResponse {
            model: self.inner.id().name.clone(),
            message: Message { role: Role::Assistant, parts },
            finish,
            usage,
            request_id: None,
        }
    }
}

/// The text of a tool result as a reply, without the notes and marks around the text that are for the model.
fn reply_parts(text: &str) -> Vec<Part> {
    // Notes on the call are fenced before the result.
    let inner = fence::texts(text).last().map_or(text, |(_, inner)| *inner);
    vec![Part::Text { text: inner.to_owned() }]
}

fn sum(mut one: Usage, other: Usage) -> Usage {
    one += other;
    one
}

/// Each result's text and whether the call failed.
fn results_in(messages: &[Message]) -> Vec<(String, bool)> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult(result) => Some((result.content.clone(), result.is_error)),
            _ => None,
        })
        .collect()
}

fn calls_in(messages: &[Message]) -> Vec<&str> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(call.name.as_str()),
            _ => None,
        })
        .collect()
}

#[async_trait]
impl ChatModel for GuidedTools {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        match self.next(&request).await {
            Ok((parts, usage)) => Ok(self.response(parts, usage)),
            Err(AgentError::Model { source, .. }) => Err(*source),
            Err(error) => Err(ModelError::Internal { model: self.inner.id().to_string(), message: error.to_string() }),
        }
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let response = self.chat(request).await?;
        Ok(Box::pin(futures::stream::iter(events_of(response, usize::MAX).into_iter().map(Ok))))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.inner.choose(request, options).await
    }
}
