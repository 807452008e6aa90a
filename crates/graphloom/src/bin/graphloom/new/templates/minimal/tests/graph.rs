//! The graph, killed before and after every commit.

use graphloom::graph::checkpoint::ThreadStatus;
use graphloom::graph::simulate::Simulator;

use new_crate::{LIMIT, Summary, graph};

#[tokio::test(start_paused = true)]
async fn a_text_gets_short_wherever_the_run_is_killed() {
    let text = "one two three four five, six seven eight nine ten, eleven twelve thirteen";
    let simulator = Simulator::new(&graph().unwrap());
    for report in simulator
        .crash_everywhere(Summary::update().text(text))
        .await
        .unwrap()
    {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        assert_eq!(
            report.state.text,
            "one two three four five, six seven eight nine ten."
        );
        let done: Vec<_> = report.state.done.iter().map(String::as_str).collect();
        assert_eq!(
            done,
            ["counted 13 words", "shortened", "counted 10 words"],
            "each counts once"
        );
    }
}

#[tokio::test]
async fn a_text_without_clauses_is_halved() {
    let text = "word ".repeat(4 * LIMIT);
    let run = graph()
        .unwrap()
        .run_once(Summary::update().text(text))
        .await
        .unwrap();
    let summary = run.done().unwrap();
    assert_eq!(summary.words, LIMIT);
}
