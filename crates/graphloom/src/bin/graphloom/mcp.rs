//! `graphloom mcp`: what MCP servers have.

use std::path::PathBuf;

use clap::Subcommand;
use graphloom_cli::{ExitStatus, Failure, Progress, mcp_servers};
use graphloom_mcp::{McpOptions, ServerReport, ToolReport};
use serde_json::{Value, json};

#[derive(Subcommand, Debug)]
pub(crate) enum McpCommand {
    /// Start or reach the servers of a file, and list their tools with what each can change, and what failed and why
    List {
        /// The file that names the servers, as editors do, in `mcpServers`
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
}

pub(crate) async fn run(command: McpCommand, progress: &Progress) -> Result<ExitStatus, Failure> {
    let McpCommand::List { config } = command;
    let servers = mcp_servers(&config, McpOptions::default(), progress).await?;
    let reports = servers.reports();
    servers.close().await;
    let failed = reports.iter().any(|report| report.error.is_some());
    let status = if failed { ExitStatus::Failed } else { ExitStatus::Done };
    let text: String = reports.iter().map(shown).collect();
    progress.result(status, text.trim_end(), &json!({ "servers": reports.iter().map(value).collect::<Vec<_>>() }))?;
    Ok(status)
}

/// A server, and its tools one a line.
fn shown(report: &ServerReport) -> String {
    let mut text = format!("{} ({})", report.server, report.place);
    if let Some(identity) = &report.identity {
        text.push_str(&format!(": {identity}"));
    }
    text.push('\n');
    if let Some(error) = &report.error {
        text.push_str(&format!("  failed: {error}\n"));
    }
    let width = report.tools.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    for tool in &report.tools {
        let first = tool.description.lines().next().unwrap_or_default();
        let line = format!("  {:width$}  {:11}  {:4}  {first}", tool.name, risk_of(tool), asks(tool));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for (tool, reason) in &report.left_out {
        text.push_str(&format!("  {tool}: left out, {reason}\n"));
    }
    text
}

fn risk_of(tool: &ToolReport) -> String {
    if tool.unknown { "unknown".to_owned() } else { tool.risk.to_string() }
}

fn asks(tool: &ToolReport) -> &'static str {
    if tool.asks { "asks" } else { "" }
}

fn value(report: &ServerReport) -> Value {
    let tools: Vec<Value> = report
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name, "original": tool.original, "description": tool.description, "risk": tool.risk,
                "unknown": tool.unknown, "asks": tool.asks,
            })
        })
        .collect();
    let left_out: Vec<Value> =
        report.left_out.iter().map(|(tool, reason)| json!({ "tool": tool, "reason": reason })).collect();
    json!({
        "server": report.server, "place": report.place, "identity": report.identity, "tools": tools,
        "left_out": left_out, "error": report.error.as_ref().map(ToString::to_string),
    })
}
