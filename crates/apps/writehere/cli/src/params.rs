//! The parameters of a run: defaults of the profile, then files, then `--set`, then options.

use graphloom_cli::config::Layers;
use graphloom_cli::{ExitStatus, Failure, ParameterArgs, Session};
use graphloom_writehere::profile::{self, Settings, WriteProfile};
use graphloom_writehere::{Mode, Schedule};
use serde::{Deserialize, Serialize};

use crate::args::{ScheduleArg, WriteArgs};

/// The parameters of a run, by the names of `--set` and `--config`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    /// The length in words.
    pub(crate) length: Option<u32>,
    /// Plan no deeper than this many layers.
    pub(crate) max_depth: Option<usize>,
    /// Plan no further when the tree has this many tasks.
    pub(crate) max_nodes: Option<usize>,
    /// In which order ready tasks run.
    pub(crate) schedule: Schedule,
    /// The seed of samplers.
    pub(crate) seed: u64,
    /// The settings of the profile.
    pub(crate) settings: Settings,
}

/// The profile of a mode.
pub(crate) fn profile_of(mode: Mode) -> Result<WriteProfile, Failure> {
    Ok(match mode {
        Mode::Report => profile::report()?,
        Mode::Story => profile::story()?,
    })
}

/// The parameters, or `None` when they were only to be printed.
pub(crate) fn params(
    given: &ParameterArgs,
    session: &Session,
    mode: Mode,
    args: Option<&WriteArgs>,
) -> Result<Option<Params>, Failure> {
    let defaults = Params { settings: profile_of(mode)?.settings, ..Params::default() };
    let mut layers = Layers::of(&defaults, &session.files, given)?;
    if let Some(args) = args {
        let schedule = args.schedule.map(|schedule| match schedule {
            ScheduleArg::Concurrent => Schedule::Concurrent,
            ScheduleArg::Sequential => Schedule::Sequential,
        });
        if let Some(length) = args.length {
            layers.option("--length", "length", length)?;
        }
        if let Some(depth) = args.max_depth {
            layers.option("--max-depth", "max_depth", depth)?;
        }
        if let Some(nodes) = args.max_nodes {
            layers.option("--max-nodes", "max_nodes", nodes)?;
        }
        if let Some(schedule) = schedule {
            layers.option("--schedule", "schedule", schedule)?;
        }
        if let Some(seed) = args.seed {
            layers.option("--seed", "seed", seed)?;
        }
    }
    let params: Params = layers.build()?;
    if params.length == Some(0) {
        return Err(Failure::usage("`length` is 0; give a number of words, or leave it out"));
    }
    if given.print_config {
        let settings = layers.settings();
        session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
        return Ok(None);
    }
    Ok(Some(params))
}
