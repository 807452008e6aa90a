//! Each tool at its boundary, on a real vault: what it says, what it changes, and that the disk stays as it is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use graphloom_agents::{FailedCalls, Risk, ToolOutcome};
use graphloom_llm::ToolCall;
use graphloom_obsius::index::VaultIndex;
use graphloom_obsius::tools::{NAMES, Workspace, registry};
use graphloom_vault::{Changes, NotePath, Notes, Vault, VaultOptions};
use serde_json::{Value, json};

const NOTES: [(&str, &str); 7] = [
    (
        "Tides.md",
        "---\ntags: [sea, moon/phases]\naliases: [Ebb and flow]\nstatus: draft # keep\n---\n# Tides\n\nTides follow the moon. See [[Lisbon]] and [[Harbours/Porto|Porto]].\n\n## Sources\n\nAn old almanac.\n\n## Open\n\nWhy twice a day?\n",
    ),
    ("Harbours/Lisbon.md", "# Lisbon\n\nHigh tide at 14:10, says [[Tides#Sources]]. #sea\n"),
    ("Harbours/Porto.md", "# Porto\n\nA river harbour. [[Nowhere]] is near. #Sea\n"),
    ("Diary/2025/Lisbon trip.md", "We saw [[Lisbon]] and the tide.\n"),
    ("Archive/Porto.md", "An older note on Porto.\n"),
    ("日本/潮汐.md", "# 潮汐について\n\n潮の満ち引きは月の引力で起こります。[[Tides]] も参照。\n"),
    ("target/build notes.md", "How the sluice gate is built.\n"),
];

struct TestVault {
    dir: tempfile::TempDir,
    workspace: Workspace,
    repeats: FailedCalls,
}

