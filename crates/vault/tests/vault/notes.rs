//! What is read in a note.

use graphloom_vault::{Anchor, LinkForm, Note};
use proptest::prelude::*;

use super::path;

fn note(text: &str) -> Note {
    Note::parse(path("dir/N.md"), text)
}

#[test]
fn tags_of_frontmatter_and_text() {
    for (text, tags) in [
        ("---\ntags: [a, \"#b/c\"]\ntag: d\n---\n#e x", vec!["a", "b/c", "d", "e"]),
        ("---\ntags: a, b #c\n---\n", vec!["a", "b"]),
        ("---\ntags: 2024\n---\n", vec!["2024"]),
        ("#one #Two/three #one\n#日本語、x #a-b_c.", vec!["one", "Two/three", "日本語", "a-b_c"]),
        ("# Heading #tagged\n##no\nx#no &#35; http://a/#no [[N#no]] [x](y#no) \\#no #1 #2024", vec!["tagged"]),
        ("`#no` ```\n", vec![]),
        ("```\n#no\n```\n    #no\n%% #no %% $#no$ <!-- #no --> <a title=\" #no\">x</a> #yes", vec!["yes"]),
        ("- #list\n> #quote\n[see #shown](x.md \" #no\")", vec!["list", "quote", "shown"]),
    ] {
        assert_eq!(note(text).tag_names(), tags, "{text:?}");
    }
    let text = "x #tag/sub/ y";
    let found = &note(text).tags()[0].clone();
    assert_eq!(&text[found.span.clone().unwrap()], "#tag/sub");
}

#[test]
fn links_in_every_form() {
    let heading = |parts: &[&str]| Some(Anchor::Heading(parts.iter().map(|part| (*part).to_owned()).collect()));
    let block = |id: &str| Some(Anchor::Block(id.to_owned()));
    for (text, form, embed, target, anchor, shown) in [
        ("[[Note]]", LinkForm::Wiki, false, "Note", None, None),
        ("[[dir/Note|alias | more]]", LinkForm::Wiki, false, "dir/Note", None, Some("alias | more")),
        ("[[Note#Heading]]", LinkForm::Wiki, false, "Note", heading(&["Heading"]), None),
        ("[[Note#A#B|x]]", LinkForm::Wiki, false, "Note", heading(&["A", "B"]), Some("x")),
        ("[[Note#^block]]", LinkForm::Wiki, false, "Note", block("block"), None),
        ("[[#Heading]]", LinkForm::Wiki, false, "", heading(&["Heading"]), None),
        ("![[Note]]", LinkForm::Wiki, true, "Note", None, None),
        ("![[img.png|200x100]]", LinkForm::Wiki, true, "img.png", None, Some("200x100")),
        ("[[Note\\|x]]", LinkForm::Wiki, false, "Note", None, Some("x")),
        ("[[[Note]]", LinkForm::Wiki, false, "Note", None, None),
        ("[x](My%20Note.md#h)", LinkForm::Markdown, false, "My Note.md", heading(&["h"]), Some("x")),
        ("[x](<My Note.md>)", LinkForm::Markdown, false, "My Note.md", None, Some("x")),
        ("[x](a(b).md \"t\")", LinkForm::Markdown, false, "a(b).md", None, Some("x")),
        ("[a `](` b](N.md)", LinkForm::Markdown, false, "N.md", None, Some("a `](` b")),
        ("![](日本/図.png)", LinkForm::Markdown, true, "日本/図.png", None, None),
        ("[x](#h)", LinkForm::Markdown, false, "", heading(&["h"]), Some("x")),
        ("[r]: <My Note.md> 't'", LinkForm::Definition, false, "My Note.md", None, None),
    ] {
        let note = note(text);
        let [link] = note.links() else { panic!("{text}: {:?}", note.links()) };
        assert_eq!((link.form, link.embed, link.target.as_str()), (form, embed, target), "{text}");
        assert_eq!((&link.anchor, link.shown.as_deref()), (&anchor, shown), "{text}");
        let written = &text[link.span.clone()];
        assert!(text.starts_with(written) || text == "[[[Note]]", "{text}: {written}");
    }
    let image = note("[![i](i.png)](N.md)");
    let targets: Vec<&str> = image.links().iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["N.md", "i.png"]);
}

