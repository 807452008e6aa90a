//! The options of the queue that brings tasks to workers.

use std::collections::BTreeMap;

use clap::Args;
use graphloom_checkpoint_encrypted::MessageKeys;
use graphloom_cli::Failure;
use graphloom_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue};

/// The class of the tasks of all graphs that have no limit of their own.
const ALL: &str = "all graphs";

#[derive(Args, Debug)]
pub(crate) struct QueueArgs {
    /// Have at most so many tasks with workers at a time, over all servers of the database: `8`, or `writehere=4` for those of
    /// one graph, which do not count among the others then. May be given several times; all servers state the same
    #[arg(long, value_name = "[GRAPH=]TASKS", requires = "workers", value_parser = limit)]
    limit: Vec<(Option<String>, u16)>,
    /// Have the tasks of a graph come before those that wait with a larger number: `pocketflow=-1`. It is 0 for graphs that are
    /// not named; may be given several times
    #[arg(long, value_name = "GRAPH=NUMBER", requires = "workers", value_parser = priority)]
    priority: Vec<(String, i16)>,
}

impl QueueArgs {
    /// Has the tasks of a server brought to workers.
    ///
    /// # Errors
    /// A graph that is not served; the queue's.
    pub(super) async fn queue(&self, mut server: Server, address: &str, keys: MessageKeys) -> Result<Server, Failure> {
        let served: Vec<String> = server.names().map(str::to_owned).collect();
        let limited = self.limit.iter().filter_map(|(graph, _)| graph.as_ref());
        if let Some(graph) =
            limited.chain(self.priority.iter().map(|(graph, _)| graph)).find(|one| !served.contains(one))
        {
            let served = served.join(", ");
            return Err(Failure::usage(format!(
                "`{graph}` is no graph that is served, and has no queue; there are {served}"
            )));
        }
        let limits: BTreeMap<&str, u16> =
            self.limit.iter().map(|(graph, tasks)| (graph.as_deref().unwrap_or(ALL), *tasks)).collect();
        let options = limits.iter().fold(QueueOptions::default().keys(keys), |options, (class, tasks)| {
            options.limit(*class, usize::from(*tasks))
        });
        let queue = TaskQueue::connect(address, &options).await?.class(ALL);
        for graph in &served {
            let mut own = queue.clone();
            if limits.contains_key(graph.as_str()) {
                own = own.class(graph.as_str());
            }
            if let Some((_, priority)) = self.priority.iter().rfind(|(of, _)| of == graph) {
                own = own.priority(*priority);
            }
            server = server.graph_executed_by(graph, own);
        }
        Ok(server)
    }
}

/// How many tasks, with the graph if one is named.
fn limit(text: &str) -> Result<(Option<String>, u16), String> {
    let (graph, tasks) = match text.split_once('=') {
        Some((graph, tasks)) => (Some(graph.to_owned()), tasks),
        None => (None, text),
    };
    match tasks.parse() {
        Ok(0) | Err(_) => Err(format!("`{tasks}` is no number of tasks, which is 1 to {}", u16::MAX)),
        Ok(tasks) => Ok((graph, tasks)),
    }
}

/// A graph and its priority.
fn priority(text: &str) -> Result<(String, i16), String> {
    let Some((graph, number)) = text.split_once('=') else { return Err("write GRAPH=NUMBER".to_owned()) };
    match number.parse() {
        Ok(number) => Ok((graph.to_owned(), number)),
        Err(_) => Err(format!("`{number}` is no whole number from {} to {}", i16::MIN, i16::MAX)),
    }
}
