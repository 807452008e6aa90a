//! What an agent works with: models, servers, skills, and its place in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_agents::react::{ReactResources, ReactState, graph};
use graphloom_agents::{Prompts, Risk, Skills, ToolRegistry};
use graphloom_cli::{Failure, ModelSet, Session, build_models};
use graphloom_core_graph::Threads;
use graphloom_llm::layers::Spent;
use graphloom_mcp::McpOptions;
use serde::{Deserialize, Serialize};

use super::args::{AgentArgs, WorkArgs};

/// The options that a run began with, as it stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Begun {
    /// The model, as `--model` names it.
    pub(super) model: String,
    /// The file of servers, wherever the run is resumed.
    mcp_config: Option<PathBuf>,
    /// The folders of skills.
    skills: Vec<PathBuf>,
    max_turns: u32,
}

impl Begun {
    pub(super) fn of(args: &AgentArgs) -> Result<Self, Failure> {
        let absolute = |path: &PathBuf| std::path::absolute(path);
        Ok(Self {
            model: String::new(),
            mcp_config: args.work.mcp.mcp_config.as_ref().map(absolute).transpose()?,
            skills: args.skills.iter().map(absolute).collect::<Result<_, _>>()?,
            max_turns: args.max_turns,
        })
    }

    /// Completes the options of a run that goes on with those that it began with.
    pub(super) fn complete(&self, work: &mut WorkArgs, session: &Session) -> Result<(), Failure> {
        session.files.fill_budget(&mut work.models);
        match &work.models.model {
            _ if self.model.is_empty() => {}
            None => work.models.model = Some(self.model.parse()?),
            Some(given) if given.to_string() != self.model => {
                session.progress.warn(format!("the run began with `{}` and goes on with `{given}`", self.model));
            }
            Some(_) => {}
        }
        if work.mcp.mcp_config.is_none() {
            work.mcp.mcp_config.clone_from(&self.mcp_config);
        }
        Ok(())
    }
}

/// A run's place and the models that it calls.
pub(super) struct Opened {
    pub(super) threads: Threads<ReactState, ReactResources>,
    pub(super) models: ModelSet,
}

/// Opens what a run is driven with.
pub(super) async fn open(work: &WorkArgs, session: &Session, begun: &Begun, spent: Spent) -> Result<Opened, Failure> {
    let mut tools = ToolRegistry::new(Risk::Destructive);
    skills(&begun.skills, session)?.register(&mut tools)?;
    // The servers are reached before a model is made: what is wrong with their file costs nothing then.
    let servers = work.mcp.servers(McpOptions::default(), session).await?;
    if let Some(servers) = servers {
        tools = tools.with_source(Arc::new(servers));
    }
    if tools.current().is_empty() {
        session.progress.warn("the agent has no tools; give it some with `--mcp-config FILE`, or `--skills DIR`");
    }
    let models = build_models(&work.models, &session.dirs()?, &session.progress, spent).await?;
    let model = Arc::clone(models.models.role("default"));
    let mut resources = ReactResources::new(model, tools, Arc::new(Prompts::new(&[])?));
    resources.options.max_turns = begun.max_turns.max(1);
    let store = session.store().await?.checkpointer();
    let threads = graph().with_context(resources).with_shared_checkpointer(store);
    Ok(Opened { threads, models })
}

fn skills(folders: &[impl AsRef<Path>], session: &Session) -> Result<Skills, Failure> {
    let skills = Skills::read(folders).map_err(|error| Failure::usage(error.to_string()))?;
    skills.notes().iter().for_each(|note| session.progress.warn(note));
    Ok(skills)
}