impl TestVault {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        for (path, text) in NOTES {
            write(&root.join(path), text);
        }
        write(&root.join(".obsidian/app.json"), "{}");
        write(&root.join(".trash/Tides old.md"), "old tides in the trash");
        let vault = Arc::new(Vault::open(&root, VaultOptions::default()).unwrap());
        let index = Arc::new(VaultIndex::open(vault, &dir.path().join("index")).unwrap());
        index.refresh().unwrap();
        Self { workspace: Workspace::new(index, Default::default()), dir, repeats: FailedCalls::new() }
    }

    async fn call(&mut self, name: &str, arguments: Value) -> ToolOutcome {
        let registry = registry(&self.workspace, Risk::Destructive).unwrap();
        let call = ToolCall { id: "1".into(), name: name.into(), arguments };
        registry.call(&call, &mut self.repeats).await
    }

    /// What a call that succeeds says, and its data.
    async fn ok(&mut self, name: &str, arguments: Value) -> (String, Value) {
        let shown = format!("{name} {arguments}");
        let outcome = self.call(name, arguments).await;
        let output = outcome.result.unwrap_or_else(|error| panic!("{shown}: {error}"));
        (output.content, output.data)
    }

    /// What a call that fails says.
    async fn refused(&mut self, name: &str, arguments: Value) -> String {
        let shown = format!("{name} {arguments}");
        let outcome = self.call(name, arguments).await;
        outcome.result.map(|output| panic!("{shown}: {}", output.content)).unwrap_err().to_string()
    }

    fn text(&self, path: &str) -> Option<String> {
        let note = self.workspace.overlay().read(&NotePath::parse(path).unwrap()).unwrap();
        note.map(|note| note.text().to_owned())
    }

    fn disk(&self) -> BTreeMap<String, String> {
        let root = self.dir.path().join("vault");
        NOTES
            .iter()
            .filter_map(|(path, _)| Some(((*path).to_owned(), std::fs::read_to_string(root.join(path)).ok()?)))
            .collect()
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.dir.path().join("vault").join(path), text);
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn paths(data: &Value, list: &str) -> Vec<String> {
    data[list].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[tokio::test]
async fn the_registry_has_the_ten_tools_by_their_risk() {
    let place = TestVault::new();
    let all = registry(&place.workspace, Risk::Destructive).unwrap();
    assert_eq!(all.names().collect::<Vec<_>>(), NAMES);
    let names = |ceiling| registry(&place.workspace, ceiling).unwrap().names().count();
    assert_eq!([names(Risk::Read), names(Risk::Write), names(Risk::Destructive)], [5, 8, 10]);
    for spec in all.specs() {
        assert!(!spec.description.is_empty() && spec.parameters["type"] == "object", "{}", spec.name);
        assert_eq!(spec.parameters["additionalProperties"], false, "{}: misspelt arguments are told", spec.name);
        for (name, argument) in spec.parameters["properties"].as_object().unwrap() {
            assert!(argument["description"].is_string(), "`{}.{name}` says what it is", spec.name);
        }
    }
}

#[tokio::test]
async fn search_finds_by_text_title_tag_and_folder_in_both_languages() {
    let mut place = TestVault::new();
    for (arguments, first, count) in [
        (json!({"query": "why is there a tide twice a day"}), "Tides.md", None),
        (json!({"query": "月の引力"}), "日本/潮汐.md", None),
        (json!({"query": "潮汐", "search_in": "title"}), "日本/潮汐.md", Some(1)),
        (json!({"query": "ebb and flow", "search_in": "title"}), "Tides.md", Some(1)),
        (json!({"query": "#moon", "search_in": "tags"}), "Tides.md", Some(1)),
        (json!({"query": "sea", "field": "Tags"}), "Harbours/Lisbon.md", Some(3)),
        (json!({"q": "porto", "folder": "harbours/"}), "Harbours/Porto.md", Some(1)),
        (json!({"query": "sluice gate"}), "target/build notes.md", Some(1)),
        (json!({"query": "lisbon", "max_results": "1"}), "Harbours/Lisbon.md", Some(1)),
        (json!({"query": "river harbour", "search_in": "content"}), "Harbours/Porto.md", Some(1)),
    ] {
        let (content, data) = place.ok("search_notes", arguments.clone()).await;
        let found = paths(&data, "found");
        assert_eq!(found.first().map(String::as_str), Some(first), "{arguments}: {content}");
        if let Some(count) = count {
            assert_eq!(found.len(), count, "{arguments}: {content}");
        }
        assert!(!found.iter().any(|path| path.starts_with('.')), "hidden folders are not searched: {content}");
        let note = place.workspace.overlay().expect(&NotePath::parse(first).unwrap()).unwrap();
        assert_eq!(data["found"][0]["hash"], json!(note.hash()), "{arguments}");
    }
    let (content, data) = place.ok("search_notes", json!({"query": "quetzal"})).await;
    assert_eq!((content.as_str(), paths(&data, "found").len()), ("No note fits `quetzal`.", 0));
    let error = place.refused("search_notes", json!({"query": "x", "search_in": "body"})).await;
    assert_parts(&error, &["`/search_in`", "content", "title", "tags"]);
    let error = place.refused("search_notes", json!({"limit": 3})).await;
    assert_parts(&error, &["query", "must be there"]);
}

#[tokio::test]
async fn a_search_sees_what_is_changed_and_not_what_was() {
    let mut place = TestVault::new();
    place.ok("create_note", json!({"title": "Currents", "content": "The gulf stream is warm.", "tags": ["sea"]})).await;
    place.ok("update_note", json!({"path": "Archive/Porto", "content": "Now about vineyards."})).await;
    place
        .ok("update_note", json!({"path": "Harbours/Porto", "old_text": "A river harbour.", "content": "A town."}))
        .await;
    place.ok("move_note", json!({"path": "Lisbon", "to": "Lisboa"})).await;
    place.ok("delete_note", json!({"path": "Diary/2025/Lisbon trip"})).await;
    for (query, expected) in [
        (json!({"query": "gulf stream"}), vec!["Currents.md"]),
        (json!({"query": "vineyards"}), vec!["Archive/Porto.md"]),
        (json!({"query": "river harbour"}), vec![]),
        (json!({"query": "high tide", "search_in": "content"}), vec!["Harbours/Lisboa.md"]),
        (json!({"query": "trip", "search_in": "all"}), vec![]),
        (
            json!({"query": "sea", "search_in": "tags", "folder": ""}),
            vec!["Currents.md", "Harbours/Lisboa.md", "Harbours/Porto.md", "Tides.md"],
        ),
    ] {
        let (content, data) = place.ok("search_notes", query.clone()).await;
        let found = paths(&data, "found");
        for path in &expected {
            assert!(found.iter().any(|each| each == path), "{query}: {content}");
        }
        if !query["query"].as_str().unwrap().contains("tide") {
            assert_eq!(found.len(), expected.len(), "{query}: {content}");
        }
        assert!(!found.iter().any(|path| path == "Harbours/Lisbon.md" || path.starts_with("Diary")), "{content}");
    }
    let (content, data) = place.ok("list_notes", json!({"sort": "recent", "limit": 2})).await;
    assert_eq!(data["total"], 7, "{content}");
    assert!(data["notes"].as_array().unwrap().iter().all(|note| note["pending"] == true), "{content}");
    assert_eq!(place.disk(), NOTES.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), "nothing is written");
}

