//! The options of every command of every program.

use std::path::PathBuf;

use clap::{ArgAction, Args, ColorChoice};

use crate::{LogFormat, OutboundArgs, StoreKind};

/// Options of every command, also of those that run no graph.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct BaseArgs {
    /// Where runs, indexes and fetched models are kept; by default the user's data and cache directories
    #[arg(long, global = true, value_name = "DIR", env = "GRAPHLOOM_HOME")]
    pub data_dir: Option<PathBuf>,
    /// Where runs are kept; `sqlite` unless `graphloom.toml` says otherwise
    #[arg(long, global = true, value_name = "STORE", env = "GRAPHLOOM_STORE")]
    pub store: Option<StoreKind>,
    /// Read no `graphloom.toml`, neither the user's nor that of the working directory
    #[arg(long, global = true)]
    pub no_config: bool,
    /// Print one JSON event a line on stdout; the last one is the result
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print what the program does; repeat for more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Write a detailed log to this file
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// How the log is written, on stderr and in the file of `--log`
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// When help, progress and errors are coloured; by default on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take the comment for the help text of the group")]
    pub outbound: OutboundArgs,
}

impl AsRef<BaseArgs> for BaseArgs {
    fn as_ref(&self) -> &BaseArgs {
        self
    }
}
