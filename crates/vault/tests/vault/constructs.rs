//! A note of any constructs of Markdown and Obsidian, after a rename, a move or a merge: its links lead where they led, and
//! every other byte is the same. Each construct knows itself which of its links Obsidian follows.

use graphloom_test_support::draws;
use graphloom_vault::{NotePath, Notes, Overlay};
use proptest::prelude::*;

use super::{TestVault, path};

/// A piece of a note.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// What stays as it is.
    Text(String),
    /// The name of the note in a wikilink.
    Name,
    /// The path of the note in a Markdown link, which is written percent-encoded, or between `<` and `>`.
    Path { angle: bool },
}

type Pieces = Vec<Piece>;

/// Reads a construct: `@` is the note's name in a wikilink, `§` its path in a Markdown link, `¢` its path between `<` and `>`.
fn pieces(text: &str) -> Pieces {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['@', '§', '¢']) {
        found.push(Piece::Text(rest[..at].to_owned()));
        let mark = rest[at..].chars().next().unwrap();
        found.push(match mark {
            '@' => Piece::Name,
            mark => Piece::Path { angle: mark == '¢' },
        });
        rest = &rest[at + mark.len_utf8()..];
    }
    found.push(Piece::Text(rest.to_owned()));
    found
}

/// Links that Obsidian follows. `@`, `§` and `¢` stand for the note.
const FOLLOWED: &[&str] = &[
    "[[@]]",
    "[[@|shown]]",
    "[[@.md]]",
    "![[@]]",
    "![[@|100x20]]",
    "[[@#Part]]",
    "[[@#Part#Below]]",
    "[[@#^block]]",
    "![[@#^block|x]]",
    "[[@|`old()`]]",
    "[[@|``a ` b``]]",
    "[[@|`]]",
    "[[@#The `x` part]]",
    "![[@#The `x` part]]",
    "[[@#`x`|`y`]]",
    "[[@|$x$]]",
    "[[@|$5]]",
    "[[@#Cost $5 or $6]]",
    "[[@#$$]]",
    "[[@|50%% of it]]",
    "[[@#20%% more|%%]]",
    "[[@|a < b]]",
    "[[@|<b>x</b>]]",
    "[[@|<!-- x]]",
    "[[@|x -->]]",
    "[[@|*x* _y_ ~~z~~ ==w==]]",
    "[[@|\\text{x}]]",
    "[[@|a](b.md)]]",
    "[[@|#tag ^id]]",
    "[[@|it's \"q\"]]",
    "*[[@]]*",
    "**[[@]]**",
    "~~[[@]]~~",
    "==[[@]]==",
    "([[@]])",
    "\"[[@]]\"",
    "\\\\[[@]]",
    "!\\[x] [[@]]",
    "[[[@]]]",
    "<b>[[@]]</b>",
    "<span title=\"x\">[[@|y]]</span>",
    "[x](§)",
    "[](§)",
    "[x](¢)",
    "![x](§ \"a title\")",
    "[a `x` b](§)",
    "[$5](§)",
    "[50%%](§)",
    "[a [b] c](§#part)",
    "[*x*](§)",
    "[[@]] [[To come]] [[@|z]]",
    "[see [[@]]](https://a.b)",
    "[![[@]]](https://a.b)",
    "^[a note with [[@]]]",
    "[x](§)[[@]]![[@]]",
    "From US$10 for [[@]] to US$20",
    "A$5-[[@]]-A$6",
    "$10/[[@]]/$20",
    "$5 [[@]] $6",
    "10$-[[@]]-20$",
    "$5k–[[@]]–6k$",
    "$10/[x](§)/$20",
    "$x$[[@]]$y$",
    "100 % [[@]]",
    "<!-- x -->[[@]]<!-- y -->",
    "`a`[[@]]`b`",
    "%%x%%[[@]]%%y%%",
];