#[tokio::test]
async fn read_note_takes_any_name_of_one_note() {
    let mut place = TestVault::new();
    for name in ["Tides.md", "tides", "[[Tides|x]]", "Ebb and flow", " ./Tides "] {
        let (content, data) = place.ok("read_note", json!({ "path": name })).await;
        assert_eq!(data["path"], "Tides.md", "{name}");
        assert_parts(&content, &["`Tides.md` — Tides", "Tags: sea, moon/phases", "Tides follow the moon."]);
    }
    let (_, data) = place.ok("read_note", json!({"title": "潮汐について"})).await;
    assert_eq!(data["path"], "日本/潮汐.md");
    let (_, data) = place.ok("read_note", json!({"path": "2025/lisbon trip"})).await;
    assert_eq!(data["path"], "Diary/2025/Lisbon trip.md");
    let (content, _) = place.ok("read_note", json!({"path": "Tides", "section": "## sources"})).await;
    assert_parts(&content, &["Only the section `sources`", "An old almanac."]);
    assert!(!content.contains("Why twice"), "{content}");
    let (content, data) = place.ok("read_note", json!({"path": "Tides", "from_line": 6, "lines": 1})).await;
    assert!(content.ends_with("Lines 6 to 6 of 16.\n\n# Tides"), "{content}");
    assert_eq!(data["frontmatter"]["status"], "draft");
    assert_eq!(place.workspace.read().len(), 3);
    for (arguments, parts) in [
        (json!({"path": "Porto"}), vec!["several notes", "`Archive/Porto.md`", "`Harbours/Porto.md`"]),
        (json!({"path": "Tide"}), vec!["no note `Tide.md`", "`Tides.md`"]),
        (json!({"path": "../secret"}), vec!["`../secret`"]),
        (json!({"path": "Tides", "section": "End"}), vec!["no heading `End`", "`Sources`", "`Open`"]),
        (json!({"path": "Tides", "from_line": 99}), vec!["16 lines"]),
        (json!({"path": ".trash/Tides old"}), vec![".trash"]),
    ] {
        let error = place.refused("read_note", arguments).await;
        assert_parts(&error, &parts);
    }
}

#[tokio::test]
async fn list_backlinks_and_tags_tell_what_there_is() {
    let mut place = TestVault::new();
    let (content, data) = place.ok("list_notes", json!({"folder": "Harbours"})).await;
    assert_eq!(content, "2 notes:\n- `Harbours/Lisbon.md`\n- `Harbours/Porto.md`");
    assert_eq!(data["total"], 2);
    let (content, _) = place.ok("list_notes", json!({"contains": "*潮汐*"})).await;
    assert_eq!(content, "1 note:\n- `日本/潮汐.md` — 潮汐について");
    let (content, _) = place.ok("list_notes", json!({"limit": 2, "offset": 1})).await;
    assert_eq!(content, "2 of 7 notes:\n- `Diary/2025/Lisbon trip.md`\n- `Harbours/Lisbon.md`");
    assert_eq!(place.ok("list_notes", json!({"folder": "None"})).await.0, "There are no such notes.");

    let (content, data) = place.ok("backlinks", json!({"path": "Lisbon", "outgoing": true})).await;
    assert_eq!(data["backlinks"].as_array().unwrap().len(), 2);
    assert_parts(
        &content,
        &["2 links to `Harbours/Lisbon.md`", "`Tides.md` (line 8)", "1 link in `Harbours/Lisbon.md`"],
    );
    let (content, _) = place.ok("backlinks", json!({"note": "Harbours/Porto", "outgoing": "true"})).await;
    assert_parts(&content, &["`Nowhere` leads nowhere (line 3)"]);

    let (content, data) = place.ok("tags", json!({})).await;
    assert_eq!(content, "2 tags, the most used first:\n- sea (3 notes)\n- moon/phases (1 note)");
    assert_eq!(data["total"], 2);
    let (_, data) = place.ok("tags", json!({"tag": "#Moon"})).await;
    assert_eq!(paths(&data, "notes"), ["Tides.md"]);
    let (content, _) = place.ok("tags", json!({"tag": "mo"})).await;
    assert_eq!(content, "No note has the tag `mo`.");
}

