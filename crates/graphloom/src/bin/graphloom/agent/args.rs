//! The options of an agent.

use std::path::PathBuf;

use clap::Args;
use graphloom_cli::{AnswerArgs, McpArgs, ModelArgs, ThreadArgs};

#[derive(Args, Debug)]
pub(crate) struct AgentArgs {
    /// What is to be done
    pub(crate) task: String,
    /// A folder of skills, or one skill, whose instructions the model loads when it needs them; may be given several times.
    /// The model follows them: give folders that you trust
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
    /// How often the model is asked at most
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) max_turns: u32,
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run
    pub(crate) thread: String,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// What an agent works with.
#[derive(Args, Debug)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
}
