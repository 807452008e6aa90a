//! The options that all applications share.

use std::path::PathBuf;

use clap::{ArgAction, Args, ColorChoice};
use graphloom_llm::layers::Budget;
use graphloom_llm::resolve::ModelSpecs;

use crate::{LogFormat, OutboundArgs, SearchEngine, StoreKind};

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

/// Options of every application that runs a graph with models.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct CommonArgs {
    /// The model: `embedded`, `compatible:NAME@BASE_URL`, `gguf:PATH`, `scripted:FILE` or `replay:FILE`; roles may
    /// differ, as in `embedded,write=compatible:NAME@BASE_URL`. Without it a model server on this machine is looked
    /// for, then `embedded` is taken
    #[arg(long, global = true, value_name = "SPEC", env = "GRAPHLOOM_MODEL")]
    pub model: Option<ModelSpecs>,
    /// Record every exchange with a model to this file, which `--model replay:FILE` plays back
    #[arg(long, global = true, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// A folder of documents to search (Markdown, text, HTML); may be given several times
    #[arg(long, global = true, value_name = "DIR")]
    pub corpus: Vec<PathBuf>,
    /// Where to search, as in `local,openalex`; by default `local` when a corpus is given, else the engines that have a
    /// key in the environment (`OPENALEX_API_KEY`), else `none`
    #[arg(long, global = true, value_name = "ENGINES", value_delimiter = ',')]
    pub search: Vec<SearchEngine>,
    /// The id of the run; made of the application's name and the time when not given
    #[arg(long, global = true, value_name = "ID")]
    pub thread: Option<String>,
    /// Where the result is written; by default a new directory, which the summary names
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Limits such as `calls=100,tokens=200k,usd=0.50,time=10m`; a run that reaches one delivers what there is
    #[arg(long, global = true, value_name = "LIMITS")]
    pub budget: Option<Budget>,
    /// Take parameters from this TOML or JSON file
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set one parameter, as in `--set key=value`; may be given several times
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Print every parameter with its value, default and source, and end
    #[arg(long, global = true)]
    pub print_config: bool,
    /// Answer yes to questions of consent, save those that an option of its own is for
    #[arg(long, global = true)]
    pub yes: bool,
    /// Ask nothing on the terminal: a question ends the run with status 3
    #[arg(long, global = true)]
    pub no_input: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take the comment for the help text of the group")]
    pub base: BaseArgs,
}

impl CommonArgs {
    /// Whether a question may be asked on the terminal.
    pub fn may_ask(&self) -> bool {
        !self.no_input && !self.yes && !self.base.json && std::io::IsTerminal::is_terminal(&std::io::stdin())
    }
}

impl AsRef<BaseArgs> for BaseArgs {
    fn as_ref(&self) -> &BaseArgs {
        self
    }
}

impl AsRef<BaseArgs> for CommonArgs {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}
