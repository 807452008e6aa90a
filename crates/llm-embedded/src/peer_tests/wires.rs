//! The wires of `graphloom-llm` against llama.cpp's own server, with the default model behind it.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use candle_core::Device;
use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use futures::StreamExt;
use graphloom_llm::providers::{Provider, Remote, RemoteConfig};
use graphloom_llm::{
    ChatEvent, ChatModel, ChatRequest, ChatResponse, FinishReason, ModelError, Params, StructuredOptions, structured,
};

use super::server::Server;
use crate::weights::{self, FetchOptions, SMOLLM2_135M};

/// Every wire that the server speaks, with the path of its base address there.
const WIRES: [(&str, &str); 3] = [("llamacpp", "/v1"), ("openai", "/v1"), ("anthropic", "")];
const CONTEXT: usize = 1024;

/// Writes the default model with weights that are not rounded: on some processors the prebuilt server dies of others.
fn write_exact(path: &Path) {
    let dir = weights::default_dir().unwrap();
    let mut file = File::open(weights::fetch(&SMOLLM2_135M, &dir, &FetchOptions::default(), |_| {}).unwrap()).unwrap();
    let content = Content::read(&mut file).unwrap();
    let exact: Vec<(&String, QTensor)> = content
        .tensor_infos
        .keys()
        .map(|name| {
            let tensor = content.tensor(&mut file, name, &Device::Cpu).unwrap();
            let values = tensor.dequantize(&Device::Cpu).unwrap();
            (name, QTensor::quantize(&values, GgmlDType::F32).unwrap())
        })
        .collect();
    let tensors: Vec<(&str, &QTensor)> = exact.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    let metadata: Vec<(&str, &Value)> = content.metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    gguf_file::write(&mut File::create(path).unwrap(), &metadata, &tensors).unwrap();
}

fn model(server: &Server, (provider, path): (&str, &str)) -> Remote {
    let mut config = RemoteConfig::new(Provider::named(provider).unwrap(), "smollm2");
    config = config.at(format!("http://127.0.0.1:{}{path}", server.port()));
    config.timeout = Duration::from_secs(120);
    Remote::new(config).unwrap()
}

fn request(text: &str, most: u32) -> ChatRequest {
    let params = Params { max_tokens: Some(most), temperature: Some(0.0), ..Params::default() };
    ChatRequest { params, ..ChatRequest::user(text) }
}

/// One answer, whole or as a stream, and the number of its pieces.
async fn ask(model: &Remote, request: ChatRequest, as_stream: bool) -> Result<(ChatResponse, usize), ModelError> {
    if !as_stream {
        return Ok((model.chat(request).await?, 1));
    }
    let mut events = model.stream(request).await?;
    let mut pieces = Vec::new();
    while let Some(event) = events.next().await {
        match event? {
            ChatEvent::TextDelta { text } => pieces.push(text),
            ChatEvent::Done(response) => {
                assert_eq!(pieces.concat(), response.text());
                return Ok((response, pieces.len()));
            }
            _ => {}
        }
    }
    panic!("the stream has no end")
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct City {
    #[schemars(length(min = 1, max = 20))]
    name: String,
    is_capital: bool,
}

#[ignore = "needs `LLAMA_SERVER`, llama.cpp's server, which `.ci/llama-server` installs"]
#[tokio::test]
async fn every_wire_talks_with_the_server_of_llama_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exact.gguf");
    write_exact(&file);
    let server = Server::start(&file, CONTEXT);
    let mut said = Vec::new();
    for wire in WIRES {
        let model = model(&server, wire);
        for as_stream in [false, true] {
            let question = "Which city is the capital of France? Answer in one sentence.";
            let (answer, pieces) = ask(&model, request(question, 40), as_stream).await.unwrap();
            assert!(answer.text().contains("Paris"), "{wire:?} {as_stream}: {answer:?}");
            assert_eq!(answer.finish, FinishReason::Stop, "{wire:?} {as_stream}: {answer:?}");
            assert!(answer.usage.input > 10 && answer.usage.output > 3, "{wire:?} {as_stream}: {:?}", answer.usage);
            assert!(!as_stream || pieces > 3, "{wire:?}: {pieces} pieces");
            said.push(answer.text());

            let (cut, _) = ask(&model, request("Count from one to fifty.", 6), as_stream).await.unwrap();
            // Of its responses it says that each is complete.
            let finish = if wire.0 == "openai" { FinishReason::Stop } else { FinishReason::Length };
            assert_eq!((&cut.finish, cut.usage.output), (&finish, 6), "{wire:?} {as_stream}: {cut:?}");

            let long = "tide ".repeat(2 * CONTEXT);
            let error = ask(&model, request(&long, 10), as_stream).await.unwrap_err();
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], "context_length", "{wire:?}: {error}");
        }
        assert!(!model.list().await.unwrap().is_empty(), "{wire:?}");
    }
    // One model, one template: the wires say the same.
    assert!(said.iter().all(|text| text == &said[0]), "{said:#?}");

    // Only on this wire it holds a model to a schema, without which such a small one writes no JSON.
    let asked = request("Tell about the capital of Italy.", 120);
    let answer = structured::<City>(&model(&server, WIRES[0]), asked, &StructuredOptions::default()).await.unwrap();
    assert!(answer.value.name.len() <= 20 && answer.value.is_capital, "{answer:?}");
}
