//! MCP servers that a program works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use graphloom_mcp::{McpConfig, McpEventKind, McpOptions, McpServers};

use crate::{Failure, Progress};

/// Options of commands whose model can use the tools of MCP servers.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct McpArgs {
    /// Let the model use what MCP servers have that only reads; the file names them as editors do, in `mcpServers`.
    /// It starts programs: give a file that you trust
    // No variable and no file of parameters stands for it, since what it names is run.
    #[arg(long, global = true, value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
}

impl McpArgs {
    /// The servers of the file, reached or started; `None` where no file is given. What is wrong with one is a warning.
    ///
    /// # Errors
    /// A file that cannot be read, or names no servers.
    pub async fn servers(&self, options: McpOptions, progress: &Progress) -> Result<Option<McpServers>, Failure> {
        let Some(file) = &self.mcp_config else { return Ok(None) };
        Ok(Some(mcp_servers(file, options, progress).await?))
    }
}

/// The servers of a file, reached or started. Their failures and what was left out or cut are told as they happen.
///
/// # Errors
/// A file that cannot be read, or names no servers.
pub async fn mcp_servers(file: &Path, options: McpOptions, progress: &Progress) -> Result<McpServers, Failure> {
    let config = McpConfig::read(file).map_err(|error| Failure::usage(error.to_string()))?;
    for note in &config.notes {
        progress.note(note);
    }
    let teller = progress.clone();
    let options = options.watched_by(Arc::new(move |event| match event.kind {
        McpEventKind::Failed | McpEventKind::Ended | McpEventKind::Cut => teller.warn(event.to_string()),
        McpEventKind::LeftOut | McpEventKind::Changed => teller.note(event.to_string()),
        _ => {}
    }));
    progress.phase("reaching the MCP servers");
    Ok(McpServers::connect(&config, &options).await)
}
