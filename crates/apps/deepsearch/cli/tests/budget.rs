//! A run that its budget stops reports the calls that it made. The server is scripted, and counts.

use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer};

use crate::server::Rules;
use crate::support::{QUESTION, SMALL, TestDir, script, text};

#[test]
fn a_spent_budget_reports_the_calls_that_were_made() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let answers = Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(Rules(script()));
        answers.mount(&server).await;
        server
    });
    let served = || runtime.block_on(server.received_requests()).unwrap().len() as u64;
    let model = format!("compatible:m@{}/v1", server.uri());
    for calls in [1, 5, 16] {
        let (dir, before, budget) = (TestDir::new(), served(), format!("calls={calls}"));
        let begin = [QUESTION, "--corpus", "corpus", "--model", &model, "--yes", "--out", "out", "--budget", &budget];
        let output = dir.run(&[&begin[..], &SMALL].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{budget}: {said}");
        let made = served() - before;
        // Something may be left out before the last call is made.
        assert!(made <= calls && made > 0, "{budget}: {made}\n{said}");
        let run = dir.json("out/run.json");
        assert_eq!(run["measured"]["spent"]["calls"].as_u64(), Some(made), "{budget}: {run:#}");
        assert!(said.contains(&format!(", {made} calls")), "{budget}: {said}");
    }
}
