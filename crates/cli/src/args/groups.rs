//! Groups of options by what they are needed for. A command flattens those that it reads.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use graphloom_agents::{AgentError, Prompts};
use graphloom_llm::layers::{Budget, CachePolicy, HedgeAfter, HostRateLimit};
use graphloom_llm::resolve::{EmbedderSpec, ModelSpecs};

use crate::{Progress, SearchEngine};

/// Options of commands that call models under parameters of their program.
#[derive(Args, Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunArgs {
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take the comment for the help text of the group")]
    pub models: ModelArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take the comment for the help text of the group")]
    pub parameters: ParameterArgs,
}

/// Options of commands that call models.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct ModelArgs {
    /// The model: `embedded`, `embedded:FILE.gguf` (or `gguf:PATH`), `embedded:NAME` of `graphloom model list`,
    /// `compatible:NAME@BASE_URL`, `scripted:FILE`, `replay:FILE`, or one of a
    /// provider, such as `anthropic:NAME`, `openai:NAME`, `gemini:NAME` and `ollama:NAME`, at another address with
    /// `@BASE_URL`; roles may differ, as in `embedded,write=anthropic:NAME`. With `A|B` the model `B` is asked when `A` cannot
    /// answer. Without it a model server on this machine is looked
    /// for, then `embedded` is taken
    #[arg(long, global = true, value_name = "SPEC", env = "GRAPHLOOM_MODEL")]
    pub model: Option<ModelSpecs>,
    /// Record every exchange with a model to this file, which `--model replay:FILE` plays back
    #[arg(long, global = true, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Limits such as `calls=100,tokens=200k,usd=0.50,time=10m`; a run that reaches one delivers what there is
    #[arg(long, global = true, value_name = "LIMITS")]
    pub budget: Option<Budget>,
    /// Prices of models that count before the built-in ones: a TOML table, or the model map of `LiteLLM` (`.json`)
    #[arg(long, global = true, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// What each server gets in a minute, such as `requests=60,tokens=100k`, or one with `@HOST` behind it; may be given several
    /// times
    #[arg(long, global = true, value_name = "LIMITS")]
    pub rate: Vec<HostRateLimit>,
    /// Take answers of earlier runs to the same requests: to those with a seed or temperature 0, with `all` to all of them; as in
    /// `--cache=all,age=30d,size=500m`
    #[arg(long, global = true, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub cache: Option<CachePolicy>,
    /// Ask a server a second time when it has not answered after this time, such as `20s` or `p95`, and take the first answer
    #[arg(long, global = true, value_name = "TIME")]
    pub hedge: Option<HedgeAfter>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take the comment for the help text of the group")]
    pub consent: ConsentArgs,
}

/// Options of commands that may have to ask a person.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct ConsentArgs {
    /// Answer yes to questions of consent, save those that an option of its own is for
    #[arg(long, global = true)]
    pub yes: bool,
    /// Ask nothing on the terminal: a question ends the run with status 3
    #[arg(long, global = true)]
    pub no_input: bool,
}

/// Options of commands that search.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct SourceArgs {
    /// A folder of documents to search (Markdown, text, HTML); may be given several times
    #[arg(long, global = true, value_name = "DIR")]
    pub corpus: Vec<PathBuf>,
    /// Where to search, as in `local,openalex`; by default `local` when a corpus is given, else the engines that have a
    /// key or an address in the environment, such as `OPENALEX_API_KEY`, else `none`
    #[arg(long, global = true, value_name = "ENGINES", value_delimiter = ',')]
    pub search: Vec<SearchEngine>,
    /// Find passages of the corpus by their meaning, too, with vectors of this model: `embedded` (English; 91 MB, fetched
    /// once), or one of a provider such as `openai:NAME`, `ollama:NAME` or `compatible:NAME@BASE_URL`. It is `off` unless
    /// named. Vectors are made once for each passage, which takes time and is kept
    #[arg(long, global = true, value_name = "MODEL")]
    pub embeddings: Option<EmbedderSpec>,
    /// Read the open full texts of works, where there are any, and not their abstracts alone
    #[arg(long, global = true)]
    pub full_text: bool,
}

/// Options of commands that begin a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct ThreadArgs {
    /// The id of the run; made of the application's name and the time when not given
    // A name of its own, because commands call a run that is there `thread` as well.
    #[arg(id = "new_thread", long = "thread", global = true, value_name = "ID")]
    pub thread: Option<String>,
}

/// Options of commands that write files.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct OutputArgs {
    /// Where the result is written; by default a new directory, which the summary names
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of commands that read the parameters of their program.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct ParameterArgs {
    /// Take parameters from this TOML or JSON file
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set one parameter, as in `--set key=value`; may be given several times
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Print every parameter with its value, default and source, and end
    #[arg(long, global = true)]
    pub print_config: bool,
}

/// Options of commands whose prompt files can be replaced.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct PromptArgs {
    /// Take prompt files from this folder where it has them
    #[arg(long, global = true, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
}

impl PromptArgs {
    /// Prompt files, with those of the folder where it has them.
    ///
    /// # Errors
    /// A file that cannot be read, or is no template.
    pub fn over(&self, prompts: Prompts) -> Result<Prompts, AgentError> {
        match &self.prompts {
            Some(folder) => prompts.override_from(folder),
            None => Ok(prompts),
        }
    }
}

impl ConsentArgs {
    /// Whether a question may be asked on the terminal.
    pub fn may_ask(&self, progress: &Progress) -> bool {
        !self.no_input && !self.yes && !progress.is_json() && std::io::stdin().is_terminal()
    }
}
