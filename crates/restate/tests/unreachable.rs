//! Tasks of a process that cannot be reached keep no others from being executed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use graphloom_core_graph::Outcome;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_restate::Endpoint;
use graphloom_restate_server::Engine as Server;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

use crate::pages::{Page, Pause, app};
use crate::places::{any, driven, options};

/// Takes connections, says nothing, and counts requests.
async fn listen(listener: TcpListener, requests: Arc<AtomicUsize>) {
    while let Ok((connection, _)) = listener.accept().await {
        tokio::spawn(count(connection, Arc::clone(&requests)));
    }
}

/// Counts the frames of HTTP/2 that begin a request (RFC 9113, 6.2), until the connection is closed.
async fn count(mut connection: TcpStream, requests: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut preface = [0; 24];
    connection.read_exact(&mut preface).await?;
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await?;
        let [high, middle, low, kind, ..] = head;
        let mut frame = vec![0; u32::from_be_bytes([0, high, middle, low]) as usize];
        connection.read_exact(&mut frame).await?;
        if kind == 1 {
            requests.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_a_process_that_is_gone_keep_no_places() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let options = options(&server).silence(Duration::from_secs(2));
    let endpoint = Endpoint::new(&options).serve(app(&file, Pause::None)).listen(any()).concurrency(1);
    let _served = crate::places::run(endpoint);
    let thread = driven(&options, &folder.path().join("unused")).await.with_checkpointer(MemoryCheckpointer::new());
    let first = thread.thread("first").run(Page::update().parts(1)).await;
    assert!(matches!(first, Ok(Outcome::Waiting(_))), "{first:?}");
    // It takes connections, and says nothing: as a process whose network is cut.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let callback = format!("http://{}", silent.local_addr().expect("an address"));
    let requests = Arc::new(AtomicUsize::new(0));
    tokio::spawn(listen(silent, Arc::clone(&requests)));
    let client = crate::threads::client();
    const TASKS: usize = 40;
    for number in 0..TASKS {
        let summons = json!({ "callback": callback, "key": number.to_string(), "task": "of nobody" });
        let request = client.post(format!("{}/graphloom.page.1.1/perform/send", server.ingress()));
        let request = request.header("content-type", "application/json").body(summons.to_string());
        assert!(request.send().await.expect("the engine answers").status().is_success());
    }
    let began = Instant::now();
    let second = thread.thread("second").run(Page::update().parts(1)).await;
    assert!(matches!(second, Ok(Outcome::Waiting(_))), "{second:?}");
    let requests = requests.load(Ordering::Relaxed);
    println!("it was executed beside those of nobody after {:?} and {requests} requests in vain", began.elapsed());
    assert!(requests < TASKS / 2, "the place was kept for {requests} of {TASKS} tasks of nobody");
    // Nor are they brought again and again.
    let query = || async {
        let query = json!({ "query": "SELECT count(*) AS n FROM sys_invocation WHERE status <> 'completed'" });
        let request = client.post(format!("{}/query", server.admin())).header("accept", "application/json");
        let answer = request.header("content-type", "application/json").body(query.to_string()).send().await;
        let text = answer.expect("the engine answers").text().await.expect("an answer");
        serde_json::from_str::<serde_json::Value>(&text).expect("rows")["rows"][0]["n"].as_u64()
    };
    while query().await != Some(0) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
