//! A process that dies anywhere in a section or a team: it goes on inside it, and nothing that was paid for is paid again.

use std::collections::BTreeMap;

use graphloom_core_graph::Simulator;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_deepsearch::config::TeamOrder;
use graphloom_deepsearch::section::{SectionBrief, SectionState, graph};
use graphloom_deepsearch::team::{TeamState, dependency};

use super::script::{PromptKind, Script, plan};
use super::world::{Library, config, outline, resources, section, web};

fn script() -> Script {
    Script::default().on(PromptKind::Plan, |request| {
        let (section, _) = request.plan();
        Ok(plan(&[(&format!("a of {section}"), &[]), (&format!("b of {section}"), &["1"])]))
    })
}

/// Requests that were made more often than `most`, as beginnings of their prompts.
fn repeated(script: &Script, most: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (asked, _) in PromptKind::ALL {
        for prompt in script.prompts(asked) {
            *counts.entry(prompt).or_insert(0) += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count > most).collect()
}

#[tokio::test(start_paused = true)]
async fn a_section_survives_a_crash_at_every_point() {
    let mut config = config();
    config.workflow_max_plan_executed_num = 1;
    let brief = SectionBrief::new(section("1", &[]), "How common are storks?", config);
    let input = SectionState::update().brief(brief);
    let fresh = || {
        let (script, library) = (script(), Library::named("tavily"));
        let app = graph().with_context(resources(&script, web(&library)));
        (script, library, Simulator::new(app))
    };
    let (script, library, simulator) = fresh();
    let whole = simulator.run(input.clone()).await.unwrap();
    assert_eq!(whole.status, ThreadStatus::Done, "{}", whole.detail);
    let (calls, searches) = (script.total(), library.asked().len());
    assert!(whole.points > 40, "{} points", whole.points);
    for point in 0..whole.points {
        let (script, library, simulator) = fresh();
        let report = simulator.crash_at(point).run(input.clone()).await.unwrap();
        assert_eq!((report.status, report.crashes), (ThreadStatus::Done, 1), "{point}");
        assert_eq!(report.violations, [""; 0], "{point}");
        assert_eq!(report.state.sub_report, whole.state.sub_report, "{point}");
        // The call whose result had not been stored yet when the process died may be made again, no other.
        let again = repeated(&script, 1);
        assert!(again.len() <= 1 && again.values().all(|count| *count == 2), "{point}: {:?}", again.keys());
        assert!(script.total() <= calls + 1 && library.asked().len() <= searches + 1, "{point}");
        assert!(script.total() + library.asked().len() <= calls + searches + 1, "{point}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_team_survives_crashes_between_any_commits() {
    for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
        let mut config = config();
        config.workflow_max_plan_executed_num = 1;
        config.dependency_editor_team_order = order;
        let outline = outline(&[("1", &[]), ("2", &["1"]), ("3", &["1"])]);
        let input = TeamState::update().outline(outline).query("How common are storks?".to_owned()).config(config);
        let run = async |crashes: bool, seed| {
            let (script, library) = (script(), Library::named("tavily"));
            let app = dependency().with_context(resources(&script, web(&library)));
            let simulator = Simulator::new(app).seed(seed);
            let simulator = if crashes { simulator.crash_between_any() } else { simulator };
            simulator.run(input.clone()).await.unwrap()
        };
        let whole = run(false, 0).await;
        let texts =
            |state: &TeamState| state.sub_reports().into_iter().map(|report| report.content.text).collect::<Vec<_>>();
        for seed in 1..6 {
            let report = run(true, seed).await;
            assert_eq!(report.status, ThreadStatus::Done, "{order:?} {seed}: {}", report.detail);
            assert!(report.crashes > 3, "{order:?} {seed}");
            assert_eq!(report.violations, [""; 0], "{order:?} {seed}");
            assert_eq!(texts(&report.state), texts(&whole.state), "{order:?} {seed}");
        }
    }
}
