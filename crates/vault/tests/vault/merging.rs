//! What a merge does with two frontmatters: every value, comment and form is there afterwards, or is told.

use std::collections::BTreeMap;

use graphloom_test_support::draws;
use graphloom_vault::{Note, Notes};
use proptest::prelude::*;

use super::{TestVault, path};

/// The text of `A.md` after `B.md` was merged into it, and what is told.
#[track_caller]
fn merged(into: &str, from: &str) -> (String, Vec<String>) {
    let place = TestVault::new(&[("A.md", into), ("B.md", from)]);
    let mut overlay = place.overlay();
    let merged = overlay.merge(&path("B.md"), &path("A.md")).unwrap();
    (overlay.expect(&path("A.md")).unwrap().text().to_owned(), merged.told)
}

/// The YAML after the YAML of another note came into it.
#[track_caller]
fn joined(into: &str, from: &str) -> (String, Vec<String>) {
    let (text, told) = merged(&format!("---\n{into}---\na\n"), &format!("---\n{from}---\nb\n"));
    let yaml = text.strip_prefix("---\n").and_then(|rest| rest.strip_suffix("---\na\nb\n"));
    (yaml.unwrap_or_else(|| panic!("{text}")).to_owned(), told)
}

const FORMS: &str = "# of the other\nisbn: 0012345678\nver: 1.10\nzip: 00501 # leading\nplus: +49\nhex: 0x1F\nexp: 1e3\n\
    date: 2024-01-02\nsingle: 'it''s'\ndouble: \"a\\tb\"\nplain: two\n  rows\n# about texts\nkeeps: |+\n  a\n   b\n\nfolded: >-\n  \
    a\n  b\nflow: [ a , 0012, 'x' ] # c\nmap: {a: 1.10,  b: [x]}\nbase: &base\n  k: 0x10\nuse: *base\nlist:\n- one # first\n\
    - 1.10\nempty:\nnull: ~\n\"quoted key\": yes\n日本: 語\n# the end\n";

#[test]
fn keys_come_over_as_the_lines_they_are() {
    let (yaml, told) = joined("a: 1 # mine\n", FORMS);
    // Rows without anything stay behind, but for those of a text that keeps them.
    assert_eq!((yaml, told), (format!("a: 1 # mine\n{FORMS}"), vec![]));
    // A note without any takes the whole.
    let (text, told) = merged("a\n", &format!("---\n{FORMS}\n---\nb\n"));
    assert_eq!((text, told), (format!("---\n{FORMS}\n---\na\nb\n"), vec![]));
    let (text, _) = merged("\u{feff}---\r\na: 1\r\n---\r\nx\r\n", "---\nb: 0x1F # c\nc: |\n  t\n---\ny\n");
    assert_eq!(text, "\u{feff}---\r\na: 1\r\nb: 0x1F # c\r\nc: |\r\n  t\r\n---\r\nx\r\ny\r\n");
}

#[test]
fn lists_are_joined_as_their_items_are_written() {
    for (into, from, expected) in [
        ("l: [a, b] # mine\n", "l: [b, 0012, 'q']\n", "l: [a, b, 0012, 'q'] # mine\n"),
        ("l: [a]\n", "l: # all\n  - \"d, e\" # one\n  - x, y\n", "l: [a, \"d, e\", \"x, y\"]\n# all\n# one\n"),
        (
            "l:\n  - a # first\nz: 1\n",
            "l:\n- a # same\n- 1.10 # two\n",
            "l:\n  - a # first\n  - 1.10 # two\n  # same\nz: 1\n",
        ),
        ("l:\n- a\n", "l: [ 'b' , +49 ] # c\n", "l:\n- a\n- 'b'\n- +49\n# c\n"),
        ("l:\n  - k: 1\n", "l:\n    - k: 1.10 # n\n      m: 0x1F\n", "l:\n  - k: 1\n  - k: 1.10 # n\n    m: 0x1F\n"),
        ("l: []\n", "l:\n  - a\n", "l: [a]\n"),
        ("l: [\n  a, # c\n  b # d\n  ]\n", "l: [e]\n", "l: [\n  a, # c\n  b, e # d\n  ]\n"),
        ("l:\n  - a\n", "l: 0012\n", "l:\n  - a\n  - 0012\n"),
        ("l: [1.1]\n", "l: [1.10]\n", "l: [1.1, 1.10]\n"),
        ("tags: sea # mine\n", "tags:\n  - land\n", "tags: [sea, land] # mine\n"),
        ("tags: [sea]\n", "tags: land, air\n", "tags: [sea, land, air]\n"),
        ("aliases:\n  - One\n", "aliases: Two words\n", "aliases:\n  - One\n  - Two words\n"),
        ("l:\n  - a\n", "# above\nl:\n  - a\n", "l:\n  - a\n# above\n"),
        ("status: # to do\nz: 1\n", "status: 00 # done\n", "# to do\nstatus: 00 # done\nz: 1\n"),
        ("status: x\n", "status: # later\n", "status: x\n# later\n"),
    ] {
        assert_eq!(joined(into, from), (expected.to_owned(), vec![]), "{into:?} and {from:?}");
    }
}

