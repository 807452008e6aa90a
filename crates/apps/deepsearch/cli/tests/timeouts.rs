//! A run that takes too long is stopped, told, and goes on later.

use std::time::Duration;

use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{QUESTION, SMALL, TestDir, assert_report, text};

#[test]
fn a_run_out_of_time_says_so_and_goes_on_later() {
    let dir = TestDir::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let late = ResponseTemplate::new(200).set_delay(Duration::from_secs(600));
        Mock::given(method("POST")).respond_with(late).mount(&server).await;
        server
    });
    let model = format!("compatible:m@{}/v1", server.uri());
    let mut args = vec![QUESTION, "--corpus", "corpus", "--model", &model, "--yes", "--out", "out", "--thread", "t"];
    args.extend(SMALL);
    args.extend(["--set", "workflow_execution_timeout=1"]);
    let output = dir.run(&args);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("[212414]the run did not end within 1 seconds; go on with: "), "{told}");
    let again = ["resume", "t", "--model", "scripted:script.jsonl", "--set", "workflow_execution_timeout=600"];
    let output = dir.run(&again);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
}
