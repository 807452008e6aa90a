//! The engines that `--search` can name: what each needs, and, for those that are named, whether it answers.

use std::time::Duration;

use clap::ValueEnum;
use graphloom_cli::{NetworkOptions, SearchEngine};

use super::findings::Engine;

/// What a named engine is asked. It says nothing of its user, and every catalogue has something on it.
const QUESTION: &str = "water";

/// How long an engine is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every engine of the network. Only those of `asked` are sent a question; nothing else leaves the machine.
pub(super) async fn engines(asked: &[SearchEngine]) -> Vec<Engine> {
    let mut engines = Vec::new();
    for engine in SearchEngine::value_variants().iter().filter(|engine| engine.is_network()) {
        engines.push(look_at(*engine, asked.contains(engine)).await);
    }
    engines
}

async fn look_at(engine: SearchEngine, ask: bool) -> Engine {
    let mut found =
        Engine { name: engine.name(), ready: false, unnamed: engine.is_set_up(), state: String::new(), asked: ask };
    let options = NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let opened = options.and_then(|options| options.open(&[engine.name()]));
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            found.state = error.to_string();
            return found;
        }
    };
    found.ready = true;
    found.state = if opened.withheld.is_empty() { "ready".to_owned() } else { opened.withheld.join("; ") };
    if let Some(search) = opened.search().filter(|_| ask) {
        let answered = tokio::time::timeout(PATIENCE, search.search(QUESTION, 1)).await;
        let outcome = match answered {
            Ok(answer) => answer.or_error().map(|answer| answer.hits.len()).map_err(|error| error.to_string()),
            Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
        };
        found.ready = outcome.is_ok();
        found.state = match outcome {
            Ok(0) => "answers; it found nothing on a plain word".to_owned(),
            Ok(_) => "answers".to_owned(),
            Err(error) => error,
        };
    }
    found
}
