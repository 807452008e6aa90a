//! Tasks of a process that cannot be reached keep no others from being executed.

use std::time::{Duration, Instant};

use graphloom_core_graph::Outcome;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_restate::Endpoint;
use graphloom_restate_server::Engine as Server;
use serde_json::json;

use crate::pages::{Page, app, lines};
use crate::places::{driven, free, options};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_a_process_that_is_gone_keep_no_places() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let options = options(&server).silence(Duration::from_secs(2));
    let endpoint = Endpoint::new(&options).serve(app(&file, Duration::ZERO)).listen(free()).concurrency(1);
    let _served = crate::places::run(endpoint);
    let thread = driven(&options, &folder.path().join("unused")).await.with_checkpointer(MemoryCheckpointer::new());
    let first = thread.thread("first").run(Page::update().parts(1)).await;
    assert!(matches!(first, Ok(Outcome::Waiting(_))), "{first:?}");
    // It takes connections, and says nothing: as a process whose network is cut.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let callback = format!("http://{}", silent.local_addr().expect("an address"));
    let client = crate::threads::client();
    for number in 0..40 {
        let summons = json!({ "callback": callback, "key": number.to_string(), "task": "of nobody" });
        let request = client.post(format!("{}/graphloom.page.1.1/perform/send", server.ingress()));
        let request = request.header("content-type", "application/json").body(summons.to_string());
        assert!(request.send().await.expect("the engine answers").status().is_success());
    }
    let began = Instant::now();
    let second = thread.thread("second").run(Page::update().parts(1)).await;
    assert!(matches!(second, Ok(Outcome::Waiting(_))), "{second:?}");
    println!("it was executed beside those of nobody after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}: {:?}", began.elapsed(), lines(&file));
    // Nor are they brought again and again.
    let query = || async {
        let query = json!({ "query": "SELECT count(*) AS n FROM sys_invocation WHERE status <> 'completed'" });
        let request = client.post(format!("{}/query", server.admin())).header("accept", "application/json");
        let answer = request.header("content-type", "application/json").body(query.to_string()).send().await;
        let text = answer.expect("the engine answers").text().await.expect("an answer");
        serde_json::from_str::<serde_json::Value>(&text).expect("rows")["rows"][0]["n"].as_u64()
    };
    let began = Instant::now();
    while query().await != Some(0) {
        assert!(began.elapsed() < Duration::from_secs(30), "they are left");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