#[test]
fn what_cannot_be_joined_is_told_with_its_lines() {
    for (into, from, yaml, told) in [
        (
            "status: new # mine\n",
            "# why\nstatus: old # was\n",
            "status: new # mine\n# why\n",
            "both notes have the key `status`; the value of `A.md` stays, and that of `B.md` is left out: `status: old # was`",
        ),
        ("v: 1.1\n", "v: 1.10\n", "v: 1.1\n", "left out: `v: 1.10`"),
        ("v: [a]\n", "v: {k: 00}\n", "v: [a]\n", "left out: `v: {k: 00}`"),
        ("v: ~\n", "v: x\n", "v: ~\n", "left out: `v: x`"),
        ("t: a\n", "t: |\n  one\n  two\n", "t: a\n", "left out: `t: |\n  one\n  two`"),
        ("base: 1\n", "base: &b 2\nuse: *b\n", "base: 1\n", "left out: `use: *b`"),
        (
            "a: [\n",
            "b: 0x1F\n",
            "a: [\n",
            "the frontmatter of `A.md` is broken at line 3, so that of `B.md` is left out: `b: 0x1F`",
        ),
        ("a: 1\n", "b: [\n", "a: 1\n", "the frontmatter of `B.md` is broken at line 3 and is left out: `b: [`"),
    ] {
        let (after, lines) = joined(into, from);
        assert_eq!(after, yaml);
        assert!(lines.iter().any(|line| line.contains(told)), "{lines:?}");
    }
    let (text, told) =
        merged("x[^1] [a][r]\n\n[^1]: one\n[r]: https://a.b\n", "y[^1]\n\n[^1]: two\n[r]: https://c.d\n[s]: x\n");
    assert!(text.ends_with("y[^1]\n\n[^1]: two\n[r]: https://c.d\n[s]: x\n"), "{text}");
    assert_eq!(
        told,
        [
            "`[^1]` is defined in both notes; give one of them another label",
            "`[r]` is defined in both notes; give one of them another label"
        ]
    );
}

#[test]
fn a_link_of_two_rows_comes_over_with_the_breaks_of_the_other_note() {
    let (text, told) = merged("a\n", "[one\r\ntwo](B.md) [[B]]\r\n");
    assert_eq!((text.as_str(), told.len()), ("a\n[one\ntwo](A.md) [[A]]\n", 0));
}

/// How a value is written behind the colon of a key, with `COMMENT` where a comment may stand.
const VALUES: &[&str] = &[
    " 0012345678 COMMENT",
    " 1.10",
    " 00501 COMMENT",
    " +49",
    " 0x1F COMMENT",
    " 1e3",
    " 2024-01-02",
    " 2024-01-02T10:00:00Z COMMENT",
    " 'it''s # no comment' COMMENT",
    " \"a\\tb: \\\"c\\\"\"",
    " plain text COMMENT",
    " two\n  rows of text",
    " |\n  a\n   # text\n  b",
    " |-\n  a",
    " |+\n  keeps\n\n",
    " >-\n  folded\n  text",
    " >\n  folded\n\n  more",
    " {a: 1.10, b: [x, 'y']} COMMENT",
    "",
    " COMMENT",
    " ~",
    " yes",
    " No",
    " \"[[Old#`x`|$y$]]\"",
    "\n  deep: COMMENT\n    deeper: 0o17\n  list:\n    - 1.10 COMMENT\n    - k: +1",
    " !!str 12",
    " '日本'",
    " -0",
    " .5 COMMENT",
    " 1_000",
    " 12:30:45",
    " # COMMENT",
];

