//! Parts of Markdown that end anywhere, one behind the other: each is read as it is read alone.

use graphloom_test_support::draws;
use graphloom_text::markdown::{close, join, prose_lines};
use graphloom_text::{KeyWords, key_marks};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The part behind all others, whose heading and citation must be seen.
const LAST: &str = "## The next part\n\nIt holds [citation:7].";
const WORDS: KeyWords<'_> = KeyWords { words: &["citation"], numbers: true };

/// Lines inside of blocks, among them what would begin or end one.
fn line() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "",
        "# heading",
        "```",
        "~~~",
        "- item",
        "1. first",
        "$$",
        "-->",
        "</details>",
        "let x = a[1]; // [citation:1]",
        "    indented",
        "`span` and **bold**",
        "> quoted",
        "| a | b |",
    ]);
    prop_oneof![3 => "[a-z]{1,6}( [a-z]{1,6}){0,4}", 1 => fixed.prop_map(str::to_owned)]
}

fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 0..most)
}

/// A block of code between fences of any sign, length and indentation, with a fence inside that ends nothing.
fn fenced() -> impl Strategy<Value = String> {
    (prop::bool::ANY, 3_usize..7, 0_usize..4, prop::sample::select(vec!["", "rust", " a b"]), lines(4)).prop_map(
        |(tilde, length, indent, info, lines)| {
            let sign = if tilde { "~" } else { "`" };
            let (fence, pad) = (sign.repeat(length), " ".repeat(indent));
            let inner: String = lines
                .iter()
                .filter(|line| length > 3 || !line.starts_with(sign))
                .map(|line| format!("{pad}{line}\n"))
                .collect();
            format!("{pad}{fence}{info}\n{inner}{pad}{fence}")
        },
    )
}

fn math() -> impl Strategy<Value = String> {
    (prop::bool::ANY, prop::collection::vec("[a-z] = [a-z]\\^[0-9]", 1..4), prop::bool::ANY, prop::bool::ANY).prop_map(
        |(dollars, lines, aligned, empty)| {
            let (open, end) = if dollars { ("$$", "$$") } else { ("\\[", "\\]") };
            let body = lines.join(if empty { "\n\n" } else { " \\\\\n" });
            let body = if aligned { format!("\\begin{{aligned}}\n{body}\n\\end{{aligned}}") } else { body };
            format!("{open}\n{body}\n{end}")
        },
    )
}

fn html() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}".prop_map(|word| format!("<details>\n<summary>{word}</summary>\n\nInner {word}.\n\n</details>")),
        "[a-z]{1,6}".prop_map(|word| format!("<table>\n<tr><th>{word}</th><td class=\"{word}\">1</td></tr>\n</table>")),
        "[a-z]{1,6}".prop_map(|word| format!("<!-- {word}\n\n# {word} -->")),
        "[a-z]{1,6}".prop_map(|word| format!("<pre><code>{word}\n\n# {word}\n</code></pre>")),
        "[a-z]{1,6}".prop_map(|word| format!("<div>\n\n- {word} <sub>1</sub>\n\n</div>")),
        "[a-z]{1,6}".prop_map(|word| format!("<?{word}\n\n{word}?>")),
    ]
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}( [a-z]{1,6}){0,4} \\[citation:[1-9]\\]\\.",
        "## [a-z]{1,6}",
        "`[a-z]\\[1\\]` and \\*\\*[a-z]{1,4}\\*\\*",
        "\\$[a-z]\\[1\\]\\$ costs \\$5",
        "\\| a \\| b \\|\n\\|---\\|---\\|\n\\| `[a-z]` \\| 2 \\|",
        "    [a-z]{1,6}\n\n    [a-z]{1,6}",
        "---",
        fenced(),
        math(),
        html(),
    ]
}

/// Blocks in quotations and items, and in each other.
fn block() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let several = prop::collection::vec(inner, 1..3).prop_map(|blocks| blocks.join("\n\n"));
        (several, prop::sample::select(vec!["> ", "- ", "1. ", "* ", "10) "])).prop_map(|(text, sign)| {
            let rest = if sign == "> " { sign.to_owned() } else { " ".repeat(sign.len()) };
            let lines = text.lines().enumerate().map(|(at, line)| match (at, line) {
                (0, line) => format!("{sign}{line}"),
                (_, "") => rest.trim_end().to_owned(),
                (_, line) => format!("{rest}{line}"),
            });
            lines.collect::<Vec<_>>().join("\n")
        })
    })
}

/// A part that ends at any character.
fn part() -> impl Strategy<Value = String> {
    (prop::collection::vec(block(), 1..5), any::<prop::sample::Index>(), prop::bool::weighted(0.7)).prop_map(
        |(blocks, at, is_cut)| {
            let text = blocks.join("\n\n");
            let end = if is_cut { at.index(text.len() + 1) } else { text.len() };
            text[..text.floor_char_boundary(end)].to_owned()
        },
    )
}

/// What a parser sees, without the comments that keep two lists apart. The text of neighbouring events is one.
fn seen(text: &str) -> Vec<Event<'static>> {
    let all: Vec<Event<'_>> =
        Parser::new_ext(&format!("{text}\n"), Options::ENABLE_TABLES).map(Event::into_static).collect();
    let mut found: Vec<Event<'_>> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if let [Event::Start(Tag::HtmlBlock), Event::Html(html), Event::End(TagEnd::HtmlBlock), ..] = &all[at..]
            && html.trim() == "<!-- -->"
        {
            at += 3;
            continue;
        }
        found.push(all[at].clone());
        at += 1;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_parts_are_read_as_each_is_read_alone(parts in prop::collection::vec(part(), 1..4)) {
        let joined = join(parts.iter().map(String::as_str).chain([LAST]));
        let alone: Vec<Event<'_>> = parts
            .iter()
            .map(|part| close(part.trim_end()).text)
            .filter(|part| !part.trim().is_empty())
            .flat_map(|part| seen(part.trim_start_matches('\n')))
            .chain(seen(LAST))
            .collect();
        prop_assert_eq!(seen(&joined), alone, "{}", joined);
        // Nothing is open behind any part, for readers of mathematics and of HTML as well.
        for part in &parts {
            let closed = close(part.trim_end());
            prop_assert_eq!(close(&closed.text).open, [], "{}", closed.text);
        }
        prop_assert_eq!(close(&joined).open, []);
        prop_assert!(prose_lines(&joined).contains(&("## The next part", true)), "{}", joined);
        let last = key_marks(&joined, WORDS).pop().map(|mark| joined[mark.range].to_owned());
        prop_assert_eq!(last.as_deref(), Some("[citation:7]"), "{}", joined);
    }
}
