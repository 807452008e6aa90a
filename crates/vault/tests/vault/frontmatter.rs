//! Frontmatter: read as YAML, edited key by key without touching another byte.

use graphloom_vault::{Note, Notes, VaultError};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{TestVault, path};

/// Sets a key (or removes it) in the frontmatter between fences, and gives what is there then.
fn edit(yaml: &str, key: &str, value: Option<Value>) -> Result<String, VaultError> {
    let place = TestVault::new(&[("N.md", &format!("---\n{yaml}---\nbody\n"))]);
    let mut overlay = place.overlay();
    match value {
        Some(value) => overlay.set_frontmatter(&path("N.md"), key, value)?,
        None => {
            overlay.remove_frontmatter(&path("N.md"), key)?;
        }
    }
    Ok(overlay.expect(&path("N.md"))?.text().to_owned())
}

const YAML: &str = "# about this note\ntitle: 'Don''t  panic' # quoted\n\ntags:\n- one # first\n- \"two\"\n\
                    nested:\n    deep: {a: 1,  b: [x,y]}\nbase: &base\n  k: v\nuse: *base\ntext: |\n  # not a comment\n  line\n\n\
                    folded: >-\n  a\n  b\nempty:\nflow: [ a , b ]\n\"quoted key\": yes\ndate: 2024-01-02\n日本: 語\n# the end\n";

#[test]
fn reads_all_shapes_of_values() {
    let note = Note::parse(path("N.md"), format!("---\n{YAML}---\n"));
    assert_eq!(note.frontmatter().problem(), None);
    assert_eq!(
        Value::Object(note.frontmatter().to_map()),
        json!({
            "title": "Don't  panic", "tags": ["one", "two"], "nested": {"deep": {"a": 1, "b": ["x", "y"]}},
            "base": {"k": "v"}, "use": {"k": "v"}, "text": "# not a comment\nline\n", "folded": "a b", "empty": null,
            "flow": ["a", "b"], "quoted key": "yes", "date": "2024-01-02", "日本": "語"
        })
    );
    let keys: Vec<&str> = note.frontmatter().iter().map(|(key, _)| key).collect();
    assert_eq!(keys[..3], ["title", "tags", "nested"]);
}

#[test]
fn only_the_lines_of_the_key_change() {
    for (key, value, old, new) in [
        ("title", json!("New"), "title: 'Don''t  panic' # quoted\n", "title: New # quoted\n"),
        ("tags", json!(["x", "y z"]), "tags:\n- one # first\n- \"two\"\n", "tags:\n- x\n- y z\n"),
        ("nested", json!(7), "nested:\n    deep: {a: 1,  b: [x,y]}\n", "nested: 7\n"),
        ("text", json!("one"), "text: |\n  # not a comment\n  line\n", "text: one\n"),
        ("text", json!("two\nlines"), "text: |\n  # not a comment\n  line\n", "text: \"two\\nlines\"\n"),
        ("folded", json!(["a"]), "folded: >-\n  a\n  b\n", "folded:\n  - a\n"),
        ("empty", json!(true), "empty:\n", "empty: true\n"),
        ("empty", json!(["[[Note]]"]), "empty:\n", "empty:\n  - \"[[Note]]\"\n"),
        ("flow", json!(["a, b", "c"]), "flow: [ a , b ]\n", "flow: [\"a, b\", c]\n"),
        ("quoted key", json!("no"), "\"quoted key\": yes\n", "\"quoted key\": \"no\"\n"),
        ("date", json!("2025-12-31"), "date: 2024-01-02\n", "date: 2025-12-31\n"),
        ("日本", json!("語: 二"), "日本: 語\n", "日本: \"語: 二\"\n"),
        ("use", json!("own"), "use: *base\n", "use: own\n"),
        ("new", json!("1"), "# the end\n", "# the end\nnew: \"1\"\n"),
        ("new", json!({"a": {"b": [1, 2]}}), "# the end\n", "# the end\nnew:\n  a:\n    b:\n      - 1\n      - 2\n"),
    ] {
        assert!(YAML.contains(old), "{old}");
        let expected = format!("---\n{}---\nbody\n", YAML.replacen(old, new, 1));
        assert_eq!(edit(YAML, key, Some(value)).unwrap(), expected, "{key}");
    }
}

#[test]
fn removing_takes_the_lines_of_the_key() {
    for (key, gone) in [
        ("title", "title: 'Don''t  panic' # quoted\n"),
        ("tags", "tags:\n- one # first\n- \"two\"\n"),
        ("use", "use: *base\n"),
        ("folded", "folded: >-\n  a\n  b\n"),
        ("empty", "empty:\n"),
        ("absent", ""),
    ] {
        let expected = format!("---\n{}---\nbody\n", YAML.replacen(gone, "", 1));
        assert_eq!(edit(YAML, key, None).unwrap(), expected, "{key}");
    }
    assert_eq!(edit("only: 1\n", "only", None).unwrap(), "body\n");
    assert_eq!(edit("# kept\nonly: 1\n", "only", None).unwrap(), "---\n# kept\n---\nbody\n");
}

#[test]
fn a_key_that_another_needs_is_refused() {
    for value in [None, Some(json!("x"))] {
        let error = edit(YAML, "base", value).unwrap_err();
        assert!(matches!(error, VaultError::IllegalEdit { .. }), "{error}");
    }
}

