//! The tools that a model may call, and the rules under which it may.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use graphloom_llm::parse::{SchemaCheck, tool_name};
use graphloom_llm::{ToolCall, ToolSpec};
use serde_json::Value;

use super::arguments::{Arguments, Reader, snake_case};
use super::failed_calls::fingerprint;
use super::{Confirm, Confirmation, Decision, FailedCalls, Risk, Tool, ToolError, ToolOutcome, ToolOutput, ToolSource};
use crate::AgentError;
use crate::profile::quoted;

/// How long a tool may take unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The longest answer that is taken, in bytes: it goes into the state and into every store of it.
const ANSWER: usize = 1 << 20;

/// The tools that a model may call, and the rules under which it may. Clones are cheap and can have narrower rules.
#[derive(Clone)]
pub struct ToolRegistry {
    /// In the order of registration, which is the order the model reads.
    tools: Vec<Arc<Registered>>,
    sources: Vec<Arc<dyn ToolSource>>,
    allowed: Option<BTreeSet<String>>,
    ceiling: Risk,
    timeout: Duration,
    timeouts: BTreeMap<String, Duration>,
    confirm: Option<(Risk, Arc<dyn Confirm>)>,
}

struct Registered {
    tool: Arc<dyn Tool>,
    check: SchemaCheck,
}

impl Registered {
    fn read(&self, raw: &Value) -> Result<Arguments, ToolError> {
        let spec = self.tool.spec();
        let (schema, aliases) = (&spec.parameters, self.tool.aliases());
        Reader { tool: &spec.name, schema, check: &self.check, aliases }.read(raw)
    }
}

impl ToolRegistry {
    /// No tools yet; those that can change more than `ceiling` are hidden from the model and refused.
    pub fn new(ceiling: Risk) -> Self {
        Self {
            tools: Vec::new(),
            sources: Vec::new(),
            allowed: None,
            ceiling,
            timeout: TIMEOUT,
            timeouts: BTreeMap::new(),
            confirm: None,
        }
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`AgentError::Tool`] when there is one of this name, or its schema is none.
    pub fn register(&mut self, tool: Arc<dyn Tool>) -> Result<&mut Self, AgentError> {
        let ToolSpec { name, parameters, .. } = tool.spec();
        let wrong = |message: String| AgentError::Tool { tool: name.clone(), message };
        if self.find(name).is_some() {
            return Err(wrong("there is already a tool of this name; register each once".to_owned()));
        }
        let check = SchemaCheck::new(parameters).map_err(wrong)?;
        self.tools.push(Arc::new(Registered { tool, check }));
        Ok(self)
    }

