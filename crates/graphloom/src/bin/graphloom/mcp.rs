//! `graphloom mcp`: what MCP servers have, and logins to them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use graphloom_cli::{ExitStatus, Failure, Session, mcp_config, mcp_logins, mcp_servers, quoted};
use graphloom_mcp::{McpError, McpOptions, Place, ServerConfig, ServerReport, ToolReport, login};
use serde_json::{Value, json};

#[derive(Subcommand, Debug)]
pub(crate) enum McpCommand {
    /// Start or reach the servers of a file, and list their tools with what each can change, and what failed and why
    List {
        /// The file that names the servers, as editors do, in `mcpServers`
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Log in to a server that asks for it: open the address that is shown in a browser on this machine
    Login(ServerArgs),
    /// Forget the login to a server
    Logout(ServerArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ServerArgs {
    /// The server, by its name in the file
    name: String,
    /// The file that names the servers, as editors do, in `mcpServers`
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

/// How long a person may take to log in.
const LOGIN: Duration = Duration::from_secs(600);

pub(crate) async fn run(command: McpCommand, session: &Session) -> Result<ExitStatus, Failure> {
    match command {
        McpCommand::List { config } => list(&config, session).await,
        McpCommand::Login(args) => log_in(&args, session).await,
        McpCommand::Logout(args) => log_out(&args, session),
    }
}

async fn log_in(args: &ServerArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let server = named(args, session)?;
    let logins = mcp_logins(&session.dirs()?);
    let show = |address: &str| {
        // Without it nobody can log in, so it is shown with `-q`, too.
        session
            .progress
            .line(&format!("to log in to `{}`, open this address in a browser on this machine:\n{address}", args.name));
    };
    let made = Box::pin(login(&server, &logins, LOGIN, show)).await;
    let made = made.map_err(|error| Failure::new(ExitStatus::Failed, error))?;
    let lasts = if made.renewable { "" } else { "; it ends with its token, since none to renew it was given" };
    let text = format!("logged in to `{}` at `{}`{lasts}", args.name, made.host);
    let value = json!({ "server": args.name, "host": made.host, "scopes": made.scopes, "renewable": made.renewable });
    session.progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

fn log_out(args: &ServerArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let server = named(args, session)?;
    let removed = match &server.place {
        Place::Http { url, .. } => mcp_logins(&session.dirs()?)
            .remove(url)
            .map_err(|error| Failure::new(ExitStatus::Failed, format!("the login cannot be removed: {error}")))?,
        _ => false,
    };
    let text = match removed {
        true => format!("the login to `{}` is forgotten on this machine", args.name),
        false => format!("there is no login to `{}`", args.name),
    };
    session.progress.result(ExitStatus::Done, &text, &json!({ "server": args.name, "removed": removed }))?;
    Ok(ExitStatus::Done)
}

/// The server of a file.
fn named(args: &ServerArgs, session: &Session) -> Result<ServerConfig, Failure> {
    let servers = mcp_config(&args.config, session)?.servers;
    let known: Vec<String> = servers.iter().map(|server| format!("`{}`", server.name)).collect();
    let found = servers.into_iter().find(|server| server.name == args.name);
    found.ok_or_else(|| {
        let file = args.config.display();
        Failure::usage(format!("`{file}` names no server `{}`; there are {}", args.name, known.join(", ")))
    })
}

async fn list(config: &Path, session: &Session) -> Result<ExitStatus, Failure> {
    let servers = mcp_servers(config, McpOptions::default(), session).await?;
    let reports = servers.reports();
    servers.close().await;
    let failed = reports.iter().any(|report| report.error.is_some());
    let status = if failed { ExitStatus::Failed } else { ExitStatus::Done };
    for report in reports.iter().filter(|report| matches!(report.error, Some(McpError::LoginNeeded { .. }))) {
        let file = quoted(&config.display().to_string());
        session.progress.note(format!("log in with: graphloom mcp login {} --config {file}", quoted(&report.server)));
    }
    let text: String = reports.iter().map(shown).collect();
    session.progress.result(
        status,
        text.trim_end(),
        &json!({ "servers": reports.iter().map(value).collect::<Vec<_>>() }),
    )?;
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
