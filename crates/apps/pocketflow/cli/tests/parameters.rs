//! Parameters from a file and from `--set`.

use serde_json::Value;

use crate::support::{DONE, TestDir, USAGE, WAITING, result, said, text};

#[test]
fn every_parameter_is_printed_with_value_default_and_source() {
    let dir = TestDir::new();
    std::fs::write(dir.path("mine.toml"), "[limits]\nrecords = 3\n\n[literature]\ncontact = \"me@example.org\"\n")
        .unwrap();
    let args = ["chat", "--config", "mine.toml", "--set", "literature.openalex.address=http://127.0.0.1:9"];
    let printed = said(&dir.run(&[&args[..], &["--print-config"]].concat()), DONE);
    for part in [
        "limits.records = 3",
        "from mine.toml; default 12",
        "limits.records_per_query = 5",
        "limits.record_bytes = 4000",
        "limits.query_cycles = 5",
        "literature.contact = \"me@example.org\"",
        "literature.openalex.address = \"http://127.0.0.1:9\"",
        "from --set; default none",
        "literature.deadline_seconds = 120",
        "# literature.since =",
        "small.records = 6",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let json = result(&dir.run(&[&args[..], &["--print-config", "--json"]].concat()));
    let rows = json.as_array().unwrap();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
    assert_eq!((&row("limits.records")["value"], &row("limits.records")["default"]), (&3.into(), &12.into()));
    assert_eq!(row("limits.query_cycles")["source"], "default");
    assert!(!dir.path("home").exists(), "nothing but the parameters was looked at");

    std::fs::write(dir.path("wrong.toml"), "[limits]\nrecord = 3\n").unwrap();
    let wrong = dir.run(&["say", "c1", "tides", "--config", "wrong.toml"]);
    said(&wrong, USAGE);
    assert!(text(&wrong.stderr).contains("there is no parameter `limits.record`"), "{}", text(&wrong.stderr));
}

#[test]
fn parameters_reach_the_conversation() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let set = ["--set", "limits.records=1", "--set", "limits.query_cycles=0"];
    let refused = dir.talk(&[&["say", "c1", "no"], &set[..]].concat());
    assert!(said(&refused, WAITING).contains("edit them by hand"), "no query is made again");
    said(&dir.talk(&[&["say", "c1", "approve"], &set[..]].concat()), WAITING);
    let records: Value = dir.session()["artifacts"]["review"]["value"]["records"].clone();
    assert_eq!(records.as_array().unwrap().len(), 1, "{records:#}");
}
