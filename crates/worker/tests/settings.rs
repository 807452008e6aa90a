//! What cannot be used is refused, with what to do.

use graphloom_postgres_server::Server;
use graphloom_worker::{QueueError, QueueOptions, TaskQueue, Worker};
use sqlx::Connection;

#[tokio::test]
async fn what_cannot_be_used_is_refused() {
    let nowhere = TaskQueue::connect("postgres://a@127.0.0.1:1/none", &QueueOptions::default()).await.unwrap_err();
    assert!(matches!(nowhere, QueueError::Database { .. }), "{nowhere}");
    assert!(nowhere.to_string().contains("127.0.0.1:1/none, schema graphloom"), "{nowhere}");
    let name = TaskQueue::connect("postgres://a@127.0.0.1:1/none", &QueueOptions::schema("a b")).await.unwrap_err();
    assert!(name.to_string().contains("`a b` cannot be the schema's name"), "{name}");

    let server = Server::start();
    let nothing = Worker::connect(&server.url(), &QueueOptions::default()).await.unwrap();
    let nothing = nothing.run(std::future::pending()).await.unwrap_err();
    assert!(nothing.to_string().contains("needs a graph"), "{nothing}");

    let mut connection = sqlx::PgConnection::connect(&server.url()).await.unwrap();
    sqlx::query("UPDATE graphloom_work.format SET version = 9").execute(&mut connection).await.unwrap();
    let newer = TaskQueue::connect(&server.url(), &QueueOptions::default()).await.unwrap_err();
    assert!(matches!(newer, QueueError::NewerFormat { found: 9, known: 1, .. }), "{newer}");
}
