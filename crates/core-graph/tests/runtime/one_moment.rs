//! A thread is seen as it was at one moment, also while another process goes on with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, MemoryCheckpointer, ThreadRow, ThreadStatus,
};
use graphloom_core_graph::{Answers, Context, Node, START, Snapshot, StateGraph, Threads};

use crate::log::{Build, Noted, Work, noted};

const A: Node = Node::named("a");

type Meanwhile = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store in which something happens between two readings: behind that of the thread's row, once.
struct Interleaved {
    store: Arc<MemoryCheckpointer>,
    meanwhile: Mutex<Option<Meanwhile>>,
}

#[async_trait]
impl CheckpointerLayer for Interleaved {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        let row = self.store.thread(thread).await;
        let meanwhile = self.meanwhile.lock().expect("nothing panics").take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        row
    }
}

fn threads(store: Arc<dyn Checkpointer>) -> Threads<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            let name: String = cx.ask("name", "?").await?;
            Noted::Ok(noted(name))
        })
        .asks::<String>("name");
    graph.add_edge(START, A);
    graph.built().with_shared_checkpointer(store)
}

#[tokio::test]
async fn a_thread_that_is_gone_on_with_while_it_is_read_never_waits_without_a_question() {
    let store = Arc::new(MemoryCheckpointer::default());
    let other = threads(Arc::clone(&store) as Arc<dyn Checkpointer>).thread("t");
    other.run(Work::update()).await.expect("the run waits");
    let goes_on = other.clone();
    let meanwhile: Meanwhile = Box::pin(async move {
        let answers = Answers::new().and("name", "Ada").expect("an answer");
        goes_on.resume(answers).await.expect("the run ends");
    });
    let layer = Interleaved { store, meanwhile: Mutex::new(Some(meanwhile)) };
    let seen = threads(Arc::new(layer)).thread("t").state().await.expect("the thread reads");
    assert_eq!((seen.status, seen.questions.is_empty()), (ThreadStatus::Done, true));
}
