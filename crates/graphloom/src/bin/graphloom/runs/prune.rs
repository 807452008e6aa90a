//! `graphloom runs prune`.

use std::time::Duration;

use clap::Args;
use graphloom_cli::runs::{parse_age, parse_size, summary};
use graphloom_cli::{CliError, Failure, RunStore, Session};
use graphloom_core_graph::checkpoint::{CheckpointError, Pruned, Retention, ThreadFilter};
use graphloom_core_graph::{Clock, SystemClock};
use serde_json::{Value, json};

#[derive(Args, Debug)]
pub(crate) struct PruneArgs {
    /// The runs; without any, name `--all`
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    threads: Vec<String>,
    /// Every run of the data directory
    #[arg(long)]
    all: bool,
    /// With `--all`, only runs of this graph
    #[arg(long, value_name = "NAME", requires = "all")]
    graph: Option<String>,
    /// Keep only so many checkpoints of the run and of each of its parts
    #[arg(long, value_name = "COUNT")]
    keep: Option<u64>,
    /// Remove checkpoints that are older, such as `30d` or `12h`
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<Duration>,
    /// Remove the oldest checkpoints of a run until its values need no more room, such as `10MB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_size: Option<u64>,
    /// Remove what parts of a run have left that are over
    #[arg(long)]
    finished_parts: bool,
    /// Remove the journal of what came before the checkpoints that stay
    #[arg(long)]
    journal: bool,
    /// Only tell what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl PruneArgs {
    fn retention(&self) -> Result<Retention, CliError> {
        let mut retention = Retention::default();
        (retention.keep_last, retention.max_age, retention.max_bytes) = (self.keep, self.older_than, self.max_size);
        (retention.drop_finished_subgraphs, retention.cut_journal) = (self.finished_parts, self.journal);
        if retention == Retention::default() {
            let limits = "`--keep`, `--older-than`, `--max-size`, `--finished-parts` or `--journal`";
            return Err(CliError::usage(format!("say what to remove, with {limits}")));
        }
        Ok(retention)
    }
}

pub(super) async fn run(
    args: PruneArgs,
    store: Option<RunStore>,
    session: &Session,
) -> Result<(String, Value), Failure> {
    let (retention, progress) = (args.retention()?, &session.progress);
    let Some(store) = store else {
        if let Some(thread) = args.threads.into_iter().next() {
            return Err(CliError::UnknownRun { thread, place: session.store_place()?, nearest: None }.into());
        }
        progress.note(format!("there are no runs in `{}`", session.store_place()?));
        return Ok((String::new(), json!({"runs": []})));
    };
    let checkpointer = store.checkpointer();
    let threads = if args.all {
        let mut filter = ThreadFilter::default();
        filter.graph = args.graph;
        checkpointer.threads(&filter).await?.iter().map(|row| row.thread.to_string()).collect()
    } else {
        args.threads
    };
    // All are looked for before the first is touched.
    for thread in &threads {
        summary(&store, thread).await?;
    }
    let (mut text, mut rows) = (String::new(), Vec::new());
    let now = SystemClock.now();
    for thread in threads {
        let pruned = if args.dry_run {
            retention.preview(&*checkpointer, &thread, now).await
        } else {
            retention.prune(&*checkpointer, &thread, now).await
        };
        match pruned {
            Ok(pruned) => {
                text.push_str(&line(&thread, &pruned, args.dry_run));
                let Pruned { checkpoints, records, bytes, namespaces, .. } = pruned;
                rows.push(json!({
                    "run": thread, "checkpoints": checkpoints, "records": records, "bytes": bytes, "parts": namespaces,
                }));
            }
            Err(busy @ CheckpointError::ThreadBusy { .. }) => progress.warn(format!("left alone: {busy}")),
            Err(error) => return Err(error.into()),
        }
    }
    if !args.dry_run {
        checkpointer.compact().await?;
    }
    Ok((text, json!({"dry_run": args.dry_run, "runs": rows})))
}

fn line(thread: &str, pruned: &Pruned, dry_run: bool) -> String {
    let Pruned { checkpoints, bytes, .. } = pruned;
    let verb = if dry_run { "would lose" } else { "lost" };
    format!("{thread} {verb} {checkpoints} checkpoints and {bytes} bytes of values\n")
}
