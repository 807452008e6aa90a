//! The example `study`: graphs of two applications in a new one, on the embedded model.

use std::process::Command;

const DOCUMENT: &str = "# Write-ahead logging

A write-ahead log keeps a transaction safe because every change is appended to the log before the database file is
touched. After a crash the next reader scans the log and replays every frame up to the last commit record.
";

#[test]
fn a_section_and_a_text_come_out_of_one_graph() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("corpus")).unwrap();
    std::fs::write(folder.path().join("corpus/log.md"), DOCUMENT).unwrap();
    // Examples are built beside the tests' own programs.
    let program = std::env::current_exe().unwrap();
    let program = program.parent().and_then(|deps| deps.parent()).unwrap().join("examples/study");
    let output = Command::new(program)
        .args(["How does a log survive a crash?", "--corpus", "corpus", "--model", "embedded", "--thread", "t"])
        .current_dir(folder.path())
        .env("GRAPHLOOM_HOME", folder.path().join("home"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.split_whitespace().count() > 40, "{told}");
    assert!(told.contains("corpus/log.md"), "the section cites its document: {told}");
}
