//! The proposal and its references in four forms.

use serde_json::Value;

use crate::support::{DONE, FAILED, TestDir, USAGE, WAITING, said, text};

#[test]
fn the_proposal_and_its_references_in_every_form() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let early = dir.run(&["export", "c1"]);
    said(&early, FAILED);
    assert!(text(&early.stderr).contains("has no proposal yet"), "{}", text(&early.stderr));

    dir.say("approve", WAITING);
    let draft = dir.run(&["export", "c1"]);
    assert!(said(&draft, DONE).starts_with("# Tides in the long run\n\n## Background\n\nMeasured [1]."));
    assert!(text(&draft.stderr).contains("this proposal is not approved"));

    dir.say("approve", DONE);
    let markdown = dir.run(&["export", "c1", "--format", "markdown"]);
    let printed = said(&markdown, DONE);
    assert!(printed.contains("## References\n\n1. On ") && printed.contains("## Sources searched"), "{printed}");
    assert!(!text(&markdown.stderr).contains("not approved"));

    let json: Value = serde_json::from_str(&said(&dir.run(&["export", "c1", "--format", "json"]), DONE)).unwrap();
    assert_eq!((&json["topic"], &json["approved"]), (&"tides".into(), &true.into()));
    assert_eq!(json["queries"][0]["text"], "spring tides");
    assert_eq!(json["searches"][0]["outcome"]["kind"], "found");
    assert_eq!(json["gap"]["gap"], "The long run.");

    let bibtex = said(&dir.run(&["export", "c1", "--format", "bibtex"]), DONE);
    assert!(bibtex.starts_with("@misc{") && bibtex.contains("title = {{On ") && bibtex.contains("papers/"), "{bibtex}");

    let csl: Value = serde_json::from_str(&said(&dir.run(&["export", "c1", "--format", "csl-json"]), DONE)).unwrap();
    assert!(csl[0]["title"].as_str().unwrap().starts_with("On "), "{csl:#}");
    assert_eq!(csl.as_array().unwrap().len(), json["proposal"]["references"].as_array().unwrap().len());
}

#[test]
fn references_name_who_wrote_a_document_and_when() {
    let dir = TestDir::new();
    for name in ["springs.md", "neaps.md"] {
        let path = dir.path("papers").join(name);
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("---\nauthor: Ann Lee\ndate: 2021-03-04\n---\n{before}")).unwrap();
    }
    dir.say("tides", WAITING);
    dir.say("approve", WAITING);
    let markdown = said(&dir.run(&["export", "c1"]), DONE);
    assert!(markdown.contains("1. Ann Lee. On ") && markdown.contains(" tides. 2021. "), "{markdown}");
    let bibtex = said(&dir.run(&["export", "c1", "--format", "bibtex"]), DONE);
    assert!(bibtex.contains("author = {Lee, Ann}") && bibtex.contains("year = {2021}"), "{bibtex}");
}

#[test]
fn files_are_written_where_they_are_wanted() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    dir.say("approve", WAITING);
    dir.say("approve", DONE);
    let listed = said(&dir.run(&["export", "c1", "--out", "out/deep"]), DONE);
    let names = ["proposal.md", "proposal.json", "references.bib", "references.csl.json"];
    for name in names {
        assert!(listed.contains(name), "{listed}");
        assert!(std::fs::read_to_string(dir.path("out/deep").join(name)).unwrap().contains("On "), "{name}");
    }
    said(&dir.run(&["export", "c1", "--out", "one", "--format", "bibtex"]), DONE);
    let written: Vec<_> = std::fs::read_dir(dir.path("one")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(written, ["references.bib"]);
    let refused = dir.run(&["export", "c1", "--out", "model.jsonl"]);
    said(&refused, FAILED);
    assert!(text(&refused.stderr).contains("cannot create the directory `model.jsonl`"), "{}", text(&refused.stderr));
    said(&dir.run(&["export", "c1", "--format", "docx"]), USAGE);
}
