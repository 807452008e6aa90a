//! Moving a note: which links change, and how.

use std::collections::BTreeSet;

use graphloom_vault::{LinkIndex, Notes, Resolution, VaultError, transaction};
use proptest::prelude::*;

use super::{TestVault, path};

/// `Old.md` in `dir` becomes `to`; a note `from` with `before` is to read `after`.
#[track_caller]
fn check(others: &[&str], (old, new): (&str, &str), (from, before): (&str, &str), after: &str) {
    let mut files = vec![(old, "# Old\n\n## Part\n\ntext ^block\n"), (from, before)];
    files.extend(others.iter().map(|other| (*other, "other\n")));
    let place = TestVault::new(&files);
    let mut overlay = place.overlay();
    let sound = |overlay: &graphloom_vault::Overlay| LinkIndex::build(overlay).unresolved().len();
    let unresolved = sound(&overlay);
    let renamed = overlay.rename(&path(old), &path(new)).unwrap();
    assert_eq!(overlay.expect(&path(from)).unwrap().text(), after, "{renamed:?}");
    assert_eq!(sound(&overlay), unresolved);
    assert!(!overlay.contains(&path(old)) && overlay.contains(&path(new)));
    assert_eq!(renamed.links() > 0, before != after);
}

#[test]
fn every_form_keeps_its_form() {
    let to = ("Old.md", "New name.md");
    for (before, after) in [
        ("[[Old]]", "[[New name]]"),
        ("[[old]]", "[[New name]]"),
        ("[[Old.md]]", "[[New name.md]]"),
        ("[[Old|shown]]", "[[New name|shown]]"),
        ("[[Old#Part]]", "[[New name#Part]]"),
        ("[[Old#Old#Part|x]]", "[[New name#Old#Part|x]]"),
        ("[[Old#^block]]", "[[New name#^block]]"),
        ("![[Old]] ![[Old#Part]]", "![[New name]] ![[New name#Part]]"),
        ("[[ Old ]]", "[[ New name ]]"),
        (
            "| a | b |\n|---|---|\n| [[Old\\|x]] | [[Old]] |",
            "| a | b |\n|---|---|\n| [[New name\\|x]] | [[New name]] |",
        ),
        ("[x](Old.md)", "[x](New%20name.md)"),
        ("[x](Old.md#part)", "[x](New%20name.md#part)"),
        ("[x](<Old.md>)", "[x](<New name.md>)"),
        ("[x](Old)", "[x](New%20name)"),
        ("![x](Old.md \"title\")", "![x](New%20name.md \"title\")"),
        ("[x](./Old.md)", "[x](./New%20name.md)"),
        ("[x][r]\n\n[r]: Old.md 'title'\n", "[x][r]\n\n[r]: New%20name.md 'title'\n"),
        ("[[/Old]] [x](/Old.md)", "[[/New name]] [x](/New%20name.md)"),
        ("---\nup: \"[[Old]]\"\n---\n", "---\nup: \"[[New name]]\"\n---\n"),
        ("---\nup:\n  - '[[Old|o]]' # c\n---\n", "---\nup:\n  - '[[New name|o]]' # c\n---\n"),
        ("a [[Old]] b\r\n[[Old]]", "a [[New name]] b\r\n[[New name]]"),
    ] {
        check(&[], to, ("From.md", before), after);
    }
}

#[test]
fn what_is_no_link_is_not_touched() {
    let text = "`[[Old]]`\n\n```\n[[Old]]\n```\n\n    [[Old]]\n\n%% [[Old]] %%\n\n$[[Old]]$\n\n<!-- [[Old]] -->\n\n\\[[Old]] \
                [x](https://a.b/Old.md) Old #Old\n";
    check(&[], ("Old.md", "New.md"), ("From.md", text), text);
}

