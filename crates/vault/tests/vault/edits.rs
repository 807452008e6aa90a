//! Edits of text: what they keep, and what they refuse.

use graphloom_vault::{Notes, VaultError};

use super::{TestVault, path};

/// Edits a note and gives its text.
fn edited(
    text: &str,
    edit: impl FnOnce(&mut graphloom_vault::Overlay) -> Result<(), VaultError>,
) -> Result<String, VaultError> {
    let place = TestVault::new(&[("N.md", text)]);
    let mut overlay = place.overlay();
    edit(&mut overlay)?;
    Ok(overlay.expect(&path("N.md"))?.text().to_owned())
}

#[test]
fn appending_and_prepending_keep_the_ends() {
    for (before, more, appended, prepended) in [
        ("a\n", "b", "a\nb\n", "b\na\n"),
        ("a\n", "b\n", "a\nb\n", "b\na\n"),
        ("a", "b\n", "a\nb", "b\na"),
        ("", "b", "b\n", "b\n"),
        ("a\r\nb\r\n", "x\ny\n", "a\r\nb\r\nx\r\ny\r\n", "x\r\ny\r\na\r\nb\r\n"),
        ("\u{feff}a", "b", "\u{feff}a\nb", "\u{feff}b\na"),
        ("---\nk: v\n---\na\n", "b\n", "---\nk: v\n---\na\nb\n", "---\nk: v\n---\nb\na\n"),
    ] {
        let note = path("N.md");
        assert_eq!(edited(before, |overlay| overlay.append(&note, more)).unwrap(), appended, "{before:?}");
        assert_eq!(edited(before, |overlay| overlay.prepend(&note, more)).unwrap(), prepended, "{before:?}");
    }
}

#[test]
fn writing_keeps_line_breaks_mark_and_last_line() {
    for (before, after) in
        [("\u{feff}a\r\nb", "\u{feff}x\r\ny"), ("a\n", "x\ny\n"), ("a", "x\ny"), ("a\r\nb\r\n", "x\r\ny\r\n")]
    {
        assert_eq!(edited(before, |overlay| overlay.write(&path("N.md"), "x\ny\n")).unwrap(), after, "{before:?}");
    }
}

#[test]
fn replacing_text_needs_the_expected_count() {
    let text = "one two\r\nthree\r\none two\r\n";
    let note = path("N.md");
    let once = edited(text, |overlay| overlay.replace_text(&note, "two\nthree", "2\n3", 1)).unwrap();
    assert_eq!(once, "one 2\r\n3\r\none two\r\n");
    let twice = edited(text, |overlay| overlay.replace_text(&note, "one", "1", 2)).unwrap();
    assert_eq!(twice, "1 two\r\nthree\r\n1 two\r\n");
    // Nothing in what is replaced or put in is a pattern.
    assert_eq!(edited("a.*b $1\n", |overlay| overlay.replace_text(&note, ".*", "$1\\1", 1)).unwrap(), "a$1\\1b $1\n");

    match edited(text, |overlay| overlay.replace_text(&note, "one", "1", 1)).unwrap_err() {
        VaultError::Occurrences { expected: 1, found: 2, lines, .. } => assert_eq!(lines, [1, 3]),
        other => panic!("{other}"),
    }
    for (old, expected) in [("", 1), ("absent", 1), ("one", 0)] {
        assert!(edited(text, |overlay| overlay.replace_text(&note, old, "x", expected)).is_err(), "{old:?}");
    }
}

