//! Values that are nested too deeply to be read again: refused where they are given, and the thread is as it was.

use graphloom_core_graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{
    Answers, Context, Log, MOST_LEVELS, Node, NodeError, Outcome, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::log::Build;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Any {
    value: Value,
    /// What is done with the value.
    how: String,
    #[state(append)]
    answers: Log<Value>,
}

const DO: Node = Node::named("do");

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |value, level| if level % 2 == 0 { json!([value]) } else { json!({ "k": value }) })
}

async fn done_with(any: Snapshot<Any>, context: Context) -> Result<AnyUpdate, NodeError> {
    let deep = nested(any.value.as_u64().unwrap_or_default() as usize);
    match any.how.as_str() {
        "state" => return Ok(Any::update().value(deep)),
        "step" => drop(context.once("step", async { Ok(deep) }).await?),
        "question" => drop(context.ask::<Value>("go", &deep).await?),
        _ => return Ok(Any::update().answers([context.ask::<Value>("go", &()).await?])),
    }
    Ok(Any::update())
}

#[tokio::test]
async fn what_is_nested_too_deeply_is_refused_where_it_is_given() {
    let mut graph = StateGraph::<Any>::new("any");
    graph.add_node(DO, done_with).asks::<Value>("go");
    graph.add_edge(START, DO);
    let threads = graph.built().with_checkpointer(MemoryCheckpointer::new());
    for levels in [MOST_LEVELS, MOST_LEVELS + 1, 300] {
        let is_taken = levels == MOST_LEVELS;
        for how in ["state", "step", "question"] {
            let thread = threads.thread(format!("{how} {levels}"));
            let outcome = thread.run(Any::update().value(json!(levels)).how(how.to_owned())).await;
            match &outcome {
                Ok(_) => assert!(is_taken, "{how} {levels}"),
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        !is_taken && message.contains("nested too deeply: at most 100"),
                        "{how} {levels}: {message}"
                    );
                }
            }
            // Whatever was refused, the thread is read, and so is its journal.
            let state = thread.state().await.unwrap();
            assert_eq!(state.state.how, how);
            assert!(!thread.journal(0, usize::MAX).await.unwrap().is_empty());
            if is_taken && how == "question" {
                assert_eq!(state.questions.iter().next().unwrap().payload, nested(levels));
            }
        }
        let thread = threads.thread(format!("input {levels}"));
        let input = thread.run(Any::update().value(nested(levels)).how("answer".to_owned())).await;
        assert_eq!(input.is_ok(), is_taken, "{levels}");
        let thread = threads.thread(format!("answer {levels}"));
        assert!(matches!(thread.run(Any::update().how("answer".to_owned())).await, Ok(Outcome::Waiting(_))));
        // As an entry of a list it has one level more.
        let given = Answers::new().and("go", nested(levels - 1));
        match given {
            Ok(answers) => {
                let ended = thread.resume(answers).await;
                assert_eq!(ended.is_ok(), is_taken, "{levels}");
            }
            Err(error) => assert!(!is_taken && error.to_string().contains("nested too deeply"), "{levels}: {error}"),
        }
        let status = thread.state().await.unwrap().status;
        let expected = if is_taken { ThreadStatus::Done } else { status };
        assert_eq!(status, expected);
    }
}
