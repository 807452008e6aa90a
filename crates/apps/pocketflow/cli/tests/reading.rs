//! A reply that approves and changes in one sentence, through `say`, with a scripted model.

use serde_json::json;

use crate::support::{TestDir, WAITING, said};

#[test]
fn ok_drop_the_third_one_takes_out_the_third_and_asks() {
    let dir = TestDir::new();
    let query = |text: &str| json!({ "text": text, "rationale": "it is asked", "aspect": "tides" });
    let queries = [query("spring tides"), query("neap tides"), query("tides in verse")];
    let rule = json!({ "when": "You plan literature searches", "json": { "queries": queries } });
    let others = std::fs::read_to_string(dir.path("model.jsonl")).unwrap();
    std::fs::write(dir.path("three.jsonl"), format!("{rule}\n{others}")).unwrap();
    let say = |message: &str| {
        said(&dir.run(&["say", "c1", message, "--model", "scripted:three.jsonl", "--corpus", "papers"]), WAITING)
    };
    assert!(say("tides").contains("3. tides in verse"));
    let asked = say("ok, drop the third one");
    assert!(asked.contains("I take this as: take out number 3. Is that right?"), "{asked}");
    assert!(dir.session()["artifacts"]["review"].is_null(), "nothing is searched");
    let shown = say("yes");
    assert!(shown.contains("2. neap tides") && !shown.contains("verse"), "{shown}");
    assert!(dir.session()["artifacts"]["review"].is_null(), "nothing is searched before the rest is approved");
    assert!(say("yes").contains("# Tides in the long run"));
    let called = &dir.session()["params"]["do-literature-review"]["queries"];
    assert_eq!(called, &json!(["spring tides", "neap tides"]), "the third was never searched");
}
