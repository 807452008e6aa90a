//! What stands around the models of a run: another one in the place of a model, answers of earlier runs, slow calls that are
//! made a second time. The server is scripted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use wiremock::ResponseTemplate;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

fn run_json(dir: &TestDir, out: &str) -> Value {
    serde_json::from_str(&dir.read(&format!("{out}/run.json"))).unwrap()
}

#[test]
fn another_model_writes_when_the_first_one_cannot() {
    let (server, dir) = (Scripted::start(), TestDir::new());
    // Nobody listens on the discard port.
    let model = format!("compatible:away@http://127.0.0.1:9/v1|{}", server.model());
    let output = dir.run(&report(&model, &["--out", "out"]));
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_report(&dir.path("out"));
    assert_eq!(server.requests().len(), CALLS);
    assert!(said.contains("`compatible:planner` is asked in the place of `compatible:away`"), "{said}");
    let run = run_json(&dir, "out");
    let kinds: Vec<&str> =
        run["model_notes"].as_array().unwrap().iter().filter_map(|note| note["kind"].as_str()).collect();
    assert!(kinds.contains(&"fell_back"), "{run:#}");

    // A request that is rejected is no reason for another model, unless the two signs ask for it.
    let strict =
        Scripted::answering(ResponseTemplate::new(400).set_body_string("{\"error\": {\"message\": \"never\"}}"));
    let planner = server.model();
    for (sign, falls_back) in [("|", false), ("||", true)] {
        let (asked, dir) = (server.requests().len(), TestDir::new());
        let output = dir.run(&report(&format!("{}{sign}{planner}", strict.model()), &["--out", "out"]));
        let said = text(&output.stderr);
        assert_eq!(output.status.success(), falls_back, "{sign}: {said}");
        assert_eq!(server.requests().len() - asked, if falls_back { CALLS } else { 0 }, "{sign}: {said}");
    }
}

#[test]
fn a_second_run_takes_the_answers_of_the_first() {
    let (server, dir) = (Scripted::start(), TestDir::new());
    let model = server.model();
    let run = |out: &str| {
        let output = dir.run(&report(&model, &["--out", out, "--cache=all"]));
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    run("first");
    assert_eq!(server.requests().len(), CALLS);
    run("second");
    assert_eq!(server.requests().len(), CALLS, "nobody is asked again");
    assert_eq!(dir.read("first/report.md"), dir.read("second/report.md"));
    let spent = &run_json(&dir, "second")["measured"]["spent"];
    assert_eq!(
        (spent["cached"].as_u64(), spent["calls"].as_u64(), spent["tokens"].as_u64()),
        (Some(13), Some(0), Some(0))
    );

    // Without the option everything is asked anew.
    let output = dir.run(&report(&model, &["--out", "third"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(server.requests().len(), 2 * CALLS);
}

#[test]
fn a_call_that_hangs_is_made_a_second_time_and_both_count() {
    let hangs = AtomicBool::new(true);
    let slow = move |_: &str| {
        hangs.swap(false, Ordering::SeqCst).then(|| ResponseTemplate::new(200).set_delay(Duration::from_secs(3_600)))
    };
    let (server, dir) = (Scripted::but(slow), TestDir::new());
    let output = dir.run(&report(&server.model(), &["--out", "out", "--hedge", "2s"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("out"));
    // A slow machine may hedge other calls as well.
    let calls = run_json(&dir, "out")["measured"]["spent"]["calls"].as_u64().unwrap();
    assert!(calls > CALLS as u64 && server.requests().len() as u64 >= calls - 1, "{calls}");
}
