//! What a terminal gets of text that models, notes and documents hold.

use std::borrow::Cow;

use graphloom_cli::terminal::{json, plain};
use proptest::prelude::*;

/// What a terminal does something with, other than to show it and to break a line.
fn acts(char: char) -> bool {
    let reorders = matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    reorders || (char.is_control() && char != '\n' && char != '\t')
}

/// Sequences that a terminal obeys, and what hides or reorders text.
const HOSTILE: [&str; 12] = [
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]52;c;ZXZpbA==\u{7}",
    "\u{1b}]8;;http://evil.example/\u{1b}\\here\u{1b}]8;;\u{1b}\\",
    "\u{1b}]0;title\u{7}",
    "\u{9b}2J",
    "\u{9d}52;c;ZXZpbA==\u{9c}",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{1b}_hidden for ever",
    "kept\rgone",
    "a\u{8}b\u{7f}",
    "\u{202e}txt.exe\u{202c}",
    "\u{2066}a\u{2069}",
];

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        "[ -~\n\t]{0,20}",
        prop::sample::select(HOSTILE.as_slice()).prop_map(str::to_owned),
        prop::char::range('\0', '\u{a0}').prop_map(String::from),
        prop::char::range('\u{2000}', '\u{2070}').prop_map(String::from),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_control_but_line_break_and_tab_survives(text in text()) {
        let shown = plain(&text);
        prop_assert!(!shown.chars().any(acts), "{shown:?}");
        prop_assert_eq!(plain(&shown), shown.as_ref(), "cleaned once is cleaned");
    }

    #[test]
    fn what_does_nothing_stays_as_it_is(text in "[^\\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]{0,60}") {
        prop_assert!(matches!(plain(&text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn nothing_is_hidden(text in text()) {
        let length = text.replace("\r\n", "\n").chars().count();
        prop_assert_eq!(plain(&text).chars().count(), length, "each character has its place");
    }

    #[test]
    fn json_is_the_same_value(text in text()) {
        let line = format!("{}\n", serde_json::json!({ "text": text }));
        let shown = json(&line);
        prop_assert!(!shown.trim_end_matches('\n').chars().any(acts), "{shown:?}");
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        prop_assert_eq!(value["text"].as_str(), Some(text.as_str()));
    }
}

#[test]
fn what_acts_is_shown() {
    assert_eq!(plain(HOSTILE[0]), "␛[31mred␛[0m");
    assert_eq!(plain(HOSTILE[4]), "\u{fffd}2J");
    assert_eq!(plain(HOSTILE[8]), "kept␍gone");
    assert_eq!(plain("a\tb\r\nc\n"), "a\tb\nc\n");
    assert_eq!(plain("שלום \u{200f}עולם"), "שלום \u{200f}עולם", "right-to-left text keeps its marks");
}
