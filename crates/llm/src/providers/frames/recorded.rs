//! Bodies that providers sent to somebody else: those that the crate `genai` is tested with.
//!
//! `cargo info genai@0.7.2` brings them into cargo's own folder. What an answer must be is taken from the bodies by rules
//! that share nothing with the decoders: all pieces of text of a stream, one after the other.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

use super::*;
use crate::FinishReason;
use crate::providers::Wire;

/// The crate with the bodies, as its folder is named.
const CRATE: &str = "genai-0.7.2";

/// How often each body is cut anew; a long one as often as makes about so many bytes, and five times at least.
const CUTS: usize = 200;
const BYTES: usize = 512 << 10;

fn folder() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap();
    let registries = std::fs::read_dir(home.join("registry/src")).unwrap();
    let mut folders = registries.map(|registry| registry.unwrap().path().join(CRATE).join("tests/data/yakbak"));
    folders.find(|folder| folder.is_dir()).expect("`cargo info genai@0.7.2` brings the bodies")
}

/// The wire of a body, by the folders that it is in.
fn wire_of(path: &Path) -> Option<Wire> {
    let text = path.to_string_lossy().replace('\\', "/");
    // Tools with a grammar in place of a schema are not asked for.
    if text.contains("custom_grammar_tool") {
        return None;
    }
    let within = |names: &[&str]| names.iter().any(|name| text.contains(&format!("/yakbak/{name}")));
    Some(match () {
        () if within(&["openai_resp/"]) => Wire::OpenAiResponses,
        () if within(&["anthropic/", "opencode_go/minimax"]) => Wire::Anthropic,
        () if within(&["gemini/"]) => Wire::Gemini,
        () if within(&["ollama/", "ollama_cloud/"]) => Wire::Ollama,
        () if within(&[
            "openai/",
            "open_router/",
            "mistral/",
            "github_copilot/",
            "aihubmix/",
            "opencode_go/openai",
        ]) =>
        {
            Wire::OpenAiChat
        }
        // Other interfaces of the same providers.
        () => return None,
    })
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            found.push(path);
        }
    }
    found.sort();
}

/// The JSON values of a body, one for each event.
fn values(body: &str, wire: Wire) -> Vec<Value> {
    let data = |line: &str| match wire {
        Wire::Ollama => Some(line.to_owned()),
        _ => Some(line.strip_prefix("data:")?.trim().to_owned()),
    };
    body.lines().filter_map(data).filter_map(|text| serde_json::from_str(&text).ok()).collect()
}

/// The text that a stream tells, piece after piece.
fn text_told(values: &[Value], wire: Wire) -> String {
    let pieces = values.iter().flat_map(|value| -> Vec<String> {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        match wire {
            Wire::OpenAiChat => {
                let parts = value.pointer("/choices/0/delta/content").and_then(Value::as_array);
                let parts = parts.into_iter().flatten().filter(|part| part["type"] == "text");
                let parts = parts.filter_map(|part| part["text"].as_str().map(str::to_owned));
                text("/choices/0/delta/content").into_iter().chain(parts).collect()
            }
            Wire::OpenAiResponses if value["type"] == "response.output_text.delta" => {
                text("/delta").into_iter().collect()
            }
            Wire::Anthropic if value["delta"]["type"] == "text_delta" => text("/delta/text").into_iter().collect(),
            Wire::Gemini => {
                let parts = value.pointer("/candidates/0/content/parts").and_then(Value::as_array);
                let parts = parts.into_iter().flatten().filter(|part| part["thought"] != true);
                parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
            }
            Wire::Ollama => text("/message/content").into_iter().collect(),
            _ => Vec::new(),
        }
    });
    pieces.collect()
}

fn decoded(wire: Wire, chunks: Vec<Result<Vec<u8>, String>>) -> Vec<Result<ChatEvent, ModelError>> {
    futures::executor::block_on(decode_stream(wire.protocol(), futures::stream::iter(chunks), "m", None).collect())
}

