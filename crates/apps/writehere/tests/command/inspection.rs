//! Looking at a run: why, show, log, tree, breakpoints, fork.

use crate::support::{Desk, text};

#[test]
fn a_run_tells_everything_about_itself() {
    let desk = Desk::new();
    let output = desk.run(&desk.report(&["--out", "out", "--thread", "seen", "--schedule", "sequential"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (args, parts) in [
        (vec!["runs"], vec!["seen", "done"]),
        (vec!["show", "seen"], vec!["checkpoint    1", "FINISH"]),
        (vec!["show", "seen", "root"], vec!["\"status\": \"FINISH\"", "final_aggregate"]),
        (vec!["show", "seen", "0"], vec!["--- arguments", "--- reply 1"]),
        (vec!["why", "seen", "root"], vec!["status FINISH", "group `silence`"]),
        (vec!["log", "seen"], vec!["READY", "PLAN_DONE", "FINISH"]),
        (vec!["tree", "seen", "--at", "2"], vec!["READY"]),
        (vec!["tree", "seen", "--format", "svg"], vec!["<svg"]),
        (vec!["graph"], vec!["final_aggregate", "begin"]),
    ] {
        let output = desk.run(&args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        parts.iter().for_each(|part| assert!(shown.contains(part), "{args:?} shows no `{part}`:\n{shown}"));
    }
    let output = desk.run(&["tree", "seen", "--format", "png", "--file", "tree.png"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(std::fs::read(desk.path("tree.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_run_stops_at_a_breakpoint_and_goes_on() {
    let desk = Desk::new();
    let output = desk.run(&desk.report(&["--out", "out", "--thread", "stopped", "--break-at", "stage=reply"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("\"reply\"") && shown.contains("writehere resume stopped"), "{shown}");
    let output = desk.run(&["resume", "stopped"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    crate::support::assert_report(&desk.path("out"));
}
