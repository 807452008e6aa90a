//! MCP servers that a program works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use graphloom_mcp::{LoginFolder, McpConfig, McpEventKind, McpOptions, McpServers};
use graphloom_retrieval::Search;

use crate::{DataDir, Failure, McpSearch, SearchEngine, Session, SourceArgs};

/// Options of commands whose model can use the tools of MCP servers.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct McpArgs {
    /// MCP servers, named as editors do it, in `mcpServers`: `--search mcp` searches their resources, the model of `obsius` uses
    /// what they have that only reads, and that of `graphloom agent` all of it. The file starts programs: give one that you trust
    // No variable and no file of parameters stands for it, since what it names is run.
    #[arg(long, global = true, value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
}

impl McpArgs {
    /// The resources of the servers of the file, for a program that uses them for nothing else: as `--search mcp` asks for
    /// them. `None` where it does not.
    ///
    /// # Errors
    /// A file without `--search mcp`, and that without a file; a file that cannot be read, or names no servers.
    pub async fn search(&self, sources: &SourceArgs, session: &Session) -> Result<Option<Arc<dyn Search>>, Failure> {
        if self.mcp_config.is_some() && !sources.search.contains(&SearchEngine::Mcp) {
            return Err(Failure::usage("`--mcp-config` is for `--search mcp`, which is not asked for"));
        }
        let servers = self.servers(McpOptions::default(), session).await?.map(Arc::new);
        self.search_of(servers.as_ref(), sources)
    }

    /// The resources of servers that a program has reached, as `--search mcp` asks for them. `None` where it does not.
    ///
    /// # Errors
    /// `--search mcp` without servers.
    pub fn search_of(
        &self,
        servers: Option<&Arc<McpServers>>,
        sources: &SourceArgs,
    ) -> Result<Option<Arc<dyn Search>>, Failure> {
        if !sources.search.contains(&SearchEngine::Mcp) {
            return Ok(None);
        }
        let servers = servers.ok_or_else(|| Failure::usage("`--search mcp` needs `--mcp-config FILE`"))?;
        Ok(Some(Arc::new(McpSearch::new(Arc::clone(servers)))))
    }

    /// The servers of the file, reached or started; `None` where no file is given. What is wrong with one is a warning.
    ///
    /// # Errors
    /// A file that cannot be read, or names no servers.
    pub async fn servers(&self, options: McpOptions, session: &Session) -> Result<Option<McpServers>, Failure> {
        let Some(file) = &self.mcp_config else { return Ok(None) };
        Ok(Some(mcp_servers(file, options, session).await?))
    }
}

/// The servers that a file names; what of it is not known is noted.
///
/// # Errors
/// A file that cannot be read, or names no servers.
pub fn mcp_config(file: &Path, session: &Session) -> Result<McpConfig, Failure> {
    let config = McpConfig::read(file).map_err(|error| Failure::usage(error.to_string()))?;
    config.notes.iter().for_each(|note| session.progress.note(note));
    Ok(config)
}

/// Where the logins to MCP servers are kept.
pub fn mcp_logins(dirs: &DataDir) -> LoginFolder {
    LoginFolder::new(dirs.data().join("mcp-logins"))
}

/// The servers of a file, reached or started, with the logins of this user. Their failures and what was left out or cut are told as they happen.
///
/// # Errors
/// A file that cannot be read, or names no servers.
pub async fn mcp_servers(file: &Path, options: McpOptions, session: &Session) -> Result<McpServers, Failure> {
    let progress = &session.progress;
    let config = mcp_config(file, session)?;
    let options = options.with_logins(mcp_logins(&session.dirs()?));
    let teller = progress.clone();
    let options = options.watched_by(Arc::new(move |event| match event.kind {
        McpEventKind::Failed | McpEventKind::Ended | McpEventKind::Cut => teller.warn(event.to_string()),
        McpEventKind::LeftOut | McpEventKind::Skipped | McpEventKind::Changed => teller.note(event.to_string()),
        _ => {}
    }));
    progress.phase("reaching the MCP servers");
    Ok(McpServers::connect(&config, &options).await)
}