#[test]
fn a_section_is_replaced_up_to_the_next_of_its_level() {
    let text = "# T\n\nintro\n\n## A *b*\n\nold\n\n### Sub\n\nold sub\n\n## B\n\n```\n# code\n```\n\n> # quoted\n\n## Empty\n## A *b*x\nlast\n";
    let note = path("N.md");
    let section =
        |heading: &str, content: &str| edited(text, |overlay| overlay.replace_section(&note, heading, content));

    let expected = text.replace("old\n\n### Sub\n\nold sub\n", "new\nlines\n");
    for heading in ["A *b*", "a b", "## A b", " ##  a *b* "] {
        assert_eq!(section(heading, "new\nlines").unwrap(), expected, "{heading}");
    }
    // A model often repeats the heading.
    assert_eq!(section("A *b*", "## A *b*\n\nnew\nlines\n").unwrap(), expected);
    assert_eq!(section("B", "x").unwrap(), text.replace("```\n# code\n```\n\n> # quoted\n", "x\n"));
    assert_eq!(section("Empty", "x").unwrap(), text.replace("## Empty\n", "## Empty\n\nx\n\n"));
    assert_eq!(section("A *b*x", "x").unwrap(), text.replace("last\n", "x\n"));
    assert_eq!(section("T", "x").unwrap(), "# T\n\nx\n");

    match section("C", "x").unwrap_err() {
        VaultError::NoSuchSection { known, .. } => assert_eq!(known, ["T", "A *b*", "Sub", "B", "Empty", "A *b*x"]),
        other => panic!("{other}"),
    }
    assert!(matches!(section("### A b", "x"), Err(VaultError::NoSuchSection { .. })));
    let twice = edited("# X\na\n# X\nb\n", |overlay| overlay.replace_section(&note, "X", "c"));
    assert!(matches!(twice, Err(VaultError::AmbiguousSection { lines, .. }) if lines == [1, 3]));
}

#[test]
fn a_section_keeps_line_breaks_and_last_line() {
    let note = path("N.md");
    let crlf = edited("# A\r\n\r\nold\r\n\r\n# B\r\nx", |overlay| overlay.replace_section(&note, "A", "1\n2")).unwrap();
    assert_eq!(crlf, "# A\r\n\r\n1\r\n2\r\n\r\n# B\r\nx");
    let last = edited("# A\nold", |overlay| overlay.replace_section(&note, "A", "new\n")).unwrap();
    assert_eq!(last, "# A\nnew");
    let underlined =
        edited("A\n===\nold\n\nB\n---\nkept\n", |overlay| overlay.replace_section(&note, "B", "new")).unwrap();
    assert_eq!(underlined, "A\n===\nold\n\nB\n---\nnew\n");
}

#[test]
fn what_ends_where_it_began_is_no_change() {
    let place = TestVault::new(&[("N.md", "a\n")]);
    let mut overlay = place.overlay();
    overlay.replace_text(&path("N.md"), "a", "b", 1).unwrap();
    assert_eq!(overlay.changes().len(), 1);
    overlay.replace_text(&path("N.md"), "b", "a", 1).unwrap();
    overlay.create(&path("New.md"), "x").unwrap();
    overlay.delete(&path("New.md")).unwrap();
    overlay.delete(&path("N.md")).unwrap();
    assert!(!overlay.contains(&path("N.md")) && overlay.read(&path("N.md")).unwrap().is_none());
    overlay.create(&path("N.md"), "a\n").unwrap();
    assert!(overlay.changes().is_empty());
    assert_eq!(overlay.paths(), [path("N.md")]);
}

#[test]
fn creating_never_overwrites() {
    let place = TestVault::new(&[("dir/N.md", "a"), ("dir/i.png", "")]);
    let mut overlay = place.overlay();
    for taken in ["dir/N.md", "Dir/n.md", "dir/N.md/x.md", "dir/i.png/x.md"] {
        assert!(overlay.create(&path(taken), "x").is_err(), "{taken}");
    }
    overlay.delete(&path("dir/N.md")).unwrap();
    overlay.create(&path("dir/N.md"), "b").unwrap();
    assert_eq!(overlay.expect(&path("dir/N.md")).unwrap().text(), "b");
    for edit in ["absent.md", "N.md"] {
        match overlay.append(&path(edit), "x").unwrap_err() {
            VaultError::NoSuchNote { similar, .. } => assert_eq!(similar.len(), usize::from(edit == "N.md")),
            other => panic!("{other}"),
        }
    }
}
