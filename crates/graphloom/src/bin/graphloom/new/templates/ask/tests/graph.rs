//! The graph, killed before and after every commit, and its question.

use graphloom::graph::Outcome;
use graphloom::graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom::graph::simulate::Simulator;

use new_crate::{Letter, graph};
use new_crate::{VERDICT, Verdict};

#[tokio::test(start_paused = true)]
async fn an_approved_letter_is_sent_wherever_the_run_is_killed() {
    let simulator = Simulator::new(&graph().unwrap())
        .answer(VERDICT, Verdict::Send)
        .unwrap();
    for report in simulator
        .crash_everywhere(Letter::update().to("ada"))
        .await
        .unwrap()
    {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        assert!(report.state.sent);
        assert_eq!(report.state.text, "Dear ada, the release is ready.");
    }
}

#[tokio::test]
async fn nothing_is_sent_before_the_answer() {
    let threads = graph()
        .unwrap()
        .with_checkpointer(MemoryCheckpointer::new());
    let thread = threads.thread("release");
    let outcome = thread.run(Letter::update().to("ada")).await.unwrap();
    let Outcome::Waiting(questions) = outcome else {
        panic!("the review asks")
    };
    assert!(
        questions.answer(VERDICT, "whatever").is_err(),
        "this is no verdict"
    );
    assert!(!thread.state().await.unwrap().state.sent);

    // Another name is another letter, which is asked about again.
    let change = questions
        .answer(VERDICT, Verdict::Change { to: "ben".into() })
        .unwrap();
    let outcome = thread.resume(change).await.unwrap();
    let Outcome::Waiting(questions) = outcome else {
        panic!("the review asks again")
    };
    let send = questions.answer(VERDICT, Verdict::Send).unwrap();
    let letter = thread.resume(send).await.unwrap().done().unwrap();
    assert_eq!(
        (letter.text.as_str(), letter.sent),
        ("Dear ben, the release is ready.", true)
    );
}