#[test]
fn broken_yaml_reads_as_nothing_and_is_never_edited() {
    for (yaml, line) in [
        ("a: 1\nb: [1\n", 3),
        ("a: 1\n  b: 2\n", 3),
        ("a: 1\na: 2\n", 3),
        ("- a\n- b\n", 2),
        ("just text\n", 2),
        ("a: *nowhere\n", 2),
        ("{a: 1}\n", 2),
        ("a: \"open\n", 2),
        ("\t- a: b\n\tc: d\n", 2),
    ] {
        let text = format!("---\n{yaml}---\n[[Link]]\n");
        let note = Note::parse(path("N.md"), text.clone());
        let problem =
            note.frontmatter().problem().unwrap_or_else(|| panic!("{yaml:?} was read: {:?}", note.frontmatter()));
        assert!(problem.line.abs_diff(line) <= 1, "{yaml:?}: {problem:?}");
        assert!(note.frontmatter().is_empty() && note.frontmatter().is_present());
        assert_eq!(note.links().len(), 1);
        for value in [None, Some(json!(1))] {
            assert!(matches!(edit(yaml, "a", value), Err(VaultError::BrokenFrontmatter { .. })), "{yaml:?}");
        }
    }
}

#[test]
fn too_much_yaml_is_a_problem_and_no_harm() {
    let bomb: String = (0..12)
        .map(|n| {
            format!(
                "k{n}: &a{n} [{}]\n",
                if n == 0 { "x".to_owned() } else { vec![format!("*a{}", n - 1); 10].join(",") }
            )
        })
        .collect();
    for yaml in [bomb, format!("k: {}\n", "[".repeat(5000)), format!("k: {}\n", "x".repeat(400_000))] {
        let note = Note::parse(path("N.md"), format!("---\n{yaml}---\n"));
        assert!(note.frontmatter().problem().is_some());
    }
}

#[test]
fn line_breaks_and_byte_order_mark_are_kept() {
    let place = TestVault::new(&[("N.md", "\u{feff}---\r\na: 1 # c\r\nlist:\r\n  - x\r\n---\r\nbody")]);
    let mut overlay = place.overlay();
    let note = path("N.md");
    overlay.set_frontmatter(&note, "a", json!(2)).unwrap();
    overlay.set_frontmatter(&note, "list", json!(["one", "two"])).unwrap();
    overlay.set_frontmatter(&note, "b", json!("new")).unwrap();
    assert_eq!(
        overlay.expect(&note).unwrap().text(),
        "\u{feff}---\r\na: 2 # c\r\nlist:\r\n  - one\r\n  - two\r\nb: new\r\n---\r\nbody"
    );
}

#[test]
fn a_note_without_frontmatter_gets_one_and_loses_it_again() {
    for text in ["body\n", "", "\u{feff}body", "---\nno end", "a\r\nb\r\n"] {
        let place = TestVault::new(&[("N.md", text)]);
        let mut overlay = place.overlay();
        overlay.set_frontmatter(&path("N.md"), "a", json!([1])).unwrap();
        let note = overlay.expect(&path("N.md")).unwrap();
        assert_eq!(note.frontmatter().get("a"), Some(&json!([1])), "{text:?}");
        assert!(overlay.remove_frontmatter(&path("N.md"), "a").unwrap());
        assert!(overlay.changes().is_empty(), "{text:?}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        (-1e6..1e6).prop_map(|n: f64| json!(n)),
        "[ -~]{0,12}".prop_map(Value::String),
        "[a-z:# \\[\\]'\"\\-\n日\t]{0,10}".prop_map(Value::String),
        ".{0,6}".prop_map(Value::String),
        proptest::sample::select(vec![
            "true", "null", "~", "1e3", "0x10", "- a", "a: b", "a #b", "---", "...", "*a", "&a", "!t", "%x", "@", "`",
            ":", "-", "?",
        ])
        .prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec(("[a-z: ]{1,5}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_set_is_read_again(value in value(), key in "[a-z][a-z: #\\-]{0,8}[a-z]") {
        for start in ["body\n", "---\nother: [1, 2] # c\n---\n"] {
            let place = TestVault::new(&[("N.md", start)]);
            let mut overlay = place.overlay();
            overlay.set_frontmatter(&path("N.md"), &key, value.clone()).unwrap();
            let note = overlay.expect(&path("N.md")).unwrap();
            let read = note.frontmatter().get(&key).unwrap();
            prop_assert_eq!(read, &value, "{}", note.text());
            prop_assert!(overlay.remove_frontmatter(&path("N.md"), &key).unwrap());
            prop_assert!(overlay.changes().is_empty());
        }
    }

    #[test]
    fn no_text_makes_reading_fail(yaml in "[a-c:\\-#&*!|>'\"%@`{}\\[\\], \n\t\r日]{0,60}") {
        let text = format!("---\n{yaml}\n---\n{yaml}");
        let note = Note::parse(path("N.md"), text.clone());
        prop_assert_eq!(note.text(), text.as_str());
        for link in note.links() {
            prop_assert!(text.get(link.span.clone()).is_some());
        }
    }

    #[test]
    fn an_edit_is_whole_or_refused(yaml in "([ab]: ?[\\[{'\"&*|]?[xy, ]{0,4}[\\]}'\"]?( #c)?\n( {1,2}-? ?z\n)?){1,3}") {
        let before = format!("---\n{yaml}---\nbody\n");
        let note = Note::parse(path("N.md"), before.clone());
        match edit(&yaml, "a", Some(json!("new"))) {
            Ok(after) => {
                let edited = Note::parse(path("N.md"), after.clone());
                prop_assert_eq!(edited.frontmatter().get("a"), Some(&json!("new")));
                prop_assert_eq!(edited.frontmatter().get("b"), note.frontmatter().get("b"), "{:?} → {:?}", before, after);
                prop_assert_eq!(edited.body(), note.body());
            }
            Err(VaultError::BrokenFrontmatter { .. }) => prop_assert!(note.frontmatter().problem().is_some()),
            Err(VaultError::IllegalEdit { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
