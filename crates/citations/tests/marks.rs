//! Marks that are written lead somewhere, and what is around them stays.

use std::collections::BTreeSet;

use graphloom_citations::{
    Mark, Target, checked_ids, checked_mark, marks, replace_marks, sentences, unresolved, without_marks,
};
use graphloom_test_support::draws;
use proptest::prelude::*;

#[test]
fn what_is_no_mark_is_text() {
    for text in [
        "[citation:]",
        "[citation: a b]",
        "[checked_citation:x]",
        "[citation:1",
        "[[1]](u)",
        "citation:1]",
        "[ citation:é]",
    ] {
        assert_eq!(marks(text), Vec::<Mark>::new(), "{text}");
        assert_eq!(without_marks(text), text);
    }
    let found = marks("a [checked_citation:7] b");
    assert_eq!(found[0].target, Target::Checked { id: 7, number: None, url: None });
    assert_eq!(without_marks("word [citation:1] word[citation:2]."), "word word.");
}

#[test]
fn a_mark_whose_citation_is_gone_is_found() {
    let text = format!("A.{} B.{}", checked_mark(0, 1, "https://a.example"), checked_mark(4, 2, "https://b.example"));
    let lost = unresolved(&text, &BTreeSet::from([0]));
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].1, 4);
    assert_eq!(&text[lost[0].0.clone()], "[checked_citation:4][[2]](https://b.example)");
}

fn sentence() -> impl Strategy<Value = String> {
    // Letters of several scripts, emoji with joiners, combining marks.
    "(\\p{L}|[ ,]|👩‍👩‍👧|e\u{301}|漢|が|🙂){1,20}[.。]"
}

proptest! {
    #[test]
    fn text_outside_marks_is_untouched_and_every_mark_resolves(
        pieces in prop::collection::vec((sentence(), prop::option::of((0_u64..50, "\\PC{0,20}"))), 0..8)
    ) {
        let mut draft = String::new();
        let mut plain = String::new();
        for (index, (text, mark)) in pieces.iter().enumerate() {
            draft.push_str(text);
            plain.push_str(text);
            if mark.is_some() {
                draft.push_str(&format!("[citation:k{index}]"));
            }
        }
        let mut known = BTreeSet::new();
        let mut id = 0;
        let checked = replace_marks(&draft, |mark| {
            let Target::Source(key) = &mark.target else { return None };
            let index: usize = key[1..].parse().ok()?;
            let (number, url) = pieces[index].1.clone()?;
            id += 1;
            known.insert(id);
            Some(checked_mark(id, number, &url))
        });
        prop_assert_eq!(checked_ids(&checked), known.clone());
        prop_assert!(unresolved(&checked, &known).is_empty());
        // Taking the marks away leaves the text byte for byte.
        let mut from = 0;
        let mut left = String::new();
        for mark in marks(&checked) {
            left.push_str(&checked[from..mark.range.start]);
            from = mark.range.end;
        }
        left.push_str(&checked[from..]);
        prop_assert_eq!(left, plain);
        // A mark never makes a sentence of its own.
        for range in sentences(&checked) {
            let own = without_marks(&checked[range]);
            prop_assert!(!own.trim().is_empty() || pieces.iter().any(|(text, _)| text.trim().len() <= 3));
        }
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,80}|(\\[|\\]|\\(|\\)|citation:|checked_citation:|[0-9]){0,40}") {
        for mark in marks(&text) {
            prop_assert!(text.get(mark.range).is_some());
        }
        let _ = without_marks(&text);
        let same = replace_marks(&text, |mark| Some(text[mark.range.clone()].to_owned()));
        prop_assert_eq!(same, text);
    }
}

/// A mark of the sources `keys` in a drawn spelling.
fn spelled(keys: &[u32], (brackets, word, colon, gap, repeats): &Spelling) -> String {
    let (open, close) = brackets;
    let mut text = open.to_string();
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            text.push_str(gap);
        }
        if at == 0 || *repeats {
            text.push_str(word);
            text.push_str(colon);
        }
        let full: String = key
            .to_string()
            .chars()
            .map(|c| char::from_u32(u32::from(c) - 0x30 + 0xff10).expect("a full-width digit"))
            .collect();
        text.push_str(&if gap.contains('，') { full } else { key.to_string() });
    }
    text + close
}

type Spelling = ((&'static str, &'static str), &'static str, &'static str, &'static str, bool);

fn spelling() -> impl Strategy<Value = Spelling> {
    (
        prop::sample::select(vec![
            ("[", "]"),
            ("【", "】"),
            ("［", "］"),
            ("(", ")"),
            ("（", "）"),
            ("\\[", "\\]"),
            ("[[", "]]"),
            ("[ ", " ]"),
        ]),
        prop::sample::select(vec!["citation", "Citation", "CITATION", "citations", "cite"]),
        prop::sample::select(vec![":", ": ", " : ", "：", " "]),
        prop::sample::select(vec![",", ", ", ";", "; ", "，", "、", " ; "]),
        prop::bool::ANY,
    )
}

/// A place for a mark: what stands before and behind it, and whether it is code.
fn place() -> impl Strategy<Value = (&'static str, &'static str, bool)> {
    prop::sample::select(vec![
        ("It is so ", ".", false),
        ("数据库", "。", false),
        ("- It is so", "", false),
        ("> It is **so** ", ", and more", false),
        ("| a ", " | b |\n|---|---|\n| c | d |", false),
        ("`a[0]` ", " and `b`", false),
        ("It costs $5 ", " and $6", false),
        ("`a[0] = ", "`", true),
        ("``x ` ", "``", true),
        ("```py\na[0] = \"", "\"\n```", true),
        ("~~~~\n```\n", "\n~~~~", true),
        ("> ```\n> ", "\n> ```", true),
        ("- ```\n  ", "\n  ```", true),
        ("Before.\n\n    x = ", "", true),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_spellings_are_citations_in_text_and_stay_in_code(
        pieces in prop::collection::vec((place(), spelling(), prop::collection::vec(1_u32..40, 1..4)), 1..6)
    ) {
        let (mut text, mut expected) = (String::new(), String::new());
        for ((before, behind, is_code), spelling, keys) in &pieces {
            let mark = spelled(keys, spelling);
            text.push_str(&format!("{before}{mark}{behind}\n\nNext.\n\n"));
            let read: String = if *is_code { mark } else { keys.iter().map(|key| format!("<{key}>")).collect() };
            expected.push_str(&format!("{before}{read}{behind}\n\nNext.\n\n"));
        }
        let made = replace_marks(&text, |mark| match &mark.target {
            Target::Source(key) => Some(format!("<{key}>")),
            _ => None,
        });
        prop_assert_eq!(made, expected);
    }
}
