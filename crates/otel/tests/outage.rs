//! A collector that is not there holds nothing up, and costs a line.

use std::time::{Duration, Instant};

use crate::process::ServerProcess;

#[tokio::test]
async fn a_collector_that_is_down_costs_one_line() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody listens at this address: the port was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = ServerProcess::start(directory.path(), &format!("http://{free}")).await;
    let body = r#"{"assistant_id": "pipeline", "input": {"topic": "tea"}}"#;
    let began = Instant::now();
    let mut runs = 0;
    // Batches go out every 50 ms, so many of them are lost.
    while began.elapsed() < Duration::from_secs(2) {
        let asked = Instant::now();
        assert_eq!(server.post("/runs/wait", body, &[]).await["count"], 3);
        assert!(asked.elapsed() < Duration::from_secs(5), "a run waited {:?}", asked.elapsed());
        runs += 1;
    }
    let stopping = Instant::now();
    let (ended, log) = server.stop().await;
    assert!(ended.success() && stopping.elapsed() < Duration::from_secs(15), "{:?}: {log}", stopping.elapsed());
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&free.to_string())).collect();
    assert_eq!(lines.len(), 1, "after {runs} runs: {log}");
    assert!(lines[0].contains("did not reach the collector"), "{log}");
}
