//! What WriteHERE itself costs for a call as its tree of tasks grows: a book is planned and written by a scripted model
//! that answers at once, so that all the time is the program's own. Each committed step is stored in SQLite.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use graphloom_agents::Models;
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_llm::scripted::{Reply, Scripted, rendered};
use graphloom_llm::{ChatRequest, ModelError, fence};
use graphloom_writehere::{Mode, Request, Resources, Schedule, Writing, graph};
use serde_json::{Value, json};

use crate::Failure;

/// Parts of every task that is planned.
const PARTS: usize = 8;
/// Words of every text.
const WORDS: usize = 100;

/// One row of the table.
pub(crate) struct Row {
    texts: usize,
    calls: usize,
    first: Duration,
    last: Duration,
    bytes: u64,
}

impl Row {
    pub(crate) fn head() -> String {
        format!(
            "{:<38} {:>6} {:>12} {:>12} {:>8} {:>9}",
            "writehere, own time for a call", "calls", "first tenth", "last tenth", "ratio", "MB stored"
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { texts, calls, first, last, bytes } = self;
        let (name, ratio) = (format!("book of {texts} texts"), last.as_secs_f64() / first.as_secs_f64());
        let (first, last, stored) = (format!("{first:.1?}"), format!("{last:.1?}"), bytes / 1_000_000);
        write!(f, "{name:<38} {calls:>6} {first:>12} {last:>12} {ratio:>7.2}x {stored:>9}")
    }
}

/// A book of 64 texts, and one of 512.
pub(crate) async fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for layers in [2, 3] {
        rows.push(book(layers).await?);
    }
    Ok(rows)
}

async fn book(layers: usize) -> Result<Row, Failure> {
    let place = tempfile::tempdir()?;
    let file = place.path().join("book.db");
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let model = {
        let asked = Arc::clone(&asked);
        Scripted::from_fn(move |request: &ChatRequest| {
            asked.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            reply(request, layers).map(Reply::text)
        })
    };
    let mut resources = Resources::report(Models::new(Arc::new(model)))?;
    resources.time = |_| "2026-01-02 03:04:05".to_owned();
    let store = SqliteCheckpointer::open_with(&file, SqliteOptions::synchronous(Synchronous::Normal))?;
    let runs = graph().with_context(resources).with_checkpointer(store);
    let mut request = Request::default();
    let texts = PARTS.pow(u32::try_from(layers)?);
    (request.goal, request.mode, request.schedule) =
        ("Write about tides".to_owned(), Mode::Report, Schedule::Concurrent);
    request.words = u32::try_from(texts * WORDS).ok();
    request.max_depth = Some(layers + 1);
    let outcome = runs.thread("book").run(Writing::update().request(request)).await?;
    let writing = outcome.done().map_err(|other| format!("the book did not end: {other:?}"))?;
    let ended = Instant::now();
    let written = writing.tree.nodes().filter(|node| node.is_atomic_execution()).count();
    if written != texts {
        return Err(format!("{written} of {texts} texts were planned").into());
    }
    let mut times = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    times.push(ended);
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tenth = (gaps.len() / 10).max(1);
    let mean = |gaps: &[Duration]| gaps.iter().sum::<Duration>() / u32::try_from(gaps.len()).unwrap_or(u32::MAX);
    let bytes = std::fs::metadata(&file)?.len();
    Ok(Row { texts, calls: gaps.len(), first: mean(&gaps[..tenth]), last: mean(&gaps[gaps.len() - tenth..]), bytes })
}

/// What the model says: a task above the last layer is complex and has eight parts, each text is as long as it should be.
fn reply(request: &ChatRequest, layers: usize) -> Result<String, ModelError> {
    let prompt = rendered(request);
    let task: Value =
        fence::text_from(&prompt, "the task").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let id = task["id"].as_str().unwrap_or_default();
    let layer = if id.is_empty() { 0 } else { id.split('.').count() };
    if prompt.contains("<atomic_task_determination>") {
        let verdict = if layer < layers { "complex" } else { "atomic" };
        return Ok(format!(
            "<result><goal_updating></goal_updating><atomic_task_determination>{verdict}</atomic_task_determination></result>"
        ));
    }
    if prompt.contains("You plan for a team") {
        let words = PARTS.pow(u32::try_from(layers.saturating_sub(layer + 1)).unwrap_or_default()) * WORDS;
        let part = |place: usize| {
            let id = if id.is_empty() { place.to_string() } else { format!("{id}.{place}") };
            let goal = format!("Write part {id} of a long book on the sea and its tides");
            json!({ "id": id, "task_type": "write", "goal": goal, "dependency": [], "length": format!("{words} words") })
        };
        let plan: Vec<Value> = (1..=PARTS).map(part).collect();
        return Ok(format!("<result>{}</result>", json!({ "sub_tasks": plan })));
    }
    let mut text = String::new();
    for sentence in 0..WORDS / 10 {
        text.push_str(&format!("The tide of part {id} moves sand to place number {sentence}. "));
    }
    Ok(format!("<article>{text}</article>"))
}
