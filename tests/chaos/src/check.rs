//! What must hold of the ends of all threads, and of what all processes noted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_checkpoint_postgres::PostgresCheckpointer;
use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};

use crate::book::{STEPS, finished, graph};
use crate::notes::Notes;
use crate::run::{Servers, say};

/// After how long it is said which tasks have not ended that nobody waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many durable steps there are, and how often they were executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepCounts {
    pub(crate) steps: usize,
    pub(crate) executions: usize,
}

/// Checks the ends of these threads, what all processes noted, and that no task is left.
pub(crate) async fn check(servers: &impl Servers, notes: &Path, names: &[String], seed: u64) -> StepCounts {
    let heads = heads(&servers.database().url(), notes, names, seed).await;
    let told = std::fs::read_to_string(notes).expect("the notes are read");
    let kept = noted(&told, &heads, seed);
    assert_eq!(kept.steps as u64, names.len() as u64 * STEPS, "seed {seed}: every durable step was kept");
    let (began, mut is_said) = (Instant::now(), false);
    while servers.left().await > 0 {
        if !is_said && began.elapsed() > PATIENCE {
            say(&format!("GRAPHLOOM_SEED={seed}: tasks have not ended yet\n{}", servers.described().await));
            is_said = true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    kept
}

/// The numbers of the last checkpoints of threads, each of which must have ended as it should.
async fn heads(database: &str, notes: &Path, names: &[String], seed: u64) -> BTreeMap<String, u64> {
    let store = PostgresCheckpointer::connect(database).await.expect("a store");
    let unused = Arc::new(Notes { file: notes.to_owned(), pause: Duration::ZERO });
    let books = graph().with_context(unused).with_checkpointer(store.clone());
    let mut heads = BTreeMap::new();
    for name in names {
        let state = books.thread(name.as_str()).state().await.expect("a state");
        let lines: Vec<String> = state.state.lines.iter().cloned().collect();
        assert_eq!(lines, finished(name), "seed {seed}: {name}");
        let status = store.thread(name).await.expect("the store reads").map(|row| row.status);
        assert_eq!(status, Some(ThreadStatus::Done), "seed {seed}: {name}");
        let head = store.checkpoint(name, "", None).await.expect("the store reads").expect("a checkpoint");
        heads.insert(name.clone(), head.number);
    }
    heads
}

/// Checks notes: no checkpoint that was acknowledged is missing later, and no durable step is kept twice.
fn noted(told: &str, heads: &BTreeMap<String, u64>, seed: u64) -> StepCounts {
    let (mut acknowledged, mut before_looking) = (BTreeMap::<&str, u64>::new(), BTreeMap::new());
    let (mut kept, mut known, mut executions) = (BTreeSet::<(&str, &str)>::new(), BTreeSet::new(), 0);
    for line in told.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [what, thread, about, process, _] = words.as_slice() else { panic!("seed {seed}: a line is {line}") };
        let number = || about.parse::<u64>().expect("a number");
        let before = acknowledged.get(thread).copied().unwrap_or_default();
        match *what {
            "acknowledged" => drop(acknowledged.insert(thread, number().max(before))),
            "looks" => drop(before_looking.insert((*thread, *process), before)),
            "seen" => {
                let before = before_looking[&(*thread, *process)];
                assert!(number() >= before, "seed {seed}: {thread} is at {about}, and was at {before}");
            }
            // One that is executed for a driver which another one has replaced is refused, and keeps nothing.
            "draft" => executions += 1,
            "known" => drop(known.insert((*thread, *about))),
            "kept" => {
                let story = || told.lines().filter(|line| line.contains(&format!("\t{thread}\t"))).collect::<Vec<_>>();
                let is_first = kept.insert((thread, about));
                assert!(is_first, "seed {seed}: {about} of {thread} is kept twice:\n{}", story().join("\n"));
            }
            "error" => {}
            other => panic!("seed {seed}: a line begins with {other}"),
        }
    }
    for (thread, number) in acknowledged {
        assert!(heads[thread] >= number, "seed {seed}: {thread} ends at {}, and was at {number}", heads[thread]);
    }
    known.extend(&kept);
    StepCounts { steps: known.len(), executions }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::noted;

    fn check(lines: &[&str]) -> bool {
        let told = lines.iter().map(|line| format!("{}\t1\n", line.replace(' ', "\t"))).collect::<String>();
        let heads = BTreeMap::from([("book".to_owned(), 5)]);
        std::panic::catch_unwind(|| noted(&told, &heads, 0)).is_ok()
    }

    #[test]
    fn what_was_acknowledged_must_be_seen_and_no_step_be_kept_twice() {
        let (looks, sees) = ("looks book  one", "seen book 2 one");
        assert!(check(&["acknowledged book 2 two", looks, sees, "draft book part two", "kept book part two"]));
        assert!(check(&[looks, "acknowledged book 3 two", sees, "kept book part two", "known book part two"]));
        assert!(!check(&["acknowledged book 3 two", looks, sees]), "a checkpoint is missing later");
        assert!(!check(&["acknowledged book 6 two"]), "a checkpoint is missing at the end");
        assert!(!check(&["kept book part one", "draft book part two", "kept book part two"]), "a step is kept twice");
    }
}
