//! Colours, and the form of the log.

use crate::{graphloom, run, told};

const ESCAPE: char = '\u{1b}';

#[test]
fn colours_are_those_that_were_asked_for() {
    let place = tempfile::tempdir().unwrap();
    for (color, expected) in [("always", true), ("never", false), ("auto", false)] {
        let (status, help, _) = run(place.path(), &["--help", "--color", color]);
        assert_eq!((status, help.contains(ESCAPE)), (0, expected), "{color}: {help}");
        for line in [&["nonsense", "--color", color][..], &["runs", "show", "nobody", "--color", color]] {
            let (_, stdout, stderr) = run(place.path(), line);
            assert_eq!((stdout.as_str(), stderr.contains(ESCAPE)), ("", expected), "{line:?}: {stderr}");
            assert!(stderr.contains("error:"), "{stderr}");
        }
    }
    // What is asked for on the command line counts more than the variable.
    let (_, _, stderr) =
        told(graphloom(place.path(), &["runs", "show", "x", "--color=always"]).env("NO_COLOR", "1").output().unwrap());
    assert!(stderr.contains(ESCAPE), "{stderr}");
}

#[test]
fn a_log_can_be_lines_of_json() {
    let place = tempfile::tempdir().unwrap();
    let log = |format: &str| {
        let file = format!("{format}.log");
        let mut command = graphloom(place.path(), &["doctor", "-q", "--log", &file, "--log-format", format]);
        // A port that nobody answers on is asked, which the client of HTTP logs.
        told(command.env("RUST_LOG", "trace").env("LLM_PROBE", "9").output().unwrap());
        std::fs::read_to_string(place.path().join(file)).unwrap()
    };
    let (json, text) = (log("json"), log("text"));
    assert!(!json.is_empty() && !text.is_empty());
    for line in json.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for key in ["timestamp", "level", "target", "fields"] {
            assert!(!line[key].is_null(), "{line}");
        }
    }
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_err()), "{text}");
}
