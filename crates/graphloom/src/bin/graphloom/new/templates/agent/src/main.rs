//! `cargo run -- "A question about the files of this folder"` asks the agent.
//!
//! `LLM_BASE_URL` and `LLM_MODEL` name a model of any server with the OpenAI chat-completions interface, and `LLM_API_KEY`
//! is its key. Without them a script answers.

use std::env::{args, var};
use std::error::Error;
use std::sync::Arc;

use graphloom::llm::providers::{KeyUse, Keys};
use graphloom::llm::{ChatModel, Remote, RemoteConfig};

use new_crate::{Resources, Talk};
use new_crate::{graph, script};

fn model() -> Result<Arc<dyn ChatModel>, Box<dyn Error>> {
    let (Ok(base_url), Ok(name)) = (var("LLM_BASE_URL"), var("LLM_MODEL")) else {
        eprintln!("a script answers; set LLM_BASE_URL and LLM_MODEL for a model");
        return Ok(Arc::new(script()));
    };
    let key = Keys::from_env(["agent"])?.of("agent", &base_url, Some(&base_url))?;
    let mut config = RemoteConfig::compatible(name, base_url);
    if let KeyUse::Sent { key, .. } = key {
        config.key = Some(key);
    }
    Ok(Arc::new(Remote::new(config)?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = args()
        .nth(1)
        .unwrap_or_else(|| "What is this crate for?".to_owned());
    let app = graph()?.with_context(Resources::new(model()?, ".")?);
    let talk = app
        .run_once(Talk::update().question(question))
        .await?
        .done()?;

    let transcript = talk
        .transcript
        .as_ref()
        .ok_or("the node writes a transcript")?;
    for call in &transcript.calls {
        println!(
            "turn {}: {} {}",
            call.turn, call.outcome.tool, call.outcome.arguments
        );
    }
    println!(
        "{}",
        transcript.answer.as_deref().unwrap_or("there is no answer")
    );
    Ok(())
}
