//! Tasks and letters that are encrypted in the tables.

use std::path::Path;
use std::time::Duration;

use graphloom_checkpoint_encrypted::{Key, Keyring};
use graphloom_core_graph::Outcome;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};
use sqlx::{Connection, Executor as _, PgConnection};
use tokio::task::JoinHandle;

use crate::pages::{Notes, Page, Pause, app, graph};

/// What a graph's task says, and with its result the process that drives the run.
const SAID: &str = "part 3";

/// Keeps a copy of all that is put into the tables of a queue.
const COPIES: &str = "CREATE TABLE copies (whence TEXT, body BYTEA);
    CREATE FUNCTION copy_task() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.copies VALUES ('task', NEW.request); RETURN NEW; END $$;
    CREATE FUNCTION copy_letter() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.copies VALUES ('letter', NEW.body); RETURN NEW; END $$;
    CREATE TRIGGER copied AFTER INSERT ON graphloom_work.tasks FOR EACH ROW EXECUTE FUNCTION copy_task();
    CREATE TRIGGER copied AFTER INSERT ON graphloom_work.letters FOR EACH ROW EXECUTE FUNCTION copy_letter();";

fn keys(byte: u8) -> QueueOptions {
    QueueOptions::default().keys(Keyring::new(Key::new("here", &[byte; 32]).expect("a key")))
}

fn work(url: &str, file: &Path, options: &QueueOptions) -> JoinHandle<()> {
    let (url, options, app) = (url.to_owned(), options.clone(), app(file, Pause::None));
    tokio::spawn(async move {
        let worker = Worker::connect(&url, &options).await.expect("a worker").serve(app);
        worker.run(std::future::pending()).await.expect("it works");
    })
}

/// How many tasks and letters went through the tables, and how many of them can be read.
async fn seen(connection: &mut PgConnection) -> (i64, i64) {
    let count = "SELECT count(*), count(*) FILTER (WHERE position($1::bytea IN body) > 0
        OR position('lines'::bytea IN body) > 0) FROM copies";
    sqlx::query_as(count).bind(SAID.as_bytes()).fetch_one(connection).await.expect("they are counted")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_through_the_tables_is_read_with_the_keys_alone() {
    let server = Server::start();
    let (url, folder) = (server.url(), tempfile::tempdir().expect("a folder"));
    let file = folder.path().join("notes");
    let mut connection = PgConnection::connect(&url).await.expect("a connection");
    let mut is_copied = false;
    for (options, is_read) in [(QueueOptions::default(), true), (keys(1), false)] {
        let queue = TaskQueue::connect(&url, &options).await.expect("a queue");
        if !is_copied {
            connection.execute(COPIES).await.expect("the triggers are made");
            is_copied = true;
        }
        connection.execute("DELETE FROM copies").await.expect("copies are deleted");
        let driven = graph().executed_by(queue).expect("the state is stored");
        let driven = driven.with_context(Notes { file: file.clone(), pause: Pause::None });
        let thread = driven.with_checkpointer(MemoryCheckpointer::new()).thread("page");
        let run = tokio::spawn(async move { thread.run(Page::update().parts(4)).await });
        if !is_read {
            // One without the keys takes the task first, and gives it back.
            let others = work(&url, &file, &keys(2));
            let refused = "SELECT count(*) FROM graphloom_jobs._private_jobs WHERE last_error IS NOT NULL";
            while sqlx::query_scalar::<_, i64>(refused).fetch_one(&mut connection).await.expect("they are counted") == 0
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert!(!run.is_finished(), "it was executed without the keys");
            others.abort();
            drop(others.await);
        }
        let worker = work(&url, &file, &options);
        let outcome = run.await.expect("it runs").expect("the run ends");
        assert!(matches!(outcome, Outcome::Waiting(_)), "{outcome:?}");
        let (all, read) = seen(&mut connection).await;
        assert!(all > 12 && (read > 8) == is_read && (read == 0) != is_read, "{read} of {all} can be read");
        worker.abort();
        drop(worker.await);
    }
}
