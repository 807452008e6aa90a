//! A collector that is not there holds nothing up, and costs a line.

use std::time::{Duration, Instant};

use crate::process::ServerProcess;

#[tokio::test]
async fn a_collector_that_is_down_costs_one_line() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody listens at this address, and nobody else gets it.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let free = socket.local_addr().unwrap();
    let server = ServerProcess::start(directory.path(), &format!("http://{free}")).await;
    let body = r#"{"assistant_id": "pipeline", "input": {"topic": "tea"}}"#;
    let began = Instant::now();
    let mut runs = 0;
    // Batches go out every 50 ms, so many of them are lost.
    while began.elapsed() < Duration::from_secs(2) {
        assert_eq!(server.post("/runs/wait", body, &[]).await["count"], 3);
        runs += 1;
    }
    let stopping = Instant::now();
    let (ended, log) = server.stop().await;
    eprintln!("it stopped within {:?}", stopping.elapsed());
    assert!(ended.success(), "{log}");
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&free.to_string())).collect();
    // One a minute, whatever is lost.
    let minutes = usize::try_from(began.elapsed().as_secs() / 60).unwrap();
    assert!((1..=1 + minutes).contains(&lines.len()), "after {runs} runs: {log}");
    assert!(lines[0].contains("did not reach the collector"), "{log}");
}