/// How the items of a list are written. No two have the same value.
const ITEMS: &[&str] =
    &["a", "0012", "1.10", "1.1", "'q'", "\"d, e\"", "x y", "+49", "0x1F", "2024-01-02", "[n, 00]", "日本"];

const KEYS: &[&str] = &["one", "two words", "\"three: 3\"", "four", "'five'", "日本", "tags", "related"];

#[derive(Clone, Debug)]
enum Form {
    Value(&'static str),
    /// A list in brackets, or one of rows with this indent; where a comment stands.
    List {
        items: Vec<&'static str>,
        rows: Option<usize>,
        commented: usize,
    },
}

/// The lines of keys with a comment before some of them, and all comments.
#[derive(Clone, Debug)]
struct Front {
    keys: Vec<(&'static str, Form, String)>,
    comments: Vec<String>,
    text: String,
}

fn form() -> impl Strategy<Value = Form> {
    let items = proptest::sample::subsequence(ITEMS, 0..5).prop_shuffle();
    let list = (items, proptest::option::of(0..4_usize), 0..6_usize);
    prop_oneof![
        2 => proptest::sample::select(VALUES).prop_map(Form::Value),
        1 => list.prop_map(|(items, rows, commented)| Form::List { rows: rows.filter(|_| !items.is_empty()), items, commented }),
    ]
}

fn front(name: &'static str) -> impl Strategy<Value = Front> {
    let keys = proptest::sample::subsequence(KEYS, 0..KEYS.len()).prop_shuffle();
    keys.prop_flat_map(move |keys| {
        let forms = proptest::collection::vec((form(), any::<bool>()), keys.len());
        (Just(keys), forms, any::<bool>()).prop_map(move |(keys, forms, last)| {
            let mut made = Front { keys: Vec::new(), comments: Vec::new(), text: String::new() };
            for (key, (form, commented)) in keys.into_iter().zip(forms) {
                if commented {
                    let comment = made.comment(name);
                    made.text.push_str(&format!("{comment}\n"));
                }
                let mut lines = match &form {
                    Form::Value(value) => format!("{key}:{value}\n"),
                    Form::List { items, rows: None, .. } => format!("{key}: [{}] COMMENT\n", items.join(", ")),
                    Form::List { items, rows: Some(indent), commented } => {
                        let rows = items.iter().enumerate().map(|(at, item)| {
                            let comment = if at == *commented { " COMMENT" } else { "" };
                            format!("{}- {item}{comment}\n", " ".repeat(*indent))
                        });
                        format!("{key}:{}\n{}", if *commented == 5 { " COMMENT" } else { "" }, rows.collect::<String>())
                    }
                };
                while lines.contains("COMMENT") {
                    let comment = made.comment(name);
                    lines = lines.replacen("# COMMENT", "COMMENT", 1).replacen("COMMENT", &comment, 1);
                }
                made.text.push_str(&lines);
                made.keys.push((key, form, lines));
            }
            if last {
                let comment = made.comment(name);
                made.text.push_str(&format!("{comment}\n"));
            }
            made
        })
    })
}

impl Front {
    fn comment(&mut self, name: &str) -> String {
        self.comments.push(format!("# {name}'s [[Old]] {}", self.comments.len()));
        self.comments[self.comments.len() - 1].clone()
    }

