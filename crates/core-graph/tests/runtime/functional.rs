//! Durable functions: tasks beside each other, once each; questions; what a call finds of the call before.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{
    Compiled, Context, EntryState, Final, NodeError, Outcome, Retry, RunError, Shared, entry_point,
};

use crate::log::{Build, Calls};

async fn work(calls: Calls, name: String) -> Result<String, NodeError> {
    calls.add(&name);
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(name)
}

/// Three tasks at once, then a question, then a fourth.
fn essay(calls: &Calls) -> Compiled<EntryState<String, String>> {
    let calls = calls.clone();
    let essay = entry_point("essay", move |topic: String, cx: Context| {
        let calls = calls.clone();
        async move {
            calls.add("body");
            let parts: Vec<_> = ["a", "b", "c"]
                .map(|part| cx.spawn(part, work(calls.clone(), format!("{topic} {part}"))))
                .into_iter()
                .collect();
            let mut written = Vec::new();
            for part in parts {
                written.push(part.await?);
            }
            let verdict: String = cx.ask("verdict", &written).await?;
            let last = cx.spawn("last", work(calls.clone(), verdict)).await?;
            Ok(format!("{}, {last}", written.join(", ")))
        }
    });
    essay.with(|node| node.asks::<String>("verdict")).built()
}

#[tokio::test(start_paused = true)]
async fn tasks_run_beside_each_other_and_once_each_whatever_is_asked() {
    let calls = Calls::default();
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    // Compiled anew, as in another process.
    let open = || essay(&calls).with_shared_checkpointer(Arc::clone(&store)).thread("t");
    let began = tokio::time::Instant::now();
    let Outcome::Waiting(questions) = open().run("tea".to_owned().into()).await.expect("it waits") else {
        panic!("it asks")
    };
    assert_eq!(began.elapsed(), Duration::from_secs(1), "the three took as long as one");
    let asked = questions.iter().next().expect("a question");
    assert_eq!(asked.payload, serde_json::json!(["tea a", "tea b", "tea c"]));
    assert_eq!(open().state().await.expect("it reads").next, ["essay"]);
    let answers = questions.answer("verdict", "good").expect("fits");
    let state = open().resume(answers).await.expect("it goes on").done().expect("done");
    assert_eq!(state.output().map(String::as_str), Some("tea a, tea b, tea c, good"));
    assert_eq!(state.input().map(String::as_str), Some("tea"));
    for (name, count) in [("body", 2), ("tea a", 1), ("tea b", 1), ("tea c", 1), ("good", 1)] {
        assert_eq!(calls.count(name), count, "{name}: {:?}", calls.all());
    }
}

#[tokio::test]
async fn a_failed_task_is_tried_again_and_its_finished_siblings_are_not() {
    let calls = Calls::default();
    let seen = calls.clone();
    let app = entry_point("flaky", move |(): (), cx: Context| {
        let calls = seen.clone();
        async move {
            let attempt = cx.task().attempt;
            let kept = calls.clone();
            let good = cx.spawn("good", async move {
                kept.add("good");
                Ok::<_, NodeError>(1)
            });
            let sum = good.await?;
            let bad = cx.spawn("bad", async move {
                calls.add("bad");
                if attempt < 3 { Err(NodeError::retryable("busy")) } else { Ok(2) }
            });
            Ok(sum + bad.await?)
        }
    })
    .with(|node| node.retry(Retry::immediate(3)))
    .built();
    let state = app.run_once(().into()).await.expect("it runs").done().expect("done");
    assert_eq!(state.output(), Some(&3));
    assert_eq!((calls.count("good"), calls.count("bad")), (1, 3));
}

#[tokio::test]
async fn a_panic_of_a_task_and_a_key_used_twice_are_errors_of_the_function() {
    let panics = entry_point("panics", async |(): (), cx: Context| {
        cx.spawn("boom", async { if cx_is_here() { panic!("boom") } else { Ok::<_, NodeError>(1) } }).await
    });
    let error = panics.built().run_once(().into()).await.expect_err("it fails");
    assert_eq!(error.to_string(), "node `panics` failed: panicked: boom");
    let twice = entry_point("twice", async |(): (), cx: Context| {
        let one = cx.spawn("same", async { Ok::<_, NodeError>(1) }).await?;
        Ok(one + cx.spawn("same", async { Ok::<_, NodeError>(2) }).await?)
    });
    let error = twice.built().run_once(().into()).await.expect_err("it fails");
    assert!(error.to_string().contains("the durable step `same` was begun twice"), "{error}");
}

