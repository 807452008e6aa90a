//! The graph on a scripted model, killed before and after every commit.

use std::sync::Arc;

use graphloom::graph::checkpoint::ThreadStatus;
use graphloom::graph::simulate::Simulator;

use new_crate::{Resources, Talk};
use new_crate::{graph, script};

#[tokio::test(start_paused = true)]
async fn no_turn_is_asked_for_twice_wherever_the_run_is_killed() {
    let resources = Resources::new(Arc::new(script()), env!("CARGO_MANIFEST_DIR")).unwrap();
    let app = graph().unwrap().with_context(resources);
    let question = Talk::update().question("What is this crate for?");
    for report in Simulator::new(&app)
        .crash_everywhere(question)
        .await
        .unwrap()
    {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        // A turn whose result is stored is not asked for again.
        assert!(
            report.onces.values().all(|once| once.repeated == 0),
            "{:?}",
            report.onces
        );
        let transcript = report.state.transcript.as_ref().unwrap();
        assert!(transcript.answer.as_ref().unwrap().contains("uses tools"));
        // A call that fails is an observation for the model, not the end of the run.
        let worked: Vec<_> = transcript
            .calls
            .iter()
            .map(|call| call.outcome.is_success())
            .collect();
        assert_eq!(worked, [true, false, true]);
    }
}
