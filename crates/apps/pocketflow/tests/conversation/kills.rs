//! Processes that die between turns and inside them.

use std::path::Path;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_pocketflow::session::{Status, Waiting};

use super::scripted::{Answer, ID, ScriptedConversation, ScriptedSource, found_titles};

fn open(path: &Path, source: Arc<ScriptedSource>) -> ScriptedConversation {
    let checkpointer = SqliteCheckpointer::open(path).expect("part of the test");
    let store = Arc::new(checkpointer.store());
    ScriptedConversation::on(source, store, Arc::new(checkpointer))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("part of the test")
}

#[test]
fn a_conversation_survives_a_restart_between_any_two_turns() {
    let directory = tempfile::tempdir().expect("part of the test");
    let path = directory.path().join("threads.db");
    for message in ["LLMs in education", "no: too broad", "yes", "why?", "approve"] {
        runtime().block_on(async {
            open(&path, ScriptedSource::new(&[Answer::Records])).say(message).await;
        });
    }
    let session = runtime().block_on(async { open(&path, ScriptedSource::new(&[Answer::Records])).session().await });
    assert_eq!((session.status, session.history.len()), (Status::Complete, 10));
}

#[test]
fn a_turn_that_was_killed_goes_on_where_it_was() {
    let directory = tempfile::tempdir().expect("part of the test");
    let path = directory.path().join("threads.db");
    let first = runtime();
    first.block_on(async {
        // The first query is answered and stored; in the second the process dies.
        let source = ScriptedSource::new(&[Answer::Records, Answer::Hangs]);
        let talk = open(&path, Arc::clone(&source));
        talk.say("tides").await;
        let _streams = talk.conversations.say(ID, "yes");
        source.reached.acquire_many(2).await.expect("part of the test").forget();
    });
    // The threads must be gone, as they are when a process is, before the next one takes over.
    first.shutdown_timeout(std::time::Duration::from_secs(60));

    runtime().block_on(async {
        let talk = open(&path, ScriptedSource::new(&[Answer::Nothing]));
        let (_, chat) = talk.shown(talk.conversations.finish_turn(ID)).await;
        assert!(chat.iter().any(|message| message.text().contains("# A proposal")), "{chat:?}");
        let session = talk.session().await;
        assert_eq!(session.waiting_for, Waiting::Report);
        assert_eq!(
            found_titles(&session),
            ["On first query 1"],
            "what was found before the kill is not searched again"
        );
        let asked = talk
            .seen
            .lock()
            .expect("part of the test")
            .iter()
            .any(|prompt| prompt.contains("You plan literature searches"));
        assert!(!asked, "what was paid for is not asked again");
        talk.say("approve").await;
        assert_eq!(talk.session().await.status, Status::Complete);
    });
}