fn cx_is_here() -> bool {
    true
}

#[tokio::test]
async fn a_call_finds_what_the_call_before_saved() {
    let count = entry_point("count", async |by: u64, previous: Option<Shared<u64>>, _: Context| {
        let sum = previous.as_deref().copied().unwrap_or_default() + by;
        // What is returned and what is saved may differ.
        Ok(Final { value: format!("now {sum}"), save: sum })
    })
    .built();
    let threads = count.with_checkpointer(MemoryCheckpointer::new());
    for (thread, by, expected) in [("one", 2, "now 2"), ("one", 3, "now 5"), ("other", 7, "now 7"), ("one", 1, "now 6")]
    {
        let state = threads.thread(thread).run(by.into()).await.expect("it runs").done().expect("done");
        assert_eq!(state.output().map(String::as_str), Some(expected));
    }
    assert_eq!(threads.thread("one").state().await.expect("it reads").state.saved(), Some(&6));
    let same = entry_point("same", async |by: u64, _: Context| Ok(by * 2)).built();
    let state = same.run_once(4.into()).await.expect("it runs").done().expect("done");
    assert_eq!((state.output(), state.saved()), (Some(&8), Some(&8)), "it saves what it returns");
}

#[tokio::test]
async fn a_question_asked_inside_a_task_is_the_functions_own() {
    let calls = Calls::default();
    let seen = calls.clone();
    let app = entry_point("both", move |(): (), cx: Context| {
        let calls = seen.clone();
        async move {
            let asks = |key: &'static str| {
                let (calls, inner) = (calls.clone(), cx.clone());
                cx.spawn(key, async move {
                    let answer: u32 = inner.ask(key, "how many?").await?;
                    calls.add(key);
                    Ok::<_, NodeError>(answer)
                })
            };
            let (one, other) = tokio::join!(asks("one"), asks("other"));
            Ok(one? + other?)
        }
    })
    .with(|node| node.asks::<u32>("one").asks::<u32>("other"))
    .built();
    let thread = app.with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let Outcome::Waiting(questions) = thread.run(().into()).await.expect("it waits") else { panic!("it asks") };
    assert_eq!(questions.len(), 2);
    let Outcome::Waiting(left) = thread.resume(questions.answer("other", 2).expect("fits")).await.expect("it waits")
    else {
        panic!("one is left")
    };
    assert_eq!(left.iter().map(|question| question.key.as_str()).collect::<Vec<_>>(), ["one"]);
    let state = thread.resume(left.answer("one", 1).expect("fits")).await.expect("it goes on").done().expect("done");
    assert_eq!(state.output(), Some(&3));
    assert_eq!((calls.count("one"), calls.count("other")), (1, 1));
}

#[tokio::test]
async fn a_name_that_is_no_node_is_refused() {
    let wrong = entry_point("a/b", async |(): (), _: Context| Ok(())).compile().expect_err("wrong");
    assert!(wrong.to_string().contains("`a/b` is not usable"), "{wrong}");
}

#[tokio::test]
async fn stored_tasks_are_never_repeated_whatever_crashes() {
    for seed in 0..40 {
        let app = entry_point("sum", async |upto: u64, cx: Context| {
            let tasks: Vec<_> =
                (0..upto).map(|at| cx.spawn(at.to_string(), async move { Ok::<_, NodeError>(at) })).collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await?;
            }
            Ok(sum)
        })
        .built();
        let report = Simulator::new(&app).seed(seed).crash_between_any().run(5.into()).await.expect("it ends");
        assert_eq!(report.violations, [] as [String; 0], "seed {seed}");
        assert_eq!(report.state.output(), Some(&10), "seed {seed}");
        assert_eq!(report.onces.len(), 5);
    }
}

#[tokio::test]
async fn a_run_without_an_input_says_so() {
    let app = entry_point("needs", async |topic: String, _: Context| Ok(topic)).built();
    let Err(RunError::TaskFailed { message, .. }) = app.run_once(Default::default()).await else { panic!("it fails") };
    assert_eq!(message, "called without an input; run it with one");
}