/// What holds no link that Obsidian follows. `Old` is the name of the note that moves.
const IGNORED: &[&str] = &[
    "Old",
    "[Old]",
    "[[Old",
    "[x]",
    "[[To come|x]]",
    "![[picture.png|10]]",
    "\\[[Old]]",
    "[\\[Old]]",
    "\\[\\[Old\\]\\]",
    "\\[x\\](Old.md)",
    "`[[Old]]`",
    "``[[Old]] ` [x](Old.md)``",
    "$[[Old]]$",
    "$\\text{[[Old]]}$",
    "$x_{[[Old]]} + 1$",
    "$[[1,2],[3,4]]$",
    "$$[[Old]]$$",
    "$x$ $\\alpha$",
    "%%[[Old]]%%",
    "%% [[Old]] and [x](Old.md) ` %%",
    "<!-- [[Old]] -->",
    "<!-- ` [x](Old.md) $ -->",
    "<span title=\"[[Old]]\">x</span>",
    "<https://a.b/Old.md>",
    "[x](https://a.b/Old.md)",
    "[x](mailto:Old.md)",
    "https://a.b/Old.md",
    "#Old",
    "#Old/part",
    "$10 and $20",
    "US$5",
    "50 %",
    "[^old]",
    "^[Old]",
    "==Old==",
    "~~Old~~",
    "&amp; &lt;",
    "a | b",
    "\\`",
    "\\$5",
    "\\\\",
    "1 < 2 > 1",
    "*",
    "_a_b_",
    "word ^no",
    "日本語。",
];

/// An inline construct.
fn inline() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(FOLLOWED).prop_map(str::to_owned),
        2 => proptest::sample::select(IGNORED).prop_map(str::to_owned),
    ]
}

/// Inline constructs on a row.
fn row() -> impl Strategy<Value = String> {
    let joint = proptest::sample::select(vec![" and ", ", ", " — ", ". Then "]);
    (proptest::collection::vec(inline(), 1..4), joint)
        .prop_map(|(parts, joint)| format!("Text {} end", parts.join(joint)))
}

/// A block whose rows are `row`s.
fn block() -> impl Strategy<Value = String> {
    let cell = |text: String| text.replace("\\|", "|").replace('|', "\\|");
    let label = 0..1_000_000_u32;
    prop_oneof![
        4 => row(),
        2 => (row(), row()).prop_map(|(a, b)| format!("{a}\n{b}")),
        1 => (1..6_usize, row()).prop_map(|(level, text)| format!("{} {text}", "#".repeat(level))),
        1 => row().prop_map(|text| format!("{text}\n---")),
        2 => (row(), row(), row()).prop_map(|(a, b, c)| format!("- {a}\n- [ ] {b}\n  - [x] {c}\n- last")),
        1 => (row(), row()).prop_map(|(a, b)| format!("1. {a}\n\n   {b}\n2. last")),
        2 => (row(), row()).prop_map(|(a, b)| format!("> {a}\n> {b}")),
        1 => (row(), row(), row()).prop_map(|(a, b, c)| format!("> [!note]- {a}\n> {b}\n> > {c}")),
        2 => (row(), row(), row()).prop_map(move |(a, b, c)| {
            format!("| one | {} |\n| --- | :-: |\n| {} | {} |\n| $3 | ![[@]] 4$ |", cell(a), cell(b), cell(c))
        }),
        1 => (row(), label.clone()).prop_map(|(text, label)| format!("Text[^{label}]\n\n[^{label}]: {text}\n    and [[@]]")),
        1 => label.clone().prop_map(|label| format!("[^{label}]: Old.md")),
        1 => label.clone().prop_map(|label| format!("[x][r{label}]\n\n[r{label}]: § 'title'")),
        1 => label.prop_map(|label| format!("[x][r{label}]\n\n[r{label}]: https://a.b/Old.md")),
        1 => (row(), 0..1_000_u32).prop_map(|(text, id)| format!("{text} ^id{id}")),
        1 => proptest::sample::select(BLOCKS).prop_map(str::to_owned),
    ]
}