#[test]
fn only_links_that_would_lead_elsewhere_change() {
    // A bare name still finds the note in its new folder.
    check(&[], ("Old.md", "dir/Old.md"), ("From.md", "[[Old]] [[dir/x]]"), "[[Old]] [[dir/x]]");
    check(&[], ("dir/Old.md", "Old.md"), ("From.md", "[[Old]] [[dir/Old]]"), "[[Old]] [[Old]]");
    check(&[], ("a/Old.md", "b/Old.md"), ("From.md", "[[a/Old]] [[Old|x]]"), "[[b/Old]] [[Old|x]]");
    check(&[], ("a/b/Old.md", "a/b/New.md"), ("From.md", "[[b/Old]] [[a/b/Old]]"), "[[b/New]] [[a/b/New]]");
}

#[test]
fn a_name_that_becomes_ambiguous_is_lengthened() {
    // The root's `New` would win, so the bare name no longer leads to the moved note.
    check(&["New.md"], ("a/Old.md", "a/New.md"), ("From.md", "[[Old]]"), "[[a/New]]");
    // A note that would win over one that is not moved at all.
    check(&["a/New.md"], ("Old.md", "New.md"), ("From.md", "[[New]] [[Old]]"), "[[a/New]] [[New]]");
}

#[test]
fn the_moved_notes_own_relative_links_are_computed_anew() {
    let place = TestVault::new(&[
        ("a/Old.md", "[b](B.md) [c](../C.md) [[../C]] [[./B]] [[B]] [[Old#x]] ![i](img/i.png) [w](https://x.y)\n"),
        ("a/B.md", "[old](Old.md) [[Old]]"),
        ("C.md", "[old](a/Old.md)"),
        ("a/img/i.png", ""),
    ]);
    let mut overlay = place.overlay();
    let renamed = overlay.rename(&path("a/Old.md"), &path("deep/er/New.md")).unwrap();
    let text = |at: &str| overlay.expect(&path(at)).unwrap().text().to_owned();
    assert_eq!(
        text("deep/er/New.md"),
        "[b](../../a/B.md) [c](../../C.md) [[../../C]] [[../../a/B]] [[B]] [[New#x]] ![i](../../a/img/i.png) \
         [w](https://x.y)\n"
    );
    assert_eq!(text("a/B.md"), "[old](../deep/er/New.md) [[New]]");
    assert_eq!(text("C.md"), "[old](deep/er/New.md)");
    assert_eq!(renamed.relinked.len(), 3);
    assert_eq!(renamed.relinked[&path("a/B.md")][0].before, "Old.md");
}