#[test]
fn what_is_no_link() {
    for text in [
        "`[[N]]`",
        "```\n[[N]]\n```",
        "~~~\n[[N]]",
        "    [[N]]",
        "%%[[N]]%%",
        "%%\n\n[[N]]\n\n%%",
        "$[[N]]$",
        "$$\n[[N]]\n$$",
        "\\[[N]]",
        "[[]]",
        "[[|x]]",
        "[[a\nb]]",
        "[x](https://a.b)",
        "[x](mailto:a@b)",
        "<https://a.b>",
        "[x]()",
        "[x]",
        "<!-- [[N]] -->",
        "``a [[N]] ` b``",
        "[[N]",
    ] {
        assert!(note(text).links().is_empty(), "{text:?}: {:?}", note(text).links());
    }
    for text in [
        "100%% [[N]]",
        "$5 and [[N]] for $6",
        "\\\\[[N]]",
        "a ` [[N]]",
        "*[[N]]*",
        "> - [[N]]",
        "| [[N]] |",
        "~~[[N]]~~",
    ] {
        assert_eq!(note(text).links().len(), 1, "{text:?}");
    }
}

#[test]
fn headings_and_blocks() {
    let text = "# One\nx ^b1\n## Two ##\n```\n# no\n```\n> ### In quote\n\nUnder\n---\n- item ^b-2\n\n^b3\n2^no `^no`\n#nospace\n";
    let note = note(text);
    let headings: Vec<(u8, &str, usize, bool)> = note
        .headings()
        .iter()
        .map(|heading| (heading.level, heading.text.as_str(), heading.line, heading.nested))
        .collect();
    assert_eq!(
        headings,
        [(1, "One", 1, false), (2, "Two", 3, false), (3, "In quote", 7, true), (2, "Under", 9, false)]
    );
    let blocks: Vec<(&str, usize)> = note.blocks().iter().map(|block| (block.id.as_str(), block.line)).collect();
    assert_eq!(blocks, [("b1", 2), ("b-2", 11), ("b3", 13)]);
}

#[test]
fn titles_and_aliases() {
    for (text, title) in
        [("---\ntitle: T\n---\n# H", "T"), ("---\ntitle: ''\n---\n## no\n# H `x`", "H `x`"), ("text", "N"), ("#", "N")]
    {
        assert_eq!(note(text).title(), title, "{text:?}");
    }
    assert_eq!(note("---\naliases: [A b, C]\nalias: d, e\n---\n").aliases(), ["A b", "C", "d", "e"]);
}

#[test]
fn a_body_starts_after_the_frontmatter() {
    assert_eq!(note("\u{feff}---\r\na: 1\r\n---\r\nx").body(), "x");
    assert_eq!(note("\u{feff}x").body(), "x");
    assert_eq!(note("---\na: 1\n--- \nx").body(), "x");
    assert_eq!(note("---\na: 1\nx").body(), "---\na: 1\nx");
    assert_eq!(note(" ---\na: 1\n---\nx").frontmatter().get("a"), None);
}

proptest! {
    #[test]
    fn every_text_is_a_note_and_every_span_is_in_it(
        text in "([\\[\\]()#^|!`%$<>\\\\:&;*_ \n\t\r\\-/.~]|[ab1日]|\\[\\[|\\]\\]|---\n|\\]\\(|<!--|-->|```){0,60}"
    ) {
        let note = note(&text);
        for link in note.links() {
            prop_assert!(text.get(link.span.clone()).is_some());
            prop_assert!(!link.target.is_empty() || link.anchor.is_some());
        }
        for tag in note.tags() {
            prop_assert!(tag.span.clone().is_none_or(|span| text[span].starts_with('#')));
        }
        for heading in note.headings() {
            prop_assert!(text.get(heading.span.clone()).is_some() && heading.line <= text.matches('\n').count() + 1);
        }
    }
}

#[test]
fn long_lines_of_brackets_are_read_in_time() {
    for text in [
        "[[".repeat(200_000),
        "]]".repeat(200_000),
        "[[a]]".repeat(50_000),
        "%%".repeat(100_001),
        "#a ".repeat(100_000),
    ] {
        assert!(note(&text).links().len() <= 50_000);
    }
}
