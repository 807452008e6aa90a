//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use graphloom_cli::{BaseArgs, CommonArgs};

/// Researches a topic with you: queries, literature, gap, proposal, with your approval in between
#[derive(Parser, Debug)]
#[command(name = "pocketflow", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Talk on the terminal, until `/quit` or the end of the input
    Chat {
        /// The conversation; a new one when not given
        thread: Option<String>,
    },
    /// Say one thing and print what is said back
    Say {
        /// The conversation, existing or new
        thread: String,
        /// What is said
        message: String,
    },
    /// End a turn that was cut off by a kill
    Resume {
        /// The conversation
        thread: String,
    },
    /// Do everything after a checkpoint again
    Replay {
        /// The conversation
        thread: String,
        /// The checkpoint's number, from `pocketflow history THREAD`
        #[arg(long)]
        from: u64,
    },
    /// Make an older checkpoint the head of its conversation
    Fork {
        /// The conversation
        thread: String,
        /// The checkpoint's number, from `pocketflow history THREAD`
        #[arg(long)]
        at: u64,
    },
    /// List the conversations
    Runs,
    /// Show a conversation's session: what it waits for, what was made, which rule matched and why
    Inspect {
        /// The conversation
        thread: String,
    },
    /// List the checkpoints of a conversation, with the rule that each was decided by
    History {
        /// The conversation
        thread: String,
    },
    /// Show what changed in the session between two checkpoints
    Diff {
        /// The conversation
        thread: String,
        /// The older checkpoint's number
        from: u64,
        /// The newer checkpoint's number
        to: u64,
    },
    /// Draw the graph, with the path of a conversation's last run when one is given
    Graph {
        /// The conversation
        thread: Option<String>,
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
    /// Print the proposal of a conversation
    Export {
        /// The conversation
        thread: String,
        /// The form
        #[arg(long, default_value = "markdown")]
        format: ExportFormat,
    },
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum GraphFormat {
    /// Mermaid
    Mermaid,
    /// GraphViz
    Dot,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ExportFormat {
    /// Markdown
    Markdown,
    /// JSON
    Json,
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        self.common.as_ref()
    }
}