#[tokio::test]
async fn create_note_makes_a_note_once() {
    let mut place = TestVault::new();
    let arguments = json!({"title": "Moon: an index?", "folder": "Indexes", "content": "- [[Tides]]\n- [[Craters]]",
                           "tags": "#index, moon", "frontmatter": {"status": "new"}});
    let (content, data) = place.ok("create_note", arguments.clone()).await;
    let path = data["path"].as_str().unwrap().to_owned();
    assert_eq!(path, "Indexes/Moon an index.md");
    assert_parts(&content, &["Created `Indexes/Moon an index.md`", "Its name differs from the title", "`Craters`"]);
    assert_eq!(data["broken_links"], json!(["Craters"]));
    let text = place.text(&path).unwrap();
    assert!(text.starts_with("---\n") && text.ends_with("---\n- [[Tides]]\n- [[Craters]]\n"), "{text}");
    let note = place.workspace.overlay().expect(&NotePath::parse(&path).unwrap()).unwrap();
    assert_eq!(note.tag_names(), ["index", "moon"]);
    assert_eq!(note.frontmatter().get("status"), Some(&json!("new")));
    let (_, data) = place.ok("backlinks", json!({"path": "Tides"})).await;
    assert!(data["backlinks"].as_array().unwrap().iter().any(|link| link["from"] == *path), "later calls see it");

    let (_, data) = place.ok("create_note", json!({"path": "A/B/c.md"})).await;
    assert_eq!(data["path"], "A/B/c.md");
    let (_, data) = place.ok("create_note", json!({"title": "日誌", "text": "今日"})).await;
    assert_eq!(data["path"], "日誌.md");
    let before = place.workspace.changes();
    for (arguments, parts) in [
        (arguments, vec!["already a note `Indexes/Moon an index.md`"]),
        (json!({"title": "tides"}), vec!["already a note `Tides.md`"]),
        (json!({"title": "x", "folder": "../out"}), vec!["out"]),
        (json!({"title": "/etc/passwd.md"}), vec!["/etc/passwd"]),
        (json!({"title": ".obsidian/x.md"}), vec![".obsidian"]),
        (json!({"content": "x"}), vec!["title", "must be there"]),
        (json!({"title": "x", "contents": "y"}), vec!["contents", "`content`"]),
    ] {
        let error = place.refused("create_note", arguments).await;
        assert_parts(&error, &parts);
    }
    assert_eq!(place.workspace.changes(), before, "what is refused changes nothing");
}

