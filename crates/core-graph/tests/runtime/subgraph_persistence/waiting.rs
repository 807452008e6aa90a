//! Calls that wait for an answer.

use super::*;

use crate::log::Build;

#[tokio::test]
async fn a_call_that_waits_is_gone_on_with_by_another_process() {
    let store = Arc::new(MemoryCheckpointer::new());
    let thread = || {
        let graph = parent(asking(2), Persistence::PerThread).built().with_context(());
        graph.with_shared_checkpointer(Arc::clone(&store) as Arc<dyn Checkpointer>).thread("t")
    };
    assert_eq!(turn(&thread()).await, "1");
    let Outcome::Waiting(questions) = thread().run(Work::update()).await.unwrap() else { panic!("it asks") };
    assert_eq!(questions.iter().next().unwrap().path, ["child", "say"]);
    assert_eq!(questions.iter().next().unwrap().payload, 2);
    assert_eq!(thread().questions().await.unwrap(), questions);
    assert!(questions.answer("word", 7).is_err());
    let story = done(thread().resume(questions.answer("word", "Ada").unwrap()).await).story();
    assert_eq!(story, "1 1+Ada", "the input was not folded a second time");
    let records = store.task_records("t", "").await.unwrap();
    assert_eq!(records, [], "answers go with the call");
    let Outcome::Waiting(questions) = thread().run(Work::update()).await.unwrap() else { panic!("it asks again") };
    assert_eq!(questions.iter().next().unwrap().payload, 3);
}

#[tokio::test]
async fn a_call_that_waits_and_is_abandoned_leaves_the_state_as_it_was() {
    let (thread, _) = stored(parent(asking(2), Persistence::PerThread));
    assert_eq!(turn(&thread).await, "1");
    for _ in 0..3 {
        let Outcome::Waiting(questions) = thread.abandon().run(Work::update()).await.unwrap() else {
            panic!("it asks")
        };
        assert_eq!(questions.iter().next().unwrap().payload, 2, "each call begins where the first turn ended");
    }
    thread.update_state(CHILD, noted("edited")).await.unwrap();
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
    assert_eq!(questions.iter().next().unwrap().payload, 2);
    let story = done(thread.resume(questions.answer("word", "Bo").unwrap()).await).story();
    assert_eq!(story, "1 edited 1+Bo");
}

#[tokio::test]
async fn two_calls_that_wait_for_one_child_are_busy_after_a_restart_too() {
    let child = asking(1);
    let mut graph = StateGraph::<Work>::new("work");
    graph.mode(Mode::Eager);
    graph.add_node(COUNT, note("begin"));
    graph
        .add_subgraph_task(PART, child, |topic: String, _: &Work| Memory::update().topic(topic), out)
        .persistence(Persistence::PerThread);
    graph.add_edge(START, COUNT);
    graph.add_sends(COUNT, PART, |_: &Work| ["x", "y"].map(|topic| PART.send(topic, topic.to_owned())).to_vec());
    let (thread, _) = stored(graph);
    for _ in 0..2 {
        let error = if thread.state().await.unwrap().checkpoint.is_none() {
            thread.run(Work::update()).await.unwrap_err()
        } else {
            thread.continue_().await.unwrap_err()
        };
        let RunError::SubgraphBusy { call, other, .. } = error else { panic!("{error}") };
        assert_eq!((call.as_str(), other.as_str()), ("part:2.1", "part:2.0"));
    }
}