    fn get(&self, key: &str) -> Option<&(&'static str, Form, String)> {
        self.keys.iter().find(|(known, ..)| *known == key)
    }
}

/// The value of the lines of one key, read alone.
fn value_of(lines: &str) -> serde_json::Value {
    let note = Note::parse(path("N.md"), format!("---\n{lines}---\n"));
    assert_eq!(note.frontmatter().problem(), None, "{lines}");
    let value = note.frontmatter().iter().next().map(|(_, value)| value.clone());
    value.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_frontmatters_are_joined_without_a_loss(home in front("mine"), source in front("other"), breaks in any::<bool>()) {
        let ends = |text: String| if breaks { text.replace('\n', "\r\n") } else { text };
        let into = ends(format!("---\n{}---\nbody of a\n", home.text));
        let (text, told) = merged(&into, &format!("---\n{}---\nbody of b\n", source.text));
        let after = Note::parse(path("A.md"), text.as_str());
        prop_assert_eq!(after.frontmatter().problem(), None, "{}", text);
        prop_assert!(text.ends_with(&ends("---\nbody of a\nbody of b\n".to_owned())), "{}", text);
        prop_assert_eq!(text.matches("\r\n").count() > 0, breaks);
        let text = text.replace("\r\n", "\n");
        let told = told.join("\n");

        // No comment is lost, and each is there once.
        for comment in home.comments.iter().chain(&source.comments) {
            let ends_so = |text: &str| text.lines().filter(|row| row.trim_end_matches('`').ends_with(comment.as_str())).count();
            prop_assert_eq!(ends_so(&text) + ends_so(&told), 1, "{}\n{}\n{}", comment, text, told);
        }
        let values: BTreeMap<String, serde_json::Value> =
            after.frontmatter().iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        let value_at = |key: &str| values.get(key.trim_matches(['"', '\''])).cloned();
        let bare = |lines: &str| lines.split(" # ").next().unwrap_or_default().trim_end().to_owned();
        let is_empty = |lines: &str, key: &str| lines.lines().count() == 1 && bare(lines) == format!("{key}:");
        let raw = |lines: &str, key: &str| bare(lines)[key.len() + 1..].trim().to_owned();
        for (key, form, lines) in &home.keys {
            let other = source.get(key);
            match (form, other) {
                (Form::List { items, .. }, Some((_, Form::List { items: more, .. }, _))) => {
                    let all: Vec<&str> = items.iter().chain(more.iter().filter(|item| !items.contains(item))).copied().collect();
                    let expected = value_of(&format!("{key}: [{}]\n", all.join(", ")));
                    let found = value_at(key);
                    prop_assert_eq!(found, Some(expected), "{}", text);
                    for item in all {
                        prop_assert!(text.contains(item), "{} in {}", item, text);
                    }
                }
                // An empty key takes the lines of the other.
                (Form::Value(_), Some((_, _, others))) if is_empty(lines, key) && !is_empty(others, key) => {
                    prop_assert!(text.contains(others.as_str()), "{:?} in {}", others, text);
                    prop_assert_eq!(value_at(key), Some(value_of(others)));
                }
                (Form::List { .. }, Some((_, Form::Value(_), others))) => {
                    let kept = value_at(key);
                    // The same text in other quotes is the same item.
                    let is_there = lines.contains(&raw(others, key)) || value_of(lines).as_array().is_some_and(|items| {
                        items.iter().any(|item| item.is_string() && *item == value_of(others))
                    });
                    let is_told = is_there || told.contains(others.trim_end());
                    prop_assert!(is_told || is_empty(others, key) || kept != Some(value_of(lines)), "{} {}", text, told);
                }
                (Form::Value(_), Some((_, _, others))) => {
                    prop_assert!(key == &"tags" || text.contains(lines.as_str()), "{:?} in {}", lines, text);
                    let is_same = bare(lines) == bare(others) || is_empty(others, key) || (*key == "tags" && others.contains(&raw(lines, key)));
                    let is_joined = *key == "tags" && value_at(key) != Some(value_of(lines));
                    prop_assert!(is_same || is_joined || told.contains(others.trim_end()), "{:?}: {} {}", others, text, told);
                }
                (_, None) => {
                    prop_assert!(text.contains(lines.as_str()), "{:?} in {}", lines, text);
                    prop_assert_eq!(value_at(key), Some(value_of(lines)));
                }
            }
        }
        for (key, _, lines) in source.keys.iter().filter(|(key, ..)| home.get(key).is_none()) {
            prop_assert!(text.contains(lines.as_str()), "{:?} of {} in {}", lines, key, text);
            prop_assert_eq!(value_at(key), Some(value_of(lines)));
        }
    }
}