#[tokio::test]
async fn update_note_makes_each_kind_of_edit_and_no_other() {
    let mut place = TestVault::new();
    let whole = NOTES[0].1;
    for (arguments, expected, says) in [
        (
            json!({"operation": "append", "content": "More."}),
            format!("{whole}More.\n"),
            "Added text at the end in `Tides.md`: 16 lines before, 17 after.",
        ),
        (
            json!({"mode": "Prepend", "text": "First."}),
            whole.replace("---\n# Tides", "---\nFirst.\n# Tides"),
            "Added text at the start",
        ),
        (
            json!({"section": "Sources", "content": "A new one: [[Atlas]]."}),
            whole.replace("An old almanac.", "A new one: [[Atlas]]."),
            "Links that lead nowhere: `Atlas`.",
        ),
        (
            json!({"old_string": "the moon", "new_string": "the sun"}),
            whole.replace("the moon", "the sun"),
            "Replaced text in 1 place",
        ),
        (
            json!({"operation": "frontmatter", "frontmatter": {"status": "done", "tags": null}}),
            whole.replace("tags: [sea, moon/phases]\n", "").replace("draft", "done"),
            "Set the frontmatter keys `status`, `tags`",
        ),
    ] {
        let mut place = TestVault::new();
        let mut arguments = arguments;
        arguments["path"] = "Tides".into();
        let (content, data) = place.ok("update_note", arguments.clone()).await;
        assert_eq!(place.text("Tides.md").unwrap(), expected, "{arguments}");
        assert_parts(&content, &[says]);
        assert_eq!((&data["changed"], data["hash"] == data["before"]), (&json!(true), false));
    }
    for (arguments, parts) in [
        (json!({"path": "Tides"}), vec!["`content` must be there", "`append`", "`replace`"]),
        (json!({"path": "Tides", "operation": "replace", "content": "x"}), vec!["`old_text` must be there"]),
        (json!({"path": "Tides", "operation": "rewrite", "content": "x"}), vec!["`/operation`", "append", "section"]),
        (json!({"path": "Tides", "old_text": "absent", "content": "x"}), vec!["0 times", "1 expected"]),
        (json!({"path": "Tides", "old_text": "ides", "content": "x", "expected_count": 1}), vec!["2 times", "lines"]),
        (json!({"path": "Tides", "section": "Nope", "content": "x"}), vec!["no heading `Nope`", "`Sources`"]),
        (json!({"path": "Absent", "content": "x"}), vec!["no note `Absent.md`"]),
        (json!({"path": "Tides", "operation": "frontmatter"}), vec!["`frontmatter` must be there"]),
    ] {
        let error = place.refused("update_note", arguments).await;
        assert_parts(&error, &parts);
    }
    assert!(place.workspace.changes().is_empty());
    let (content, data) =
        place.ok("update_note", json!({"path": "Tides", "old_text": "moon. ", "content": "moon. "})).await;
    assert_eq!(
        (content.as_str(), &data["changed"]),
        ("`Tides.md` is as it was: the edit changes nothing.", &json!(false))
    );
    assert!(place.workspace.changes().is_empty());
}

#[tokio::test]
async fn a_note_that_changed_since_it_was_read_is_not_changed_blindly() {
    let mut place = TestVault::new();
    place.ok("read_note", json!({"path": "Tides"})).await;
    place.write("Tides.md", "# Tides\n\nSomebody else was here, and wrote a longer text.\n");
    for name in ["update_note", "delete_note", "move_note"] {
        let arguments = match name {
            "update_note" => json!({"path": "Tides", "content": "x"}),
            "move_note" => json!({"path": "Tides", "to": "Ebb"}),
            _ => json!({"path": "Tides"}),
        };
        let error = place.refused(name, arguments).await;
        assert_parts(&error, &["`Tides.md` changed since it was read", "read it again"]);
    }
    place.ok("read_note", json!({"path": "Tides"})).await;
    place.ok("update_note", json!({"path": "Tides", "content": "And me."})).await;
    place.ok("update_note", json!({"path": "Tides", "content": "And me again."})).await;
    assert!(place.text("Tides.md").unwrap().ends_with("And me.\nAnd me again.\n"));
    place.ok("update_note", json!({"path": "Lisbon", "content": "Never read."})).await;
}

#[tokio::test]
async fn move_note_rewrites_every_link() {
    let mut place = TestVault::new();
    let (content, data) = place.ok("move_note", json!({"from": "Lisbon", "new_name": "Lisboa"})).await;
    assert_parts(
        &content,
        &["Moved `Harbours/Lisbon.md` to `Harbours/Lisboa.md`.", "2 links were rewritten in 2 notes"],
    );
    assert_eq!((&data["path"], &data["links"]), (&json!("Harbours/Lisboa.md"), &json!(2)));
    assert!(place.text("Tides.md").unwrap().contains("See [[Lisboa]] and"));
    assert_eq!(place.text("Diary/2025/Lisbon trip.md").unwrap(), "We saw [[Lisboa]] and the tide.\n");
    for (to, expected) in
        [("Cities/", "Cities/Lisboa.md"), ("/Lisboa", "Lisboa.md"), ("A/B", "A/B.md"), ("Harbours/", "Harbours/B.md")]
    {
        let from = data_path(&place, "Lisbo");
        let from = from.unwrap_or_else(|| "A/B.md".to_owned());
        let (_, data) = place.ok("move_note", json!({"path": from, "to": to})).await;
        assert_eq!(data["path"], expected, "{to}");
    }
    for (arguments, parts) in [
        (json!({"path": "Tides", "to": "Harbours/Porto.md"}), vec!["already a note `Harbours/Porto.md`"]),
        (json!({"path": "Tides", "to": "Tides"}), vec!["already there"]),
        (json!({"path": "Tides", "to": "../Tides"}), vec!["../Tides"]),
        (json!({"path": "Tides", "to": "a:b"}), vec!["a:b"]),
        (json!({"path": "Nowhere/", "to": "x"}), vec!["`Nowhere/`"]),
    ] {
        let error = place.refused("move_note", arguments).await;
        assert_parts(&error, &parts);
    }
}