/// Blocks that are one construct.
const BLOCKS: &[&str] = &[
    "```\n[[Old]] [x](Old.md)\n```",
    "```js title=\"[[Old]]\"\n`[[Old]]`\n\n[[Old]]\n```",
    "~~~\n```\n[[Old]]\n~~~",
    "````md\n```\n[[Old]]\n```\n[[Old]]\n````",
    "- item\n\n  ```\n  [[Old]]\n  ```\n- [[@]]",
    "> ```\n> [[Old]]\n> ```\n> [[@]]",
    "Code:\n\n    [[Old]] `\n\n    [x](Old.md)",
    "$$\n\\begin{x}\n[[Old]]\n$$",
    "$$ [[1,2],[3,4]] $$",
    "$$\n\n\\text{[[Old]]}\n\n$$",
    "%%\n[[Old]] `\n\n- [[Old]]\n%%",
    "%% [[Old]]\n[[Old]] %% [[@]]",
    "> %%\n> [[Old]]\n>\n> [[Old]]\n> %%",
    "<!--\n[[Old]]\n\n[x](Old.md) `\n-->",
    "<div title=\"[[Old]]\">\nx\n</div>",
    "<details>\n<summary>x</summary>\n\n[[@|`y`]]\n\n</details>",
    "<pre>\n[[Old]]\n\n[[Old]]\n</pre>",
    "a `` [[@]]",
    "100%% [[@]]",
    "a $ [[@]]",
    "***",
    "[[@]]\n===",
    "Text <!-- [[Old]]\n[[Old]] --> [[@]]",
    "`code\n[[Old]]` [[@]]",
    "[[@|a]]\\\n[[@|`b]]  \n[[@|c`]]",
    "$5\n[[@]] for 6$",
    "[a\nb](§)",
    "[[Old\n|x]]",
    "|[[@\\|`a`]]|\n|-|\n|`[[Old\\|x]]`|",
    "| $5 | [[@]] | 6$ |",
    "![[@]]\n![[@#Part]]",
    "Term\n: [[@]]",
    "[ ] [[@]]",
    "\\# [[@]]",
    "\t\\[[Old]]",
];

/// Properties, with the links in them.
const PROPERTIES: &[&str] = &[
    "up: \"[[@]]\"",
    "up: '[[@|it''s]]' # [[Old]]",
    "rel:\n  - \"[[@#`x`|$y$]]\" # one\n  - Old\n  - \"[[To come]]\"",
    "rel: [ \"[[@]]\" , 'Old', 0012 ]",
    "aliases: [Old]",
    "tags:\n- Old\n- sea",
    "title: Old # [[Old]]",
    "url: https://a.b/Old.md",
    "note: Old.md",
    "text: |\n  see [[@]]\n  # [[@]]",
    "n: 1.10",
    "# [[Old]]",
    "empty:",
    "md: \"[x](Old.md)\"",
];

/// A whole note: properties, blocks and the break of its rows.
fn note() -> impl Strategy<Value = String> {
    let properties = proptest::sample::subsequence(PROPERTIES, 0..5).prop_map(|rows| {
        let mut keys = std::collections::BTreeSet::new();
        let rows = rows.into_iter().filter(|row| keys.insert(row.split(':').next().unwrap().to_owned()));
        rows.map(|row| format!("{row}\n")).collect::<String>()
    });
    (properties, proptest::collection::vec(block(), 1..7), 0..4_u8).prop_map(|(properties, blocks, form)| {
        let front = if properties.is_empty() { String::new() } else { format!("---\n{properties}---\n") };
        let text = format!("{front}{}\n", blocks.join("\n\n"));
        match form {
            0 => text.replace('\n', "\r\n"),
            1 => format!("\u{feff}{text}"),
            _ => text,
        }
    })
}

/// Names of the note, before and after. What only looks like a link is always called `Old`.
const NAMES: &[&str] = &["Old", "The `x` type", "Cost $5 or $6", "50%% off", "Ünï & more", "its (1)"];

fn file(name: &str, folder: &str) -> NotePath {
    NotePath::of_file(&format!("{folder}{name}.md")).unwrap()
}

fn encoded(path: &str, angle: bool) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c) || (angle && " '$&()".contains(c)) || !c.is_ascii();
    let write = |c: char| if is_plain(c) { c.to_string() } else { format!("%{:02X}", u32::from(c)) };
    let written: String = path.chars().map(write).collect();
    if angle { format!("<{written}>") } else { written }
}