#[test]
fn only_the_case_of_the_name_can_change() {
    let place = TestVault::new(&[("note.md", "x"), ("From.md", "[[note]] [[NOTE]]")]);
    let before = place.tree();
    let mut overlay = place.overlay();
    overlay.rename(&path("note.md"), &path("Note.md")).unwrap();
    // Names are compared without case, so no link changes.
    assert_eq!(overlay.expect(&path("From.md")).unwrap().text(), "[[note]] [[NOTE]]");
    transaction::apply(&place.vault, "case", overlay.changes()).unwrap();
    let names: Vec<String> = place.tree().into_keys().collect();
    assert_eq!(names, ["From.md", "Note.md"]);
    transaction::undo(&place.vault, "case", &Default::default()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn nothing_is_overwritten() {
    let place = TestVault::new(&[("A.md", "a"), ("B.md", "b"), ("x/y.png", "")]);
    let mut overlay = place.overlay();
    for to in ["B.md", "b.md", "B.md/C.md"] {
        assert!(overlay.rename(&path("A.md"), &path(to)).is_err(), "{to}");
    }
    assert!(matches!(overlay.rename(&path("C.md"), &path("D.md")), Err(VaultError::NoSuchNote { .. })));
    assert!(overlay.changes().is_empty());
}

#[test]
fn moving_back_leaves_no_change() {
    let place = TestVault::new(&[("Old.md", "[me](Old.md)"), ("From.md", "[[Old]] [x](Old.md)")]);
    let mut overlay = place.overlay();
    overlay.rename(&path("Old.md"), &path("dir/New.md")).unwrap();
    overlay.rename(&path("dir/New.md"), &path("dir/Newer.md")).unwrap();
    let moved = overlay.changes().get(&path("dir/Newer.md")).unwrap();
    assert_eq!(moved.moved_from, Some(path("Old.md")));
    overlay.rename(&path("dir/Newer.md"), &path("Old.md")).unwrap();
    assert!(overlay.changes().is_empty(), "{:?}", overlay.changes());
    assert!(overlay.changes().moves().is_empty());
}

#[test]
fn a_move_and_its_links_are_one_group() {
    let place = TestVault::new(&[("Old.md", "x"), ("From.md", "[[Old]]"), ("Other.md", "y")]);
    let mut overlay = place.overlay();
    overlay.rename(&path("Old.md"), &path("New.md")).unwrap();
    overlay.append(&path("Other.md"), "more").unwrap();
    let changes = overlay.changes();
    let tied = BTreeSet::from([path("From.md"), path("New.md"), path("Old.md")]);
    assert_eq!(changes.groups(), [tied, BTreeSet::from([path("Other.md")])]);
    assert_eq!(changes.only([&path("From.md")]).len(), 3);
    assert_eq!(changes.only([&path("From.md")]).moves().len(), 1);
    assert_eq!(changes.only([&path("Other.md")]).len(), 1);
    assert!(changes.only([]).is_empty());
}

#[test]
fn links_that_are_written_in_another_way_follow_too() {
    let text = "[[Cafe\u{301}]] [x](Caf%C3%A9.md) [y](Cafe%CC%81.md) [z](<./Caf\u{e9}.md>) [[caf\u{c9}|c]]\n";
    let after = "[[Tea]] [x](Tea.md) [y](Tea.md) [z](<./Tea.md>) [[Tea|c]]\n";
    check(&[], ("Caf\u{e9}.md", "Tea.md"), ("From.md", text), after);
    let (text, after) = ("[x](a\\(1\\).md) [y](a(1).md#p)\n", "[x](b.md) [y](b.md#p)\n");
    let place = TestVault::new(&[("a(1).md", ""), ("From.md", text)]);
    let mut overlay = place.overlay();
    let from = graphloom_vault::NotePath::of_file("a(1).md").unwrap();
    overlay.rename(&from, &path("b.md")).unwrap();
    assert_eq!(overlay.expect(&path("From.md")).unwrap().text(), after);
}

#[test]
fn a_note_of_an_odd_name_takes_its_links_along() {
    let of_file = |path: &str| graphloom_vault::NotePath::of_file(path).unwrap();
    let text = "---\nup: \"[[Quoted \\\"x\\\"]]\"\n---\n[[What is it?|w]] [c](C%23%20notes.md) [[Quoted \"x\"#p]]\n";
    let files =
        [("C# notes.md", "[[b/AC: DC]]\n"), ("Quoted \"x\".md", ""), ("What is it?.md", ""), ("b/AC: DC.md", "")];
    let mut files = files.to_vec();
    files.push(("From.md", text));
    let place = TestVault::new(&files);
    let mut overlay = place.overlay();
    for (from, to) in
        [("What is it?.md", "What.md"), ("C# notes.md", "lang/C# notes.md"), ("Quoted \"x\".md", "Quoted.md")]
    {
        overlay.rename(&of_file(from), &of_file(to)).unwrap();
    }
    overlay.rename_folder("b", "bands").unwrap();
    let text = |at: &str| overlay.expect(&of_file(at)).unwrap().text().to_owned();
    assert_eq!(text("From.md"), "---\nup: \"[[Quoted]]\"\n---\n[[What|w]] [c](lang/C%23%20notes.md) [[Quoted#p]]\n");
    assert_eq!(text("lang/C# notes.md"), "[[bands/AC: DC]]\n");
}

#[test]
fn a_link_that_could_not_be_written_stops_the_move() {
    // Between brackets the folder's `#` would begin a heading, and without it the link leads to the other note.
    let place = TestVault::new(&[("C#/Old.md", ""), ("From.md", "[[Old]]"), ("x.md", "")]);
    let mut overlay = place.overlay();
    let error = overlay.rename(&path("x.md"), &path("Old.md")).unwrap_err();
    assert!(matches!(&error, VaultError::IllegalEdit { .. }), "{error}");
    assert!(error.to_string().contains("`Old` on line 1"), "{error}");
    assert!(overlay.create(&path("Old.md"), "new").is_err());
    assert!(overlay.changes().is_empty());
}

const CANVAS: &str = "{\n\t\"nodes\":[\n\t\t{\"id\":\"1\",\"type\":\"file\",\"file\":\"a/Old.md\",\"subpath\":\"#Part\"},\n\
    \t\t{\"type\":\"text\",\"text\":\"\\\"[[Old|o]]\\\"\\n![[p.png]] [[To come]]\",\"x\":1.50},{\"type\":\"group\",\"background\":\"a\\/p.png\"}],\n\
    \t\"edges\":[] }";
const BASE: &str = "filters:\n  and:\n    - file.hasLink(\"Old\") # c\n    - 'file.path != \"a/Old.md\"'\n    - \
    \"file.inFolder(\\\"a\\\")\"\nviews:\n  - type: table\n    name: Old\n";

#[test]
fn cards_filters_and_pictures_follow() {
    let of_file = |path: &str| graphloom_vault::NotePath::of_file(path).unwrap();
    let place = TestVault::of_bytes(&[
        ("a/Old.md", b"![](p.png)"),
        ("a/p.png", &[0, 255]),
        ("B.canvas", CANVAS.as_bytes()),
        ("v.base", BASE.as_bytes()),
        ("bad.canvas", b"{ [[Old]]"),
        ("From.md", b"![[B.canvas]] ![[a/p.png|100]]"),
    ]);
    let before = place.tree();
    let mut overlay = place.overlay();
    let renamed = overlay.rename(&path("a/Old.md"), &path("a/New one.md")).unwrap();
    assert_eq!((renamed.links(), renamed.unread.as_slice()), (4, [of_file("bad.canvas")].as_slice()));
    let renamed = overlay.rename_folder("a", "c/d").unwrap();
    assert_eq!(renamed.moved.len(), 2);
    overlay.rename(&of_file("B.canvas"), &of_file("boards/B.canvas")).unwrap();
    overlay.rename(&of_file("c/d/p.png"), &of_file("pictures/q.png")).unwrap();
    assert!(LinkIndex::build(&overlay).unresolved().iter().all(|link| link.link.target == "To come"));
    assert_eq!(overlay.changes().groups().len(), 1, "it is approved as one");
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    let text = |at: &str| String::from_utf8(place.tree()[at].clone().unwrap()).unwrap();
    let canvas = CANVAS.replace("a/Old.md", "c/d/New one.md").replace("[[Old|", "[[New one|").replace("a\\/p", "a/p");
    assert_eq!(text("boards/B.canvas"), canvas.replace("a/p.png", "pictures/q.png").replace("[[p.png]]", "[[q.png]]"));
    let base = BASE.replace("\"Old\"", "\"New one\"").replace("a/Old.md", "c/d/New one.md");
    assert_eq!(text("v.base"), base.replace("\\\"a\\\"", "\\\"c/d\\\""));
    assert_eq!(text("From.md"), "![[B.canvas]] ![[pictures/q.png|100]]");
    assert_eq!(text("c/d/New one.md"), "![](../../pictures/q.png)");
    assert_eq!(place.tree()["pictures/q.png"], Some(vec![0, 255]));
    transaction::undo(&place.vault, "run", &Default::default()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn links_made_after_the_move_was_planned_follow_too() {
    let place = TestVault::new(&[("Old.md", ""), ("From.md", "[[Old]]"), ("Later.md", "")]);
    let mut overlay = place.overlay();
    overlay.rename(&path("Old.md"), &path("dir/New.md")).unwrap();
    std::fs::write(place.root().join("Later.md"), "[[Old#h|x]] [[New]]").unwrap();
    std::fs::write(place.root().join("Fresh.md"), "![](Old.md)").unwrap();
    place.vault.refresh().unwrap();
    let before = place.tree();
    let done = overlay.catch_up().unwrap();
    assert_eq!((done.links(), overlay.changes().groups().len()), (2, 1));
    assert_eq!(overlay.catch_up().unwrap().links(), 0);
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    let text = |at: &str| place.vault.expect(&path(at)).unwrap().text().to_owned();
    assert_eq!((text("Later.md").as_str(), text("Fresh.md").as_str()), ("[[New#h|x]] [[New]]", "![](dir/New.md)"));
    transaction::undo(&place.vault, "run", &Default::default()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn a_canvas_that_was_moved_as_it_is_still_follows_its_cards() {
    let of_file = |path: &str| graphloom_vault::NotePath::of_file(path).unwrap();
    let place = TestVault::new(&[("A.md", ""), ("B.canvas", "{\"nodes\":[{\"file\":\"A.md\"}]}")]);
    let before = place.tree();
    let mut overlay = place.overlay();
    overlay.rename(&of_file("B.canvas"), &of_file("x/C.canvas")).unwrap();
    assert!(overlay.changes().get(&of_file("x/C.canvas")).unwrap().carried.is_some());
    overlay.rename(&path("A.md"), &path("y/A.md")).unwrap();
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    assert_eq!(place.tree()["x/C.canvas"], Some(b"{\"nodes\":[{\"file\":\"y/A.md\"}]}".to_vec()));
    transaction::undo(&place.vault, "run", &Default::default()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn a_new_note_takes_no_link_from_another() {
    let place =
        TestVault::new(&[("a/Plan.md", ""), ("From.md", "[[Plan]] [[plan#x|p]] [[To come]]"), ("a/b.md", "[[Plan]]")]);
    let mut overlay = place.overlay();
    let made = overlay.create(&path("Plan.md"), "mine [[Plan]]").unwrap();
    assert_eq!(made.links(), 3);
    assert_eq!(overlay.expect(&path("From.md")).unwrap().text(), "[[a/Plan]] [[a/Plan#x|p]] [[To come]]");
    assert_eq!(overlay.expect(&path("a/b.md")).unwrap().text(), "[[a/Plan]]");
    assert_eq!(overlay.written(&path("Plan.md")), std::slice::from_ref(&(0..13)));
    assert!(overlay.written(&path("From.md")).is_empty());
    assert_eq!(overlay.changes().groups().len(), 1);
    overlay.create(&path("To come.md"), "x").unwrap();
    assert_eq!(overlay.changes().groups().len(), 2);
}

#[test]
fn a_merged_note_keeps_every_link_to_it_and_in_it() {
    let gone = "---\ntags: [b, c]\nup: \"[[../x/C]]\"\nstatus: old\n---\n## Part\n\n[c](C.md) [[To come]] ![[missing.png]] [[#Part]] `[[A]]`\n";
    let place = TestVault::new(&[
        ("A.md", "---\ntags: [a, b]\nstatus: new # mine\n---\n# A\n\nSee [[B]].\n"),
        ("x/B.md", gone),
        ("x/C.md", "[[B#Part|b]] ![[x/B]]\n"),
        ("b.canvas", "{\"nodes\":[{\"type\":\"file\",\"file\":\"x/B.md\"}]}"),
    ]);
    let before = place.tree();
    let mut overlay = place.overlay();
    let merged = overlay.merge(&path("x/B.md"), &path("A.md")).unwrap();
    assert_eq!(
        merged.told,
        [
            "both notes have the key `status`; the value of `A.md` stays, and that of `x/B.md` is left out: `status: old`"
        ]
    );
    let text = overlay.expect(&path("A.md")).unwrap().text().to_owned();
    assert!(
        text.ends_with("# A\n\nSee [[A]].\n## Part\n\n[c](x/C.md) [[To come]] ![[missing.png]] [[#Part]] `[[A]]`\n"),
        "{text}"
    );
    assert!(text.contains("status: new # mine\n") && text.contains("[[./x/C]]"), "{text}");
    assert_eq!(overlay.expect(&path("A.md")).unwrap().tag_names(), ["a", "b", "c"]);
    assert_eq!(overlay.expect(&path("x/C.md")).unwrap().text(), "[[A#Part|b]] ![[A]]\n");
    assert!(overlay.written(&path("A.md")).is_empty(), "all of it was there before");
    assert_eq!(overlay.changes().groups().len(), 1);
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    assert!(place.tree().contains_key(".trash/B.md"));
    transaction::undo(&place.vault, "run", &Default::default()).unwrap();
    assert_eq!(place.tree(), before);

    // What would change the meaning of a link is refused.
    for (home, gone) in
        [("```\nopen", "[[C]]\n"), ("[x][r]\n\n[r]: C.md\n", "[y][r]\n\n[r]: A.md\n"), ("%% open", "[[C]] %%")]
    {
        let place = TestVault::new(&[("A.md", home), ("B.md", gone), ("C.md", "")]);
        let mut overlay = place.overlay();
        assert!(overlay.merge(&path("B.md"), &path("A.md")).is_err(), "{home}");
        assert!(overlay.changes().is_empty());
    }
}

#[test]
fn links_to_a_deleted_note_can_be_led_to_another() {
    let place =
        TestVault::new(&[("Old.md", ""), ("a/Old.md", ""), ("New.md", ""), ("From.md", "[[Old#h|x]] [[a/Old]]")]);
    let mut overlay = place.overlay();
    overlay.delete(&path("Old.md")).unwrap();
    assert_eq!(overlay.linking_to_deleted(&path("Old.md")), [path("From.md")]);
    overlay.redirect(&path("Old.md"), &path("New.md")).unwrap();
    assert_eq!(overlay.expect(&path("From.md")).unwrap().text(), "[[New#h|x]] [[a/Old]]");
    assert!(overlay.linking_to_deleted(&path("Old.md")).is_empty());
}

const POOL: &[&str] = &["A.md", "B.md", "x/A.md", "x/B.md", "x/y/A.md", "x/y/C d.md", "z/C d.md", "z/é's.md", "Z/B.md"];

const LINKS: &[&str] = &[
    "[[A]]",
    "[[a#h|b]]",
    "[[B]]",
    "[[x/A]]",
    "[[y/A]]",
    "[[x/y/A.md]]",
    "[[./A]]",
    "[[../A]]",
    "[[../x/B]]",
    "[[/A]]",
    "![[C d]]",
    "[m](A.md)",
    "[m](./B.md)",
    "[m](../A.md)",
    "[m](x/A.md)",
    "[m](C%20d.md)",
    "[m](<../z/C d.md>)",
    "[[é's]]",
    "[m](/x/B.md)",
];

proptest! {
    #[test]
    fn after_a_move_every_link_leads_where_it_led(
        notes in proptest::collection::btree_map(0..POOL.len(), proptest::collection::vec(0..LINKS.len(), 0..5), 2..7),
        yaml in 0..3_usize,
        (from, to) in (0..POOL.len(), 0..POOL.len()),
    ) {
        let text = |links: &Vec<usize>| {
            let links: Vec<&str> = links.iter().map(|at| LINKS[*at]).collect();
            match (yaml, links.first()) {
                (1, Some(link)) => format!("---\nup: '{}'\n---\n{}", link.replace('\'', "''"), links.join(" ")),
                (2, Some(link)) => format!("---\nup: [\"{link}\"]\n---\n{}", links.join(" ")),
                _ => links.join(" "),
            }
        };
        let texts: Vec<(&str, String)> = notes.iter().map(|(at, links)| (POOL[*at], text(links))).collect();
        let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let place = TestVault::new(&files);
        let (from, to) = (path(POOL[from]), path(POOL[to]));
        let mut overlay = place.overlay();
        let before = LinkIndex::build(&overlay);
        if overlay.rename(&from, &to).is_err() {
            prop_assert!(overlay.changes().is_empty());
            return Ok(());
        }
        let after = LinkIndex::build(&overlay);
        for note in before.notes() {
            let place_now = if *note.path() == from { &to } else { note.path() };
            let (old, new) = (before.outgoing(note.path()), after.outgoing(place_now));
            prop_assert_eq!(old.len(), new.len());
            for (old, new) in old.iter().zip(new) {
                if let Resolution::Unresolved(_) = old.to {
                    prop_assert_eq!(&old.link.target, &new.link.target);
                    continue;
                }
                let expected = old.to.note().map(|path| if *path == from { &to } else { path });
                prop_assert_eq!(new.to.note(), expected, "{:?} became {:?}", old, new);
                prop_assert_eq!((&old.link.anchor, &old.link.shown), (&new.link.anchor, &new.link.shown));
            }
        }
        overlay.rename(&to, &from).unwrap();
        prop_assert_eq!(overlay.paths(), place.vault.paths());
    }
}
