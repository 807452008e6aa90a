//! Measures loading, reading and writing with the default model: `cargo run --release --example measure`.
#![expect(clippy::print_stdout, reason = "the output is what it is for")]

use std::time::Instant;

use graphloom_llm::{ChatModel, ChatRequest, ChatResponse, Params, ResponseFormat};
use graphloom_llm_embedded::{Embedded, LoadOptions, weights};
use serde_json::json;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

async fn timed(model: &Embedded, label: &str, request: ChatRequest) -> Fallible<(ChatResponse, f64)> {
    let start = Instant::now();
    let answer = model.chat(request).await?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{label}: {seconds:.2} s, {:?}, {:?}", answer.usage, answer.finish);
    Ok((answer, seconds))
}

fn ask(text: String, max_tokens: u32, temperature: f32) -> ChatRequest {
    let params = Params { max_tokens: Some(max_tokens), temperature: Some(temperature), ..Params::default() };
    ChatRequest { params, ..ChatRequest::user(text) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let dir = weights::default_dir()?;
    weights::fetch(&weights::SMOLLM2_135M, &dir, &weights::FetchOptions::default(), |_| {})?;
    let start = Instant::now();
    let model = Embedded::open(&weights::SMOLLM2_135M, &dir, &LoadOptions::default())?;
    println!("load: {:.2} s", start.elapsed().as_secs_f64());

    timed(&model, "warm up", ask("Hello.".to_owned(), 1, 0.0)).await?;
    let words: Vec<String> = (0..400).map(|index| format!("word{index}")).collect();
    let (answer, seconds) = timed(&model, "read", ask(words.join(" "), 1, 0.0)).await?;
    println!("reading: {:.0} tokens/s", (answer.usage.input - answer.usage.cache_read) as f64 / seconds);

    for temperature in [0.0, 0.7] {
        let prompt = "Tell me about the sea.".to_owned();
        timed(&model, "read again", ask(prompt.clone(), 1, temperature)).await?;
        let (answer, seconds) = timed(&model, "write", ask(prompt, 100, temperature)).await?;
        println!("writing at {temperature}: {:.0} tokens/s\n{}", answer.usage.output as f64 / seconds, answer.text());
    }

    let schema = json!({"type": "object", "properties": {
        "title": {"type": "string", "minLength": 8, "maxLength": 60},
        "kind": {"enum": ["essay", "story", "report"]},
        "parts": {"type": "array", "items": {"type": "string", "minLength": 8, "maxLength": 60}, "minItems": 3, "maxItems": 3}
    }, "required": ["title", "kind", "parts"], "additionalProperties": false});
    for _ in 0..2 {
        let format = ResponseFormat::JsonSchema { name: "plan".to_owned(), schema: schema.clone() };
        let request = ChatRequest { format, ..ask("Plan a text about lighthouses.".to_owned(), 400, 0.7) };
        let (answer, seconds) = timed(&model, "schema", request).await?;
        println!("in a schema: {:.0} tokens/s\n{}", answer.usage.output as f64 / seconds, answer.text());
    }

    let options = ["approve".to_owned(), "reject".to_owned()];
    let start = Instant::now();
    for text in ["Looks good, go ahead.", "This is terrible.", "Please continue.", "Do it again."] {
        let question = format!("Does this feedback approve or reject the draft? \"{text}\"");
        println!("{text} {:?}", model.choose(ChatRequest::user(question), &options).await?.scores);
    }
    println!("choosing: {:.3} s each", start.elapsed().as_secs_f64() / 4.0);
    Ok(())
}