/// The path of the one note whose name begins so.
fn data_path(place: &TestVault, beginning: &str) -> Option<String> {
    let paths = place.workspace.overlay().paths();
    paths.iter().find(|path| path.name().starts_with(beginning) && path.name().len() < 8).map(ToString::to_string)
}

#[tokio::test]
async fn delete_note_is_for_the_trash_and_says_what_dangles() {
    let mut place = TestVault::new();
    let (content, data) = place.ok("delete_note", json!({"path": "Lisbon"})).await;
    assert_parts(&content, &["goes to the trash", "2 notes link to it", "`Tides.md`"]);
    assert_eq!(data["linked_from"], json!(["Diary/2025/Lisbon trip.md", "Tides.md"]));
    assert_eq!(place.text("Harbours/Lisbon.md"), None);
    assert!(place.disk().contains_key("Harbours/Lisbon.md"));
    let error = place.refused("delete_note", json!({"path": "Harbours/Lisbon"})).await;
    assert_parts(&error, &["no note"]);
    let held = registry(&place.workspace, Risk::Write).unwrap();
    let call = ToolCall { id: "1".into(), name: "delete_note".into(), arguments: json!({"path": "Tides"}) };
    let outcome = held.call(&call, &mut FailedCalls::new()).await;
    assert_parts(&outcome.content(), &["`delete_note` is destructive"]);
    assert!(place.text("Tides.md").is_some());
}

#[tokio::test]
async fn a_call_that_is_stopped_has_changed_nothing() {
    let mut place = TestVault::new();
    let tools = registry(&place.workspace, Risk::Write).unwrap();
    for (name, arguments) in [
        ("create_note", json!({"title": "Late"})),
        ("update_note", json!({"path": "Tides", "content": "late"})),
        ("move_note", json!({"path": "Tides", "to": "Late"})),
    ] {
        let call = ToolCall { id: "1".into(), name: name.into(), arguments };
        loop {
            let mut repeats = FailedCalls::new();
            let mut stopped = Box::pin(tools.call(&call, &mut repeats));
            if futures::poll!(stopped.as_mut()).is_pending() {
                break;
            }
            // It was done before it could be stopped.
            place.workspace.reset(Changes::default());
        }
    }
    // The work of the stopped calls may go on for a while; it goes nowhere.
    place.ok("create_note", json!({"title": "Currents"})).await;
    let changes = place.workspace.changes();
    assert_eq!(changes.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["Currents.md"]);
}

#[tokio::test]
async fn what_the_program_edits_is_seen_and_can_be_taken_back() {
    let mut place = TestVault::new();
    place.ok("create_note", json!({"title": "Currents", "content": "Warm."})).await;
    let kept = place.workspace.changes();
    let currents = NotePath::parse("Currents.md").unwrap();
    place.workspace.edit(|overlay| overlay.append(&currents, "See [[Tides]].")).unwrap();
    let (content, _) = place.ok("backlinks", json!({"path": "Tides"})).await;
    assert_parts(&content, &["`Currents.md` (line 2)"]);
    place.workspace.edit(|overlay| overlay.create(&currents, "again")).unwrap_err();
    place.workspace.reset(kept.clone());
    assert_eq!(place.workspace.changes(), kept);
    assert_eq!(place.text("Currents.md").as_deref(), Some("Warm.\n"));
}

#[tokio::test]
async fn the_changes_of_a_bench_go_on_at_another() {
    let mut place = TestVault::new();
    place.ok("create_note", json!({"title": "Currents", "content": "Warm."})).await;
    let changes = serde_json::to_value(place.workspace.changes()).unwrap();
    let again = Workspace::new(Arc::clone(place.workspace.index()), serde_json::from_value(changes).unwrap())
        .having_read(place.workspace.read());
    assert_eq!(again.changes(), place.workspace.changes());
    place.workspace = again;
    let (_, data) = place.ok("search_notes", json!({"query": "currents"})).await;
    assert_eq!(paths(&data, "found"), ["Currents.md"]);
}
