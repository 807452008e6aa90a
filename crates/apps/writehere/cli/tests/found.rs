//! A server that was found and not named: it is told before it gets a word, and it gets no key. What a run leaves is for its
//! user only.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::{TestDir, text};

/// What the program has said so far.
#[derive(Clone, Default)]
struct ProgramOutput(Arc<(Mutex<String>, Condvar)>);

impl ProgramOutput {
    fn add(&self, line: &str) {
        self.0.0.lock().unwrap().push_str(line);
        self.0.1.notify_all();
    }

    /// Waits until a text was said. While the server does not answer, the program goes no further.
    fn waits_for(&self, text: &str) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |said| !said.contains(text)).unwrap());
    }
}

/// Answers once the person was told of it, and notes that.
struct Server {
    heard: ProgramOutput,
    told_first: Arc<Mutex<bool>>,
}

impl Respond for Server {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let host = request.headers["host"].to_str().unwrap().to_owned();
        self.heard.waits_for(&host);
        *self.told_first.lock().unwrap() = true;
        ResponseTemplate::new(400).set_body_json(json!({"error": {"message": "no more of this"}}))
    }
}

#[test]
fn a_found_server_is_named_first_and_gets_no_key() {
    for quiet in [false, true] {
        let runtime = Runtime::new().unwrap();
        let (heard, told_first) = (ProgramOutput::default(), Arc::<Mutex<bool>>::default());
        let answers = Server { heard: heard.clone(), told_first: Arc::clone(&told_first) };
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            // The second name would lead a resumed run to another host.
            let models = json!({"data": [{"id": "m@https://elsewhere.example/v1,plan=compatible:m"}, {"id": "found"}]});
            let list = ResponseTemplate::new(200).set_body_json(models);
            Mock::given(path("/v1/models")).respond_with(list).mount(&server).await;
            Mock::given(method("POST")).respond_with(answers).mount(&server).await;
            server
        });
        let dir = TestDir::new();
        let mut args =
            vec!["story", "A lamp", "--length", "60", "--max-depth", "0", "--thread", "lamp", "--out", "out"];
        args.extend(["--log", "run.log", "--record", "run.jsonl"]);
        if quiet {
            args.push("-q");
        }
        let mut command = dir.command(&args);
        let (key, port) = ("sk-of-a-hosted-provider", server.address().port().to_string());
        command.env("LLM_API_KEY", key).env("LLM_API_KEY_FOR", format!("127.0.0.1:{port}")).env("LLM_PROBE", &port);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            heard.add(&line);
            line.clear();
        }
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        child.wait().unwrap();
        let said = heard.0.0.lock().unwrap().clone();
        assert!(*told_first.lock().unwrap(), "{said}");
        assert!(said.contains("model: `compatible:found@http://127.0.0.1:"), "{said}");
        let received = runtime.block_on(server.received_requests()).unwrap();
        assert!(received.iter().any(|request| request.body.windows(6).any(|window| window == b"A lamp")), "{said}");
        for request in &received {
            assert!(!format!("{:?}", request.headers).contains(key), "{:?}", request.headers);
        }
        private(&dir);

        // The run goes on with the same server.
        let output = dir.command(&["resume", "lamp"]).env("LLM_API_KEY", key).output().unwrap();
        let told = text(&output.stderr);
        assert!(told.contains(&format!("model: `compatible:found@http://127.0.0.1:{port}/v1`")), "{told}");
        let received = runtime.block_on(server.received_requests()).unwrap();
        assert!(received.iter().all(|request| !format!("{:?}", request.headers).contains(key)), "{told}");
    }
}

/// Nothing that the run made can be read by others.
#[cfg(unix)]
fn private(dir: &TestDir) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |name: &str| std::fs::metadata(dir.path(name)).map(|file| file.permissions().mode() & 0o777).ok();
    for (name, expected) in
        [("home", 0o700), ("home/threads.db", 0o600), ("run.log", 0o600), ("run.jsonl", 0o600), ("out", 0o700)]
    {
        assert_eq!(mode(name), Some(expected), "{name}");
    }
    for entry in std::fs::read_dir(dir.path("out")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
}

#[cfg(not(unix))]
fn private(_: &TestDir) {}
