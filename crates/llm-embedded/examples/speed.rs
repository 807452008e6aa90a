//! Measures reading, writing and memory with a weights file, as one line of JSON: `speed FILE.gguf`.
#![expect(clippy::print_stdout, reason = "the output is what it is for")]

use std::path::Path;
use std::time::Instant;

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, Params, Usage};
use graphloom_llm_embedded::{Embedded, LoadOptions};
use serde_json::json;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// How long a request took to its first piece, from there to its end, and what it used.
async fn timed(model: &Embedded, text: String, max_tokens: u32) -> Fallible<(f64, f64, Usage)> {
    let params = Params { max_tokens: Some(max_tokens), temperature: Some(0.7), ..Params::default() };
    let start = Instant::now();
    let mut stream = model.stream(ChatRequest { params, ..ChatRequest::user(text) }).await?;
    let mut first = None;
    while let Some(event) = stream.next().await {
        let now = start.elapsed().as_secs_f64();
        match event? {
            ChatEvent::Done(response) => {
                let first = first.unwrap_or(now);
                return Ok((first, now - first, response.usage));
            }
            _ => first = first.or(Some(now)),
        }
    }
    Err("the stream has no end".into())
}

/// A text of many different words that begins with no other's words.
fn text(seed: usize, words: usize) -> String {
    let word =
        |at: usize| format!("{}{}", ["sea", "light", "tower", "stone", "wind", "ship"][(at * 7 + seed) % 6], at % 10);
    let words: Vec<String> = (seed..seed + words).map(word).collect();
    format!("{seed}. Tell a story with these words: {}", words.join(" "))
}

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let file = std::env::args().nth(1).ok_or("the weights file is missing")?;
    let rounds: usize = std::env::args().nth(2).map_or(Ok(5), |rounds| rounds.parse())?;
    let start = Instant::now();
    let model = Embedded::load(Path::new(&file), &LoadOptions::default())?;
    let load = start.elapsed().as_secs_f64();
    timed(&model, "Hello.".to_owned(), 4).await?;
    let (mut reading, mut writing) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Asked twice: the second time the beginning is there, so that the first piece comes after a few tokens.
        let (first, _, usage) = timed(&model, text(round + 1, 160), 1).await?;
        reading.push((usage.input - usage.cache_read) as f64 / first);
        let (_, rest, usage) = timed(&model, text(round + 1, 160), 100).await?;
        writing.push((usage.output.max(2) - 1) as f64 / rest);
    }
    let (_, _, usage) = timed(&model, text(77, 780), 40).await?;
    // What the system shares with others, such as pages of files, is not the model's.
    let shared = status("RssFile").unwrap_or(0) + status("RssShmem").unwrap_or(0);
    let memory = status("VmHWM").map(|peak| peak.saturating_sub(shared));
    println!(
        "{}",
        json!({
            "load_seconds": load, "reading": reading, "writing": writing, "memory": memory,
            "tokens": usage.input + usage.output, "file": std::fs::metadata(&file)?.len(),
        })
    );
    Ok(())
}
