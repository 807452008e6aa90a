//! What cannot be used says what to do.

use std::time::Duration;

use graphloom_core_graph::RunError;
use graphloom_restate::{Endpoint, Engine, EngineError, EngineOptions};
use graphloom_restate_server::Engine as Server;
use tokio::net::{TcpListener, TcpStream};

use crate::pages::{Page, Pause, app};
use crate::places::{any, driven, options, port};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_that_is_not_there_is_told() {
    let nobody = port();
    let options = EngineOptions::new(&format!("restate://{}", nobody.address())).expect("an address");
    let error = Engine::connect(&options).await.expect_err("nobody is there");
    assert!(matches!(error, EngineError::Unreachable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("the engine at `http://127.0.0.1:") && text.contains("start it"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_that_nobody_serves_fails_and_says_which() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(&server).unserved(Duration::from_millis(300));
    let failed = driven(&options, folder.path()).await.run_once(Page::update()).await.expect_err("nobody serves it");
    assert!(matches!(failed, RunError::TaskFailed { .. }), "{failed:?}");
    let text = failed.to_string();
    assert!(text.contains("knows no worker that has the graph `page` in version 1 (state 1); start one"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_the_engine_refuses_is_told_in_the_words_of_the_engine() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let served =
        || Endpoint::new(&options(&server)).serve(app(&folder.path().join("notes"), Pause::None)).listen(any());
    // Somebody else has the address.
    let port = port();
    let other = port.address();
    let _other = crate::places::run(Endpoint::new(&options(&server)).threads("Others", nobody()).listen(other));
    while TcpStream::connect(other).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let refused = served().advertise(&format!("http://{other}")).expect("an address");
    let error = refused.run(std::future::pending()).await.expect_err("it is refused").to_string();
    assert!(error.contains("has no service `graphloom.page.1.1`"), "{error}");
    let error = Endpoint::new(&options(&server)).run(std::future::pending()).await.expect_err("it is empty");
    assert!(matches!(error, EngineError::Setting(_)), "{error:?}");
}

/// Threads that nobody asks for.
fn nobody() -> graphloom_core_graph::Threads<Page, crate::pages::Notes> {
    app("unused".as_ref(), Pause::None).with_checkpointer(graphloom_core_graph::checkpoint::MemoryCheckpointer::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_everybody_is_no_address_for_others() {
    let server = Server::start();
    let everybody = "0.0.0.0:0".parse().expect("an address");
    let error = Engine::connect(&options(&server).callbacks(everybody)).await.expect_err("it is refused").to_string();
    assert!(error.contains("callbacks_at"), "{error}");
    let endpoint = Endpoint::new(&options(&server)).threads("Pages", nobody()).listen(everybody);
    let error = endpoint.run(std::future::pending()).await.expect_err("it is refused").to_string();
    assert!(error.contains("advertise"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_waits_for_its_engine() {
    let mut server = Server::start();
    server.kill();
    let folder = tempfile::tempdir().expect("a folder");
    // Where the engine was, the endpoint finds somebody who hangs up.
    let instead = TcpListener::bind(server.admin_address()).await.expect("the engine is down");
    let _served = crate::places::serve(&server, app(&folder.path().join("notes"), Pause::None));
    drop(instead.accept().await.expect("the endpoint comes"));
    drop(instead);
    server.restart();
    let driven = driven(&options(&server), &folder.path().join("unused")).await;
    let threads = driven.with_checkpointer(graphloom_core_graph::checkpoint::MemoryCheckpointer::new());
    let ended = threads.thread("page").run(Page::update().parts(2)).await;
    assert!(matches!(ended, Ok(graphloom_core_graph::Outcome::Waiting(_))), "{ended:?}");
}