/// Decodes a body again and again, each time cut otherwise into pieces of one to seven bytes.
fn cut_anew(path: &Path, wire: Wire, body: &[u8], whole: &[Result<ChatEvent, ModelError>]) {
    let cuts = (BYTES / body.len()).clamp(5, CUTS);
    for seed in 0..cuts {
        let mut random = StdRng::seed_from_u64(seed as u64);
        let mut rest = body;
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(random.random_range(1..=7).min(rest.len()));
            chunks.push(Ok(head.to_vec()));
            rest = tail;
        }
        assert_eq!(decoded(wire, chunks), whole, "{} cut with {seed}", path.display());
    }
}

#[test]
#[ignore = "needs the bodies of genai: `cargo info genai@0.7.2` brings them"]
fn streams_say_what_was_sent_however_they_are_cut() {
    let mut paths = Vec::new();
    files(&folder(), &mut paths);
    let mut streams = 0;
    let mut calls = 0;
    let mut broken = Vec::new();
    let mut cut = Vec::new();
    for path in paths {
        let Some(wire) = wire_of(&path) else { continue };
        let body = std::fs::read(&path).unwrap();
        let text = String::from_utf8(body.clone()).unwrap();
        let is_lines = wire == Wire::Ollama && text.trim().contains('\n');
        if !(text.starts_with("data:") || text.starts_with("event:") || is_lines) {
            continue;
        }
        streams += 1;
        let whole = decoded(wire, vec![Ok(body.clone())]);
        let told = text_told(&values(&text, wire), wire);
        match whole.last() {
            Some(Ok(ChatEvent::Done(response))) => {
                assert_eq!(response.text(), told, "{}", path.display());
                assert!(response.usage.output > 0 || !text.contains("sage"), "{}", path.display());
                // Only an answer that was cut off in the middle of a call says nothing.
                let says = !told.is_empty() || response.tool_calls().count() > 0;
                assert!(says || response.finish == FinishReason::Length, "{}", path.display());
                for call in response.tool_calls() {
                    calls += 1;
                    assert!(call.arguments.is_object() && !call.name.is_empty(), "{}: {call:?}", path.display());
                    assert!(text.contains(&format!("\"{}\"", call.name)), "{}: {call:?}", path.display());
                }
            }
            Some(Err(_)) => broken.push(path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned()),
            other => panic!("{}: {other:?}", path.display()),
        }
        cut.push((path, wire, body, whole));
    }
    // The bodies are shared out among the processors.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some((path, wire, body, whole)) = cut.get(next.fetch_add(1, Ordering::Relaxed)) {
                    cut_anew(path, *wire, body, whole);
                }
            });
        }
    });
    println!("{streams} streams with {calls} calls of tools; these tell an error: {broken:?}");
    assert!(streams >= 40 && calls >= 20, "{streams} streams, {calls} calls");
    // The bodies that tell an error say so by their names.
    assert!(broken.iter().all(|name| name.contains("error")) && broken.len() >= 2, "{broken:?}");
}

#[test]
#[ignore = "needs the bodies of genai: `cargo info genai@0.7.2` brings them"]
fn whole_answers_are_read() {
    let mut paths = Vec::new();
    files(&folder(), &mut paths);
    let mut read = 0;
    for path in paths {
        let Some(wire) = wire_of(&path) else { continue };
        let body = std::fs::read(&path).unwrap();
        let Ok(value) = serde_json::from_slice::<Value>(&body) else { continue };
        read += 1;
        let response = decode_body(wire.protocol(), &body, "m").unwrap();
        let parts = &response.message.parts;
        assert!(!parts.is_empty(), "{}", path.display());
        // Every text of the answer stands in the body, and what can only go back does, too.
        for part in parts {
            let said = match part {
                Part::Text { text } | Part::Reasoning { text, .. } => Value::String(text.clone()),
                Part::EncryptedReasoning { data: data @ Value::String(_), .. } => data.clone(),
                Part::ToolCall(call) => Value::String(call.name.clone()),
                _ => continue,
            };
            assert!(holds(&value, &said), "{}: {said}", path.display());
        }
        let counts = value.to_string().contains("sage");
        assert_eq!(response.usage.input > 0, counts, "{}", path.display());
    }
    println!("{read} whole answers");
    assert!(read >= 8, "{read}");
}

fn holds(root: &Value, wanted: &Value) -> bool {
    root == wanted
        || root.as_array().is_some_and(|items| items.iter().any(|item| holds(item, wanted)))
        || root.as_object().is_some_and(|members| members.values().any(|member| holds(member, wanted)))
}
