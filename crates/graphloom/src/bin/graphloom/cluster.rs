//! `graphloom cluster`: the processes that share a database.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::{Args, Subcommand};
use graphloom_cli::{ExitStatus, Failure, Session, table};
use graphloom_server::ServerStatus;
use graphloom_worker::{MemberStatus, QueueOptions, QueueStatus, TaskStatus};
use serde_json::json;

use crate::serve;

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Show which servers there are, which processes execute tasks, and what waits
    Status(StatusArgs),
}

#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// How many tasks are shown at most, the oldest first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: u32,
}

pub(crate) async fn run(command: ClusterCommand, session: &Session) -> Result<ExitStatus, Failure> {
    let ClusterCommand::Status(StatusArgs { limit }) = command;
    let address = session.postgres_address("graphloom cluster")?;
    let (store, options) = (session.existing_store().await?, QueueOptions::default());
    let servers = async {
        match &store {
            Some(store) => serve::cluster().servers(&*store.memory()).await,
            None => Ok(Vec::new()),
        }
    };
    let (servers, queue) = tokio::join!(servers, QueueStatus::read(&address, &options, limit));
    let (servers, queue) = (servers?, queue?);
    if servers.is_empty() && queue.is_none() {
        let place = session.store_place()?;
        session.progress.note(format!("nobody shares {place}; `graphloom serve` and `graphloom worker` do"));
    }
    let mut text = servers_text(&servers)?;
    if let Some(queue) = &queue {
        queue_text(queue, &mut text)?;
    }
    let queue =
        queue.as_ref().map_or_else(|| Ok(json!({ "members": [], "tasks": [], "total": 0 })), serde_json::to_value);
    let mut value = queue?;
    value["servers"] = serde_json::to_value(&servers)?;
    session.progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

/// The servers, for people.
fn servers_text(servers: &[ServerStatus]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if !servers.is_empty() {
        let head = ["SERVER", "STATE", "THREADS", "GRAPHS"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(servers.iter().map(server)).collect();
        writeln!(text, "{}", table(&rows))?;
    }
    Ok(text)
}

fn server(server: &ServerStatus) -> [String; 4] {
    [
        server.process.map_or_else(|| server.id.to_string(), |process| process.to_string()),
        if server.is_heard { "alive" } else { "silent" }.to_owned(),
        server.threads.to_string(),
        server.graphs.join(", "),
    ]
}

/// The queue of tasks, for people.
fn queue_text(status: &QueueStatus, text: &mut String) -> Result<(), std::fmt::Error> {
    let workers = status.members.iter().filter(|member| member.is_worker).count();
    let drivers = status.members.len() - workers;
    let executed = status.tasks.iter().filter(|task| task.worker.is_some()).count();
    writeln!(text, "drivers {drivers}, workers {workers}, tasks {}", status.total)?;
    if !status.members.is_empty() {
        let head = ["PROCESS", "FROM", "ROLE", "SINCE", "HEARD OF", "TASKS"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(status.members.iter().map(member)).collect();
        write!(text, "\n{}", table(&rows))?;
    }
    let mut having: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
    for worker in status.members.iter().filter(|member| member.is_worker) {
        having.entry(&worker.graphs).or_default().push(worker.process.to_string());
    }
    for (graphs, processes) in having {
        writeln!(text, "\ngraphs of {}: {}", processes.join(", "), graphs.join(", "))?;
    }
    if !status.tasks.is_empty() {
        let head = ["TASK", "STATE", "SINCE", "TAKEN", "GRAPH"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(status.tasks.iter().map(|one| task(one, status))).collect();
        write!(text, "\n{}", table(&rows))?;
    }
    let shown = status.tasks.len() as u64;
    if status.total > shown {
        let waiting = shown - executed as u64;
        writeln!(text, "{} more; of those shown {executed} are executed and {waiting} wait", status.total - shown)?;
    }
    let mut unserved: Vec<String> = status.unserved().map(|task| task.graphs.join(" / ")).collect();
    unserved.sort();
    unserved.dedup();
    for graphs in unserved {
        writeln!(text, "no worker has `{graphs}`: start `graphloom worker` of that version with that graph")?;
    }
    Ok(())
}

fn member(member: &MemberStatus) -> [String; 6] {
    let (role, tasks) = match member.is_worker {
        true => ("worker", format!("{} of {}", member.tasks, member.places)),
        false => ("driver", member.tasks.to_string()),
    };
    [
        member.process.to_string(),
        member.address.clone().unwrap_or_else(|| "this machine".to_owned()),
        role.to_owned(),
        span(member.age),
        span(member.silent),
        tasks,
    ]
}

fn task(task: &TaskStatus, status: &QueueStatus) -> [String; 5] {
    let process = |id: &String| status.members.iter().find(|member| member.id == *id).map(|member| member.process);
    let state = match (&task.worker, task.is_stopping) {
        (Some(worker), _) => process(worker).map_or("executed".to_owned(), |process| format!("executed by {process}")),
        (None, true) => "stopping".to_owned(),
        (None, false) if !task.is_admitted => {
            format!("waits for a slot of class `{}`", task.class.as_deref().unwrap_or_default())
        }
        (None, false) => "waits".to_owned(),
    };
    let graph = task.graphs.last().cloned().unwrap_or_default();
    [task.name.clone(), state, span(task.age), task.takes.to_string(), graph]
}

/// A number of seconds as people say it.
fn span(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{seconds:.1} s"),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    }
}
