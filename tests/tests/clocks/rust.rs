//! Sleeps in Rust, found among its tokens, so that those in macros are found, too.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{Part, Sleeps};

/// What is known of the place that is looked at.
#[derive(Clone, Debug)]
struct Place {
    function: String,
    is_test_code: bool,
    is_paused: bool,
    is_loop: bool,
}

/// The functions of a file that sleep on the real clock outside of a loop.
pub(super) fn sleeps(text: &str, part: Part) -> Sleeps {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        panic!("no Rust: {}", text.chars().take(80).collect::<String>())
    };
    // What tests have in common is under paused time where all tests of the file are.
    let attributes = attributes(tokens.clone());
    let mut runtimes = attributes.iter().filter(|attribute| attribute.contains("tokio :: test")).peekable();
    let is_paused = runtimes.peek().is_some() && runtimes.all(|attribute| attribute.contains("start_paused = true"));
    let place = Place { function: "the file".to_owned(), is_test_code: part == Part::Whole, is_paused, is_loop: false };
    let mut found = BTreeSet::new();
    look(tokens, &place, &mut found);
    found
}

/// The attributes of everything in these tokens.
fn attributes(tokens: TokenStream) -> Vec<String> {
    let (mut found, mut is_attribute) = (Vec::new(), false);
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            if is_attribute && group.delimiter() == Delimiter::Bracket {
                found.push(spaced(group));
            } else {
                found.extend(attributes(group.stream()));
            }
        }
        is_attribute = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
    }
    found
}

/// The tokens of a group with one space between them.
fn spaced(group: &Group) -> String {
    let text = group.stream().to_string().replace("::", " :: ").replace('=', " = ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the next group of braces is.
#[derive(Debug)]
enum Next {
    Function(Place),
    Module(Place),
    Loop,
    Other,
}

fn look(tokens: TokenStream, place: &Place, found: &mut Sleeps) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut next, mut attributes) = (Next::Other, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1);
        match token {
            TokenTree::Ident(word) => match (&*word.to_string(), after) {
                ("fn", Some(TokenTree::Ident(name))) => {
                    let has = |what: &str| attributes.iter().any(|attribute: &String| attribute.contains(what));
                    // A test says for itself whether its time is paused.
                    let is_paused = if has("test") { has("start_paused = true") } else { place.is_paused };
                    let function = name.to_string();
                    next = Next::Function(Place { function, is_paused, is_loop: false, ..place.clone() });
                    attributes.clear();
                }
                ("mod", Some(TokenTree::Ident(_))) => {
                    let is_test_code = attributes
                        .iter()
                        .any(|attribute| attribute.starts_with("cfg(test") || attribute.starts_with("cfg (test"));
                    next = Next::Module(Place { is_test_code: place.is_test_code || is_test_code, ..place.clone() });
                    attributes.clear();
                }
                ("loop" | "while" | "for", _) => next = Next::Loop,
                ("sleep" | "sleep_until" | "sleep_ms", Some(TokenTree::Group(call))) => {
                    let is_call = call.delimiter() == Delimiter::Parenthesis;
                    let is_declared = at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if *word == "fn");
                    let in_loop = place.is_loop || matches!(next, Next::Loop);
                    if is_call && !is_declared && place.is_test_code && !place.is_paused && !in_loop {
                        found.insert(place.function.clone());
                    }
                }
                _ => {}
            },
            TokenTree::Punct(mark) if mark.as_char() == ';' => {
                next = Next::Other;
                attributes.clear();
            }
            TokenTree::Group(group) => {
                let is_attribute = at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(mark) if mark.as_char() == '#');
                if is_attribute && group.delimiter() == Delimiter::Bracket {
                    attributes.push(spaced(group));
                    continue;
                }
                // A pattern of what is looped over has braces, too.
                let is_pattern = match after {
                    Some(TokenTree::Punct(mark)) => mark.as_char() == '=',
                    Some(TokenTree::Ident(word)) => *word == "in",
                    _ => false,
                };
                if group.delimiter() != Delimiter::Brace || is_pattern {
                    look(group.stream(), place, found);
                    continue;
                }
                match std::mem::replace(&mut next, Next::Other) {
                    Next::Function(own) | Next::Module(own) => look(group.stream(), &own, found),
                    Next::Loop => look(group.stream(), &Place { is_loop: true, ..place.clone() }, found),
                    Next::Other => look(group.stream(), place, found),
                }
                attributes.clear();
            }
            _ => {}
        }
    }
}

#[test]
fn a_sleep_is_found_unless_time_is_paused_or_something_is_waited_for() {
    let all = |text: &str| sleeps(text, Part::Whole).into_iter().collect::<Vec<_>>();
    let bad = "#[tokio::test] async fn hopes() { tokio::time::sleep(MOMENT).await; assert!(true); }";
    assert_eq!(all(bad), ["hopes"]);
    assert_eq!(all("#[test] fn hopes() { std::thread::sleep(MOMENT); }"), ["hopes"]);
    assert_eq!(all("#[test] fn hopes() { select! { () = sleep(MOMENT) => {} } }"), ["hopes"]);
    assert_eq!(all("impl Node for Slow { fn run() { sleep(MOMENT); } }"), ["run"]);
    let paused = "#[tokio::test(start_paused = true)] async fn waits() { sleep(MOMENT).await; node(); }";
    assert!(all(paused).is_empty());
    assert!(all(&format!("{paused} async fn node() {{ sleep(MOMENT).await; }}")).is_empty());
    assert_eq!(all(&format!("{paused} {bad} async fn node() {{ sleep(MOMENT).await; }}")), ["hopes", "node"]);
    for waits in [
        "loop { sleep(MOMENT) }",
        "while !is_there() { sleep(MOMENT) }",
        "while let Some(Row { id, .. }) = row() { sleep(MOMENT) }",
        "for _ in rows { sleep(MOMENT) }",
    ] {
        assert!(all(&format!("fn waits() {{ {waits} }}")).is_empty(), "{waits}");
        assert_eq!(all(&format!("fn hopes() {{ {waits} sleep(MOMENT); }}")), ["hopes"], "{waits}");
    }
    let source = "fn works() { sleep(MOMENT) } #[cfg(test)] mod tests { fn hopes() { sleep(MOMENT) } }";
    assert_eq!(sleeps(source, Part::TestModules).into_iter().collect::<Vec<_>>(), ["hopes"]);
}
