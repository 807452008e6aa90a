//! Bad input gets a clear answer, never a panic, and the conversation goes on.

use serde_json::json;

use crate::support::{DONE, FAILED, TestDir, USAGE, WAITING, said, text};

#[test]
fn mistakes_of_the_command_line_are_named_with_their_remedy() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let before = dir.session();
    for (args, part) in [
        (vec!["say", "a b", "x"], "no id of a run"),
        (vec!["say", "c1"], "<MESSAGE>"),
        (vec!["resume", "nothing"], "there is no conversation `nothing`"),
        (vec!["inspect", "nothing"], "`pocketflow runs` lists them"),
        (vec!["history", "nothing"], "there is no conversation `nothing`"),
        (vec!["graph", "nothing"], "there is no conversation `nothing`"),
        (vec!["export", "nothing"], "there is no conversation `nothing`"),
        (vec!["replay", "nothing", "--from", "1"], "there is no conversation `nothing`"),
        (vec!["fork", "c1", "--at", "999"], "no checkpoint 999; `pocketflow history c1` lists them"),
        (vec!["replay", "c1", "--from", "999"], "no checkpoint 999"),
        (vec!["diff", "c1", "1", "999"], "no checkpoint 999"),
        (vec!["resume", "c1", "--answer", "message"], "has no `=`; write `--answer KEY=JSON`"),
        (vec!["resume", "c1", "--answer", "message=approve"], "the answer `approve` to `message` is not JSON"),
        (vec!["resume", "c1", "--answer", "message=7"], "the answer to `message` does not fit: invalid type: integer"),
        (vec!["resume", "c1", "--answer", "verdict=\"yes\""], "no open question `verdict`; open: `message`"),
        (vec!["resume", "c1", "--answer", "message=\"a\"", "--answer", "message=\"b\""], "is answered twice"),
        (vec!["say", "c2", "x", "--set", "limits.record=3"], "did you mean `record"),
        (vec!["say", "c2", "x", "--set", "limits.records=0"], "`limits.records` is 0; give 1 or more"),
        (vec!["say", "c2", "x", "--set", "limits.records=many"], "the parameter `limits.records` cannot be set"),
        (
            vec!["say", "c2", "x", "--set", "literature.since=2024", "--set", "literature.until=2000"],
            "after `literature",
        ),
        (vec!["say", "c2", "x", "--search", "tavily"], "the engine `tavily` needs a key; set `TAVILY_API_KEY`"),
        (vec!["say", "c2", "x", "--search", "none,arxiv"], "`--search none` stands alone"),
        (vec!["say", "c2", "x", "--search", "arxiv", "--set", "literature.contact=nobody"], "is no e-mail address"),
        (vec!["say", "c2", "x", "--search", "arxiv", "--set", "literature.address=ftp://h"], "cannot be used"),
    ] {
        // Only these call a model.
        let output = if ["say", "resume", "replay"].contains(&args[0]) { dir.talk(&args) } else { dir.run(&args) };
        said(&output, USAGE);
        let told = text(&output.stderr);
        assert!(told.contains(part), "{args:?} does not name `{part}`: {told}");
    }
    for (input, part) in [
        ("approve", "what came on stdin is not JSON"),
        ("[1]", "stdin holds no JSON object"),
        (r#"{"other": 1}"#, "no open question `other`"),
    ] {
        let output = dir.piped(&["resume", "c1"], input);
        said(&output, USAGE);
        assert!(text(&output.stderr).contains(part), "{input}: {}", text(&output.stderr));
    }
    assert_eq!(dir.session(), before, "nothing of this changed the conversation");
    let local = dir.run(&["say", "c2", "x", "--model", "scripted:model.jsonl", "--search", "local"]);
    said(&local, USAGE);
    assert!(text(&local.stderr).contains("needs `--corpus DIR`"));
    let gone = dir.run(&["say", "c2", "x", "--model", "scripted:model.jsonl", "--corpus", "gone"]);
    said(&gone, FAILED);
    assert!(text(&gone.stderr).contains("`gone` cannot be read"), "{}", text(&gone.stderr));
}

#[test]
fn messages_without_sense_are_answered() {
    let dir = TestDir::new();
    assert!(dir.say("", DONE).contains("Which topic"));
    assert!(dir.say("   \t ", DONE).contains("Which topic"));
    dir.say("tides", WAITING);
    // An argument of the command line has a limit of its own; a line of a chat does not.
    let long = dir.piped(&["chat", "c1"], &format!("{}\n", "approve ".repeat(131_072)));
    assert!(said(&long, WAITING).contains("longer than 16384 bytes"), "{}", text(&long.stdout));
    assert!(dir.say("\u{7f}\u{202e}", WAITING).contains("I am not sure"));
    assert!(dir.say("/edit 9 x", WAITING).contains("there is no number 9"));
    assert!(dir.say("approve", WAITING).contains("# Tides in the long run"));
}

#[test]
fn damaged_and_newer_sessions_are_told() {
    use graphloom_checkpoint_sqlite::SqliteStore;
    use graphloom_core_graph::store::{Namespace, PutOptions, Store};

    let dir = TestDir::new();
    dir.say("tides", WAITING);
    dir.say("cancel", DONE);
    let put = |value: serde_json::Value| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = SqliteStore::open(dir.path("home/threads.db")).unwrap();
            let sessions = Namespace::new(["pocketflow", "sessions"]).unwrap();
            store.put(&sessions, "c1", value, PutOptions::default()).await.unwrap();
        });
    };
    put(json!({ "schema": 99 }));
    let newer = dir.say("tides", DONE);
    assert!(newer.contains("saved with schema 99") && newer.contains("update the program"), "{newer}");
    put(json!({ "last_action": "do-magic", "action_result": "x", "params": {} }));
    assert!(dir.say("approve", WAITING).contains("could not be read as it was"));
    assert!(dir.say("currents", WAITING).contains("1. spring tides"), "the conversation goes on");
    assert!(text(&dir.run(&["inspect", "c1"]).stdout).contains("quarantined records: 1"));
}
