//! Full disks, locked and foreign databases, busy runs: each is named with its remedy, and no run is lost.

use std::process::{Command, Output, Stdio};

use graphloom_test_support::wait::until;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

/// The command in a process that may write files of at most `blocks` kilobytes, as on a full disk.
#[cfg(unix)]
fn in_little_room(dir: &TestDir, blocks: u32, args: &[&str]) -> Output {
    let whole = dir.command(args);
    // An ignored signal stays ignored in the new program, so that the write fails instead of ending the process.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).arg(whole.get_program()).args(whole.get_args());
    command.current_dir(dir.root()).stdin(Stdio::null());
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_database_that_has_no_room_stops_the_run_and_it_goes_on_later() {
    for blocks in [128, 256, 512] {
        let server = Scripted::start();
        let (dir, model) = (TestDir::new(), server.model());
        let output = in_little_room(&dir, blocks, &report(&model, &["--out", "out", "--thread", "full"]));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{blocks}: {said}");
        assert!(said.contains("threads.db") && said.contains("writehere resume full"), "{blocks}: {said}");
        assert!(!said.contains("panicked"), "{blocks}: {said}");

        let output = dir.run(&["resume", "full"]);
        assert!(output.status.success(), "{blocks}: {}", text(&output.stderr));
        assert_report(&dir.path("out"));
        // At most the two searches that were under way are asked once more, a round each.
        assert!(server.requests().len() <= CALLS + 2, "{blocks}: {}", server.requests().len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_names_the_file_that_has_no_room() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    std::fs::create_dir(dir.path("out")).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path("out/.report.md.part")).unwrap();
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "done"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("out/report.md") && said.contains("No space left"), "{said}");
    // The run itself is done and stored: its files are written elsewhere without a call.
    let output = dir.run(&["resume", "done", "--out", "elsewhere"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("elsewhere"));
    assert_eq!(server.requests().len(), CALLS);

    for (args, place) in [
        (vec!["tree", "done", "--file", "/dev/full"], "/dev/full"),
        (vec!["tree", "done", "--format", "png", "--file", "/dev/full"], "/dev/full"),
    ] {
        let output = dir.run(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains(place) && said.contains("No space left"), "{args:?}: {said}");
    }
}

#[test]
fn an_output_directory_that_cannot_be_made_is_named_before_the_run_begins() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    std::fs::write(dir.path("out"), "a file").unwrap();
    let output = dir.run(&report(&model, &["--out", "out"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot make the directory `out`"), "{}", text(&output.stderr));
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_locked_database_and_one_of_a_newer_format_are_named() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    assert!(dir.run(&report(&model, &["--out", "out", "--thread", "one"])).status.success());
    let path = dir.path("home/threads.db");
    let other = rusqlite::Connection::open(&path).unwrap();

    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    let output = dir.run(&report(&model, &["--out", "two", "--thread", "two"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("threads.db` is locked by another program") && said.contains("run again"), "{said}");

    other.execute_batch("COMMIT; PRAGMA locking_mode = NORMAL; PRAGMA user_version = 999;").unwrap();
    drop(other);
    for args in [vec!["runs"], vec!["resume", "one"], report(&model, &["--out", "three"])] {
        let output = dir.run(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("threads.db` has format 999") && said.contains("update the program"), "{args:?}: {said}");
    }
}

#[test]
fn a_run_that_another_process_writes_is_busy() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let slow =
        Scripted::answering(wiremock::ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(3_600)));
    let slow_model = slow.model();
    let mut first = dir.command(&report(&slow_model, &["--out", "out", "--thread", "mine"])).spawn().unwrap();
    // Its first commit is there as soon as it has called.
    until("the first call", || !slow.requests().is_empty());
    let output = dir.run(&["resume", "mine", "--model", &model]);
    first.kill().unwrap();
    first.wait().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("thread `mine` is being written by"), "{said}");
    // Its owner is dead now, so that the run can be taken over at once.
    let output = dir.run(&["resume", "mine", "--model", &model]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("out"));
}
