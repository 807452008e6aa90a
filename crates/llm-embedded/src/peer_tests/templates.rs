//! Chat templates of each family: conversations as llama.cpp renders them.

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use graphloom_llm::{ChatRequest, Message};

use super::files::{CONTEXT, Recipe, small_vocabulary};
use super::server::Server;
use super::vocabularies::folder;
use crate::model::Gguf;
use crate::prompt::Template;
use crate::tokenizer::Tokenizer;

/// Templates in `models/templates` of llama.cpp's sources.
const TEMPLATES: [&str; 6] = [
    "Qwen-Qwen2.5-7B-Instruct",
    "Qwen-Qwen3-0.6B",
    "HuggingFaceTB-SmolLM3-3B",
    "meta-llama-Llama-3.2-3B-Instruct",
    "microsoft-Phi-3.5-mini-instruct",
    "google-gemma-2-2b-it",
];

const CONVERSATIONS: [&[(&str, &str)]; 4] = [
    &[("user", "Name three colours.")],
    &[("user", "größe 日本 <|im_end|>?"), ("assistant", "Yes."), ("user", "Why?")],
    &[("system", "Be brief."), ("user", "Name a tower.")],
    &[("system", "Be brief."), ("user", "Name a tower."), ("assistant", "Pharos."), ("user", "And a ship.")],
];

fn request(conversation: &[(&str, &str)]) -> ChatRequest {
    let message = |(role, text): &(&str, &str)| match *role {
        "system" => Message::system(*text),
        "assistant" => Message::assistant(*text),
        _ => Message::user(*text),
    };
    ChatRequest { messages: conversation.iter().map(message).collect(), ..ChatRequest::default() }
}

#[test]
#[ignore = "needs `LLAMA_SERVER` and `LLAMA_VOCABULARIES`, which `.ci/llama-server` installs"]
fn conversations_are_rendered_as_llama_cpp_does() {
    let scratch = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for name in TEMPLATES {
        let source = std::fs::read_to_string(folder().join(format!("{name}.jinja"))).unwrap();
        let (mut vocabulary, count) = small_vocabulary();
        vocabulary.push(("tokenizer.chat_template".to_owned(), Value::String(source)));
        let file = scratch.path().join("template.gguf");
        Recipe { architecture: "llama", matrices: GgmlDType::Q8_0 }.write_exact(&file, vocabulary, count);
        let gguf = Gguf::open(&file).unwrap();
        let tokenizer = Tokenizer::load(&gguf).unwrap();
        let template = Template::load(&gguf, &tokenizer).unwrap();
        let server = Server::start(&file, CONTEXT as usize);
        for conversation in CONVERSATIONS {
            // Models of this family take no system message.
            if name.starts_with("google-gemma-2") && conversation[0].0 == "system" {
                assert!(template.encode(&request(conversation), &tokenizer).is_err());
                continue;
            }
            let own = template.encode(&request(conversation), &tokenizer).unwrap();
            let peer = server.conversation(conversation);
            let text = |tokens: &[u32]| -> String {
                let of = |token: &u32| match tokenizer.ends(*token) {
                    true => tokenizer.name(*token).as_bytes().to_vec(),
                    false => tokenizer.bytes(*token).to_vec(),
                };
                String::from_utf8(tokens.iter().flat_map(of).collect()).unwrap()
            };
            // A message's own words are no control tokens here.
            if text(&own) != text(&peer) {
                wrong.push(format!("{name}:\n{}\n--- there\n{}", text(&own), text(&peer)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
