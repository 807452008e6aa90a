//! A spent budget delivers what there is, and the run goes on with a larger one; the server is scripted.

use serde_json::Value;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

fn run_json(dir: &TestDir) -> Value {
    serde_json::from_str(&dir.read("out/run.json")).unwrap()
}

#[test]
fn a_spent_budget_delivers_what_there_is() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "poor", "--budget", "calls=11"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("writehere resume poor --budget"), "{said}");
    assert!(!said.contains("panicked"), "{said}");

    let written = dir.read("out/report.md");
    assert!(written.contains("> This text is not complete. the budget") && written.contains("Part one"), "{written}");
    assert!(!written.contains("Part two"), "{written}");
    assert_eq!(graphloom_writehere::cite::verify(&written), []);
    let run = run_json(&dir);
    assert_eq!((&run["status"], &run["words"]), (&"partial".into(), &60.into()), "{run:#}");
    assert!(run["explanation"].as_str().unwrap().contains("`5` is READY"), "{run:#}");
    assert_eq!(run["measured"]["spent"]["calls"].as_u64(), Some(11), "{run:#}");
    // Calls of the turns that wait are counted as well.
    assert_eq!(run["calls"].as_u64(), Some(11), "{run:#}");
    for name in ["tree.json", "tree.mmd"] {
        assert!(dir.read(&format!("out/{name}")).contains("Say how recovery goes"), "{name}");
    }
}

#[test]
fn a_run_goes_on_with_a_larger_budget_and_pays_for_no_call_twice() {
    let whole = TestDir::new();
    let server = Scripted::start();
    let output = whole.run(&report(&server.model(), &["--out", "out"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    for calls in [1, 4, 6, 8, 12] {
        let server = Scripted::start();
        let (dir, model, budget) = (TestDir::new(), server.model(), format!("calls={calls}"));
        let output = dir.run(&report(&model, &["--out", "out", "--thread", "poor", "--budget", &budget]));
        assert_eq!(output.status.code(), Some(4), "{budget}: {}", text(&output.stderr));
        assert_eq!(server.requests().len(), calls, "{budget}");
        let run = run_json(&dir);
        assert_eq!(run["calls"].as_u64(), Some(calls as u64), "{budget}: open turns are counted: {run:#}");
        assert_eq!(run["calls_by_model"]["compatible:planner"].as_u64(), Some(calls as u64), "{run:#}");
        assert_eq!(run["tokens"]["input"].as_u64(), Some(100 * calls as u64), "{run:#}");
        assert!(text(&output.stderr).contains(&format!(", {calls} calls")), "{}", text(&output.stderr));

        // The same budget is still spent.
        let output = dir.run(&["resume", "poor", "--budget", &budget]);
        assert_eq!(output.status.code(), Some(4), "{budget}: {}", text(&output.stderr));
        assert_eq!(server.requests().len(), calls, "{budget}");

        // A little more goes a little further.
        let more = format!("calls={}", calls + 1);
        let output = dir.run(&["resume", "poor", "--budget", &more]);
        let enough = calls + 1 == CALLS;
        assert_eq!(output.status.code(), Some(if enough { 0 } else { 4 }), "{more}: {}", text(&output.stderr));
        assert_eq!(server.requests().len(), calls + 1, "{more}");

        let output = dir.run(&["resume", "poor", "--budget", "calls=100,tokens=100k"]);
        assert_eq!(output.status.code(), Some(0), "{budget}: {}", text(&output.stderr));
        assert_report(&dir.path("out"));
        assert_eq!(dir.read("out/report.md"), whole.read("out/report.md"), "{budget}");
        assert_eq!(server.requests().len(), CALLS, "{budget}: nothing is paid for twice");
        assert_eq!(run_json(&dir)["measured"]["spent"]["calls"].as_u64(), Some(CALLS as u64), "{budget}");
    }
}

/// A table in which a call of the scripted server, which states 100 tokens in and 20 out, costs $0.002.
const PRICES: &str =
    "version = 1\ndate = '2026-11-26'\n[[price]]\nprovider = 'compatible'\nmodel = 'plan*'\ninput = 20\noutput = 0\n";

#[test]
fn a_budget_in_dollars_takes_prices_from_a_file_and_counts_on() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    dir.write("prices.toml", PRICES);
    // The price is not known without the file: that is said, and no limit in dollars is begun with.
    let output = dir.run(&report(&model, &["--out", "out", "--budget", "usd=1"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("`compatible:planner` is not known") && said.contains("--prices FILE"), "{said}");
    assert_eq!(server.requests().len(), 0);
    let output = dir.run(&report(&model, &["--out", "unknown"]));
    assert!(text(&output.stderr).contains("13 calls, cost not known"), "{}", text(&output.stderr));

    let asked = server.requests().len();
    let options = ["--out", "out", "--thread", "poor", "--budget", "usd=0.04", "--prices", "prices.toml"];
    let output = dir.run(&report(&model, &options));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    let calls = (server.requests().len() - asked) as u64;
    assert!((1..CALLS as u64).contains(&calls), "{calls} calls");
    let run = run_json(&dir);
    let spent = run["measured"]["spent"]["usd_micros"].as_u64().unwrap();
    assert_eq!(spent, 2000 * calls, "{run:#}");
    assert!(said.contains(&format!("{calls} calls, $0.0")) && spent <= 40_000, "{said}");
    assert!(run["explanation"].as_str().unwrap().contains("the budget of 0.04 usd is spent"), "{run:#}");

    let output = dir.run(&["resume", "poor", "--budget", "usd=0.04", "--prices", "prices.toml"]);
    assert_eq!(output.status.code(), Some(4), "what was spent before counts: {}", text(&output.stderr));
    let output = dir.run(&["resume", "poor", "--budget", "usd=1", "--prices", "prices.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(run_json(&dir)["measured"]["spent"]["usd_micros"].as_u64(), Some(2000 * CALLS as u64));
    assert!(text(&output.stderr).contains("13 calls, $0.026"), "{}", text(&output.stderr));
}