    /// The same tools and, behind them, those of a source. A conversation [looks](Self::current) at the source anew
    /// before each turn; everything else sees the tools that were registered.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.sources.push(source);
        self
    }

    /// The tools with those that its sources have now. A tool of a source that cannot be registered is left out.
    pub fn current(&self) -> Cow<'_, Self> {
        if self.sources.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut current = Self { sources: Vec::new(), ..self.clone() };
        for source in &self.sources {
            let taken = current.tools.iter().map(|entry| entry.tool.spec().name.clone()).collect();
            for tool in source.tools(&taken) {
                if let Err(error) = current.register(tool) {
                    tracing::warn!("{error}");
                }
            }
        }
        Cow::Owned(current)
    }

    /// The same tools with an allow-list: only these can be called.
    ///
    /// # Errors
    /// [`AgentError::Tool`] when there is no tool of one of the names.
    pub fn only<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Self, AgentError> {
        let mut allowed = BTreeSet::new();
        for name in names {
            let name = name.as_ref();
            if self.find(name).is_none() {
                let known = quoted(self.tools.iter().map(|entry| &entry.tool.spec().name));
                let message = format!("it cannot be allowed, as it does not exist; the tools are {known}");
                return Err(AgentError::Tool { tool: name.to_owned(), message });
            }
            allowed.insert(name.to_owned());
        }
        self.allowed = Some(allowed);
        Ok(self)
    }

    /// The same tools with a lower ceiling; a higher one changes nothing.
    #[must_use]
    pub fn at_most(mut self, ceiling: Risk) -> Self {
        self.ceiling = self.ceiling.min(ceiling);
        self
    }

    /// How long a tool may take; 15 seconds unless set. What takes longer is dropped, which cancels it.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// How long one tool may take.
    #[must_use]
    pub fn with_timeout_of(mut self, name: impl Into<String>, limit: Duration) -> Self {
        self.timeouts.insert(name.into(), limit);
        self
    }

    /// Asks `confirm` before each call of a tool of at least this risk, and of one that [must](Tool::must_ask) be asked
    /// for.
    #[must_use]
    pub fn confirming(mut self, from: Risk, confirm: Arc<dyn Confirm>) -> Self {
        self.confirm = Some((from, confirm));
        self
    }

    /// Whether no tool can be called.
    pub fn is_empty(&self) -> bool {
        self.callable().next().is_none()
    }

    /// The names that can be called, in order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.callable().map(|entry| entry.tool.spec().name.as_str())
    }

    /// The tools that can be called, as the model sees them.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.callable().map(|entry| entry.tool.spec().clone()).collect()
    }

    /// How much a tool can change; nothing when there is no such tool.
    pub fn risk(&self, name: &str) -> Option<Risk> {
        self.find(name).map(|entry| entry.tool.risk())
    }

    /// Whether a person is asked before each call of a tool; nothing when there is no such tool.
    pub fn must_ask(&self, name: &str) -> Option<bool> {
        self.find(name).map(|entry| entry.tool.must_ask())
    }

    /// What a person is asked before a call, where one is asked from this risk on: nothing for what is of less risk, and
    /// for what is refused without asking.
    pub fn confirmation(&self, call: &ToolCall, from: Risk) -> Option<Confirmation> {
        let (registered, _) = self.found(&call.name)?;
        let (spec, risk) = (registered.tool.spec(), registered.tool.risk());
        if (risk < from && !registered.tool.must_ask()) || self.permit(&spec.name, risk).is_err() {
            return None;
        }
        let arguments = registered.read(&call.arguments).ok()?.value;
        Some(Confirmation { tool: spec.name.clone(), risk, arguments })
    }

    /// A call as its tool would get it, with what had to be tolerated; nothing for a call that is refused without being made.
    pub(crate) fn prepared(&self, call: &ToolCall, repeats: &FailedCalls) -> Option<(ToolCall, Vec<String>)> {
        let (registered, is_other) = self.found(&call.name)?;
        let name = registered.tool.spec().name.clone();
        self.permit(&name, registered.tool.risk()).ok()?;
        let Arguments { value, mut notes } = registered.read(&call.arguments).ok()?;
        if repeats.refusal(&name, &fingerprint(&name, &value)).is_some() {
            return None;
        }
        if is_other {
            notes.insert(0, format!("the tool `{}` was read as `{name}`", call.name));
        }
        Some((ToolCall { id: call.id.clone(), name, arguments: value }, notes))
    }

    /// Makes a call that a model asked for. Whatever goes wrong is in the outcome, as an observation for the model.
    ///
    /// Names are found whatever their spelling (`searchNotes`); arguments are read tolerantly and checked; a call that
    /// failed twice is not made a third time, see [`FailedCalls`]; a tool that panics has failed.
    pub async fn call(&self, call: &ToolCall, repeats: &mut FailedCalls) -> ToolOutcome {
        let mut outcome = ToolOutcome {
            call: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            risk: None,
            notes: Vec::new(),
            result: Ok(ToolOutput::default()),
        };
        let result = self.run(call, &mut outcome, &*repeats).await;
        let fingerprint = fingerprint(&outcome.tool, &outcome.arguments);
        match &result {
            Ok(_) => repeats.note_success(&fingerprint, outcome.risk.unwrap_or_default()),
            Err(ToolError::Repeated { .. }) => {}
            Err(error) => repeats.note_failure(fingerprint, error),
        }
        outcome.result = result;
        outcome
    }

    async fn run(
        &self,
        call: &ToolCall,
        outcome: &mut ToolOutcome,
        repeats: &FailedCalls,
    ) -> Result<ToolOutput, ToolError> {
        let registered = self.look_up(&call.name, outcome);
        let tool = outcome.tool.clone();
        let allow = |arguments: &Value| repeats.refusal(&tool, &fingerprint(&tool, arguments)).map_or(Ok(()), Err);
        let Some(registered) = registered else {
            allow(&call.arguments)?;
            return Err(ToolError::Unknown { tool, known: self.names().map(str::to_owned).collect() });
        };
        let risk = registered.tool.risk();
        outcome.risk = Some(risk);
        let spec = registered.tool.spec();
        let read = registered.read(&call.arguments);
        if let Ok(arguments) = &read {
            outcome.arguments.clone_from(&arguments.value);
            outcome.notes.extend(arguments.notes.iter().cloned());
        }
        allow(&outcome.arguments)?;
        self.permit(&spec.name, risk)?;
        let arguments = read?.value;
        self.ask(&*registered.tool, &arguments).await?;
        let limit = self.timeouts.get(&spec.name).copied().or(registered.tool.time_limit()).unwrap_or(self.timeout);
        let work = AssertUnwindSafe(registered.tool.call(arguments)).catch_unwind();
        match tokio::time::timeout(limit, work).await {
            Ok(Ok(result)) => result.map(|output| shortened(output, &mut outcome.notes)),
            Ok(Err(_panic)) => Err(ToolError::failed(format!("`{}` stopped unexpectedly", spec.name))),
            Err(_elapsed) => Err(ToolError::TimedOut {
                tool: spec.name.clone(),
                milliseconds: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            }),
        }
    }

    /// The tool of this name, or of the one name that is spelt like it; notes how it was read.
    fn look_up(&self, name: &str, outcome: &mut ToolOutcome) -> Option<&Registered> {
        let (found, is_other) = self.found(name)?;
        if is_other {
            outcome.tool.clone_from(&found.tool.spec().name);
            outcome.notes.push(format!("the tool `{name}` was read as `{}`", outcome.tool));
        }
        Some(found)
    }

    /// The tool of this name, or of the one name that is spelt like it, and whether it has another name.
    fn found(&self, name: &str) -> Option<(&Registered, bool)> {
        if let Some(found) = self.find(name) {
            return Some((found, false));
        }
        // Some models put a namespace before the name, some templates leave marks behind it.
        let name = tool_name(name);
        let plain = snake_case(name.rsplit(['.', ':', '/']).next().unwrap_or(name));
        let found = self.find(&plain).or_else(|| {
            let mut alike = self.tools.iter().filter(|entry| snake_case(&entry.tool.spec().name) == plain);
            alike.next().filter(|_| alike.next().is_none()).map(|entry| &**entry)
        })?;
        Some((found, true))
    }

    fn permit(&self, name: &str, risk: Risk) -> Result<(), ToolError> {
        if !self.is_allowed(name) {
            let allowed = self.names().map(str::to_owned).collect();
            return Err(ToolError::NotAllowed { tool: name.to_owned(), allowed });
        }
        if risk > self.ceiling {
            return Err(ToolError::TooRisky { tool: name.to_owned(), risk, ceiling: self.ceiling });
        }
        Ok(())
    }

    async fn ask(&self, tool: &dyn Tool, arguments: &Value) -> Result<(), ToolError> {
        let (name, risk, must) = (&tool.spec().name, tool.risk(), tool.must_ask());
        let denied = |reason: String| ToolError::Denied { tool: name.clone(), reason };
        let confirm = match &self.confirm {
            Some((from, confirm)) if must || risk >= *from => confirm,
            None if must => {
                return Err(denied(
                    "a person must be asked before it is called, and nobody can be asked here".to_owned(),
                ));
            }
            _ => return Ok(()),
        };
        let request = Confirmation { tool: name.clone(), risk, arguments: arguments.clone() };
        match confirm.confirm(&request).await {
            Decision::Allow => Ok(()),
            Decision::Deny { reason } => Err(denied(reason)),
        }
    }

    fn is_allowed(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
    }

    fn find(&self, name: &str) -> Option<&Registered> {
        self.tools.iter().find(|entry| entry.tool.spec().name == name).map(|entry| &**entry)
    }

    fn callable(&self) -> impl Iterator<Item = &Arc<Registered>> {
        let permitted =
            |entry: &&Arc<Registered>| self.is_allowed(&entry.tool.spec().name) && entry.tool.risk() <= self.ceiling;
        self.tools.iter().filter(permitted)
    }
}

/// An answer that is no longer than may be taken.
fn shortened(mut output: ToolOutput, notes: &mut Vec<String>) -> ToolOutput {
    let length = output.content.len();
    if length > ANSWER {
        output.content.truncate(output.content.floor_char_boundary(ANSWER));
        notes.push(format!("the answer had {length} bytes and was cut after {ANSWER}"));
    }
    if !output.data.is_null() && serde_json::to_string(&output.data).map_or(0, |data| data.len()) > ANSWER {
        output.data = Value::Null;
        notes.push(format!("the data of the answer had more than {ANSWER} bytes and were left out"));
    }
    output
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRegistry")
            .field("callable", &self.names().collect::<Vec<_>>())
            .field("ceiling", &self.ceiling)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
