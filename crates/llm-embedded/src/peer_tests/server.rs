//! llama.cpp's server on a file, and what it is asked.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The variable that names the program.
const PROGRAM: &str = "LLAMA_SERVER";

/// A token that is a letter in the vocabulary of the tests.
const LETTER: u32 = b'a' as u32;

/// The server; the process that was started ends with it.
pub(super) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts the server with `file` and a context of as many tokens.
    pub(super) fn start(file: &Path, context: usize) -> Self {
        let program = std::env::var_os(PROGRAM)
            .expect("`LLAMA_SERVER` must name llama.cpp's server, as `.ci/llama-server` installs it");
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .arg("--model")
            .arg(file)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--ctx-size", &context.to_string()])
            .args(["--threads", "1", "--parallel", "1", "--no-warmup", "--flash-attn", "off", "--jinja", "--temp", "0"])
            .args(["--cache-type-k", "f32", "--cache-type-v", "f32"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("`LLAMA_SERVER` must be a program");
        let mut server = Self { child, port };
        let begun = Instant::now();
        while !server.is_up() {
            assert!(begun.elapsed() < Duration::from_secs(120), "llama-server does not answer");
            assert_eq!(server.child.try_wait().unwrap(), None, "llama-server refused `{}`", file.display());
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    fn is_up(&self) -> bool {
        self.send("GET /health HTTP/1.0\r\n\r\n").is_ok_and(|answer| answer.contains(" 200 "))
    }

    fn send(&self, request: &str) -> std::io::Result<String> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port))?;
        socket.set_read_timeout(Some(Duration::from_secs(60)))?;
        socket.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        let answer = self.send(&(head + &body)).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.contains(" 200 "), "{answer}");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// The tokens of plain text.
    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        let answer = self.post("/tokenize", &json!({"content": text, "add_special": false, "parse_special": false}));
        serde_json::from_value(answer["tokens"].clone()).unwrap()
    }

    /// The tokens of a conversation, up to where the assistant speaks.
    pub(super) fn conversation(&self, messages: &[(&str, &str)]) -> Vec<u32> {
        let messages: Vec<Value> = messages.iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
        // The date that the template has itself, where it is given none.
        let variables = json!({"enable_thinking": false, "date_string": "26 Jul 2024"});
        let rendered = self.post("/apply-template", &json!({"messages": messages, "chat_template_kwargs": variables}));
        let content = &rendered["prompt"];
        let answer = self.post("/tokenize", &json!({"content": content, "add_special": false, "parse_special": true}));
        serde_json::from_value(answer["tokens"].clone()).unwrap()
    }

    /// The log-probability of every token after `tokens`, the likeliest first.
    pub(super) fn next(&self, tokens: &[u32], vocabulary: usize) -> Vec<(u32, f32)> {
        let request = json!({
            "prompt": tokens, "n_predict": 1, "temperature": 0.0, "n_probs": vocabulary, "cache_prompt": true,
            // Told are only tokens after which the text is whole; a letter is, and what is told is not changed by the wish for it.
            "logit_bias": [[LETTER, 1000.0]],
        });
        let answer = self.post("/completion", &request);
        let top = answer["completion_probabilities"][0]["top_logprobs"]
            .as_array()
            .unwrap_or_else(|| panic!("no log-probabilities: {answer}"));
        let pair = |value: &Value| {
            let id = u32::try_from(value["id"].as_u64().unwrap()).unwrap();
            (id, value["logprob"].as_f64().unwrap() as f32)
        };
        top.iter().map(pair).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