/// The note with links to a note of this name, whose path from it is `path`.
fn written(pieces: &Pieces, name: &str, path: &str) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Name => name.to_owned(),
            Piece::Path { angle } => encoded(path, *angle),
        })
        .collect()
}

/// Whether a text is the note with links to a note of this name, in whatever way its path is percent-encoded.
fn reads(text: &str, pieces: &Pieces, name: &str, path: &str) -> Result<(), String> {
    let mut rest = text;
    for (at, piece) in pieces.iter().enumerate() {
        let length = match piece {
            Piece::Text(text) => rest.starts_with(text.as_str()).then_some(text.len()),
            Piece::Name => rest.starts_with(name).then_some(name.len()),
            Piece::Path { angle } => {
                let Some(Piece::Text(next)) = pieces.get(at + 1) else { return Err("a link has no end".to_owned()) };
                let end = rest.char_indices().find(|(here, _)| {
                    let (link, after) = rest.split_at(*here);
                    let link = if *angle {
                        link.strip_prefix('<').and_then(|link| link.strip_suffix('>'))
                    } else {
                        Some(link)
                    };
                    after.starts_with(next.as_str()) && link.is_some_and(|link| decoded(link) == path)
                });
                end.map(|(here, _)| here)
            }
        };
        let Some(length) = length else { return Err(format!("{piece:?} is not at {rest:?}")) };
        rest = &rest[length..];
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{rest:?} is more")) }
}

fn decoded(written: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = written.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok())
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// What happens to the vault.
#[derive(Clone, Copy, Debug)]
enum Act {
    Rename,
    RenameInto,
    Merge,
    /// The note with the constructs moves.
    Move,
    /// The note with the constructs is merged.
    MergeAway,
}

fn text_at(overlay: &Overlay, at: &NotePath) -> String {
    overlay.expect(at).unwrap().text().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_notes_keep_every_byte_but_those_of_links_which_follow(
        text in note(),
        (old, new) in (prop_oneof![Just("Old"), proptest::sample::select(NAMES)], proptest::sample::select(NAMES)),
        act in proptest::sample::select(vec![Act::Rename, Act::RenameInto, Act::Merge, Act::Move, Act::MergeAway]),
    ) {
        // A comment that opens before a link would close in such a name.
        let text = if format!("{old}{new}").contains("%%") { text.replace("100%% ", "100% ") } else { text };
        let pieces = pieces(&text);
        let new = if new == "Old" { "New name" } else { new };
        prop_assume!(old != new);
        let (old_path, from) = (file(old, ""), path("From.md"));
        let before = written(&pieces, old, old_path.as_str());
        let place = TestVault::new(&[(old_path.as_str(), "# Part\n"), ("From.md", &before), ("Home.md", "home\n"), ("picture.png", "")]);
        let mut overlay = place.overlay();
        match act {
            Act::Rename | Act::RenameInto => {
                let to = file(new, if matches!(act, Act::Rename) { "" } else { "in a/folder/" });
                overlay.rename(&old_path, &to).unwrap();
                reads(&text_at(&overlay, &from), &pieces, new, to.as_str()).map_err(TestCaseError::fail)?;
            }
            Act::Merge => {
                overlay.merge(&old_path, &path("Home.md")).unwrap();
                reads(&text_at(&overlay, &from), &pieces, "Home", "Home.md").map_err(TestCaseError::fail)?;
            }
            Act::Move => {
                overlay.rename(&from, &path("sub/From.md")).unwrap();
                let relative = format!("../{old_path}");
                reads(&text_at(&overlay, &path("sub/From.md")), &pieces, old, &relative).map_err(TestCaseError::fail)?;
            }
            Act::MergeAway => {
                overlay.merge(&from, &path("Home.md")).unwrap();
                let plain = before.trim_start_matches('\u{feff}').replace("\r\n", "\n");
                let front = if plain.starts_with("---\n") { plain.find("\n---\n").map_or(0, |at| at + 5) } else { 0 };
                prop_assert_eq!(text_at(&overlay, &path("Home.md")), format!("{}home\n{}", &plain[..front], &plain[front..]));
            }
        }
    }
}
