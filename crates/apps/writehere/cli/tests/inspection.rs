//! Looking at a run: show, why, log, tree, breakpoints, fork. The plan comes from a scripted server.

use crate::compatible::report;
use crate::planner::Scripted;
use crate::support::{TestDir, text};

/// Runs to the end in level order, so that checkpoints have the same numbers in every run.
fn seen() -> (Scripted, TestDir) {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "seen", "--schedule", "sequential"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    (server, dir)
}

#[test]
fn a_run_tells_everything_about_itself() {
    let (_server, dir) = seen();
    for (args, parts) in [
        (vec!["runs"], vec!["seen", "done"]),
        (vec!["show", "seen"], vec!["checkpoint    1", "FINISH", "4", "Say how the log is written"]),
        // Each action's arguments, template with its version, prompt, reply; the plan, its repairs and its graph.
        (
            vec!["show", "seen", "root"],
            vec![
                "\"status\": \"FINISH\"",
                "\"planning\"",
                "\"repairs\"",
                "\"inner_graph\"",
                "final_aggregate",
                "=== plan by `compatible:planner`, template `report/plan` ",
                "--- arguments",
                "\"to_run_task\"",
                "--- User\n",
                "You plan for a team",
                "--- thoughts 1\ntwo parts\n--- reply 1 (Stop, 120 tokens)\n<result>",
            ],
        ),
        (vec!["show", "seen", "1.0"], vec!["=== execute by", "template `report/search` ", "template `report/merge` "]),
        (
            vec!["why", "seen", "4"],
            vec![
                "status FINISH",
                "group `silence`",
                "outer task:\n  `root` FINISH",
                "parents:\n  `3` FINISH",
                "inner tasks",
                "history:",
            ],
        ),
        (
            vec!["log", "seen"],
            vec!["READY -> PLAN_DONE (action `plan`; condition: it is a plan node)", "every parent is FINISH"],
        ),
        (vec!["graph"], vec!["final_aggregate", "begin"]),
        (vec!["graph", "--format", "svg"], vec!["<svg"]),
    ] {
        let output = dir.run(&args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        parts.iter().for_each(|part| assert!(shown.contains(part), "{args:?} shows no `{part}`:\n{shown}"));
    }
}

#[test]
fn why_names_each_rule_and_what_a_waiting_task_waits_for() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "seen", "--break-at", "node=1.0"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let output = dir.run(&["why", "seen", "3"]);
    let shown = text(&output.stdout);
    for part in [
        "status NOT_READY, group `suspend`",
        "[no] exam: the outer task is DOING and there are no parents -> READY (see `1`, `2`)",
        "[no] exam: the outer task is DOING and every parent is FINISH -> NEED_UPDATE (see `1`)",
        "outer task:\n  `root` DOING",
        "parents:\n  `1` DOING",
        "  `2` FINISH",
    ] {
        assert!(shown.contains(part), "`{part}`:\n{shown}");
    }
    let shown = text(&dir.run(&["why", "seen", "root"]).stdout);
    let queue = ["`1` ", "`2` ", "`3` ", "`4` ", "`5` "].map(|key| shown.rfind(&format!("\n  {key}")).unwrap());
    assert!(queue.is_sorted(), "inner tasks in queue order:\n{shown}");
}

#[test]
fn the_tree_is_drawn_as_it_was_at_any_checkpoint() {
    let (_server, dir) = seen();
    let listed = text(&dir.run(&["show", "seen"]).stdout);
    let last: u64 = listed.lines().filter(|line| line.starts_with("checkpoint ")).count().try_into().unwrap();
    assert!(last > 30, "{listed}");
    let mut drawn = Vec::new();
    for at in [3, last / 2, last].map(|at| at.to_string()) {
        for (format, part) in [
            ("text", "Order what was found"),
            ("mermaid", "flowchart"),
            ("dot", "digraph"),
            ("json", "\"nid\""),
            ("svg", "<svg"),
        ] {
            let output = dir.run(&["tree", "seen", "--at", &at, "--format", format]);
            assert!(output.status.success(), "{at} {format}: {}", text(&output.stderr));
            assert!(text(&output.stdout).contains(part), "{at} {format}: {}", text(&output.stdout));
            drawn.push(text(&output.stdout));
        }
        let output = dir.run(&["tree", "seen", "--at", &at, "--format", "png", "-o", "tree.png"]);
        assert!(output.status.success(), "{at}: {}", text(&output.stderr));
        assert!(std::fs::read(dir.path("tree.png")).unwrap().starts_with(b"\x89PNG"));
    }
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 15, "each drawing differs from the others");
    let output = dir.run(&["tree", "seen", "--format", "png"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--file FILE"), "{}", text(&output.stderr));
}

#[test]
fn an_older_checkpoint_becomes_the_head_and_the_run_goes_on_from_there() {
    let (server, dir) = seen();
    let before = server.requests().len();
    let output = dir.run(&["fork", "seen", "--at", "8"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = dir.run(&["resume", "seen", "--out", "again"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(server.requests().len() > before);
    assert_eq!(dir.read("again/report.md"), dir.read("out/report.md"));
}
