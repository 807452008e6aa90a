//! What links lead to.

use graphloom_vault::{LinkIndex, Notes, Resolution};

use super::{TestVault, path};

const FILES: &[(&str, &str)] = &[
    ("Home.md", "# Home"),
    ("a/Note.md", "# Note\n## Part one\ntext ^b1\n## Sub\n"),
    ("a/deep/Note.md", "# Deep"),
    ("b/Note.md", "# B"),
    ("b/Only.md", "---\naliases: [The only one]\n---\n"),
    ("b/v1.2.md", ""),
    ("img/Pic.PNG", ""),
    ("日本/ノート.md", "# 見出し\n"),
];

/// What `link`, in the note `from`, leads to: a path, `same`, `?`, or a path with what is missing of it.
fn leads(from: &str, link: &str) -> String {
    let mut files = FILES.to_vec();
    files.push((from, link));
    let place = TestVault::new(&files);
    let index = LinkIndex::build(&*place.vault);
    let links = index.outgoing(&path(from));
    assert_eq!(links.len(), 1, "{link}");
    match &links[0].to {
        Resolution::Note(path) => path.to_string(),
        Resolution::SameNote => "same".to_owned(),
        Resolution::MissingHeading(path) => format!("{path} without heading"),
        Resolution::MissingBlock(path) => format!("{path} without block"),
        Resolution::Attachment(path) => path.clone(),
        Resolution::Unresolved(near) => format!("? {}", near.iter().map(ToString::to_string).collect::<String>()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn resolution() {
    for (from, link, to) in [
        ("x.md", "[[Home]]", "Home.md"),
        ("x.md", "[[home.MD]]", "Home.md"),
        ("x.md", "[[Only]]", "b/Only.md"),
        ("x.md", "[[a/note]]", "a/Note.md"),
        ("x.md", "[[deep/Note]]", "a/deep/Note.md"),
        // Several: the shortest path, but below the folder of the link first.
        ("x.md", "[[Note]]", "a/Note.md"),
        ("b/x.md", "[[Note]]", "b/Note.md"),
        ("a/deep/x.md", "[[Note]]", "a/deep/Note.md"),
        ("a/deep/x.md", "[[Home]]", "Home.md"),
        ("a/x.md", "[[deep/Note]]", "a/deep/Note.md"),
        ("a/deep/x.md", "[[../Note]]", "a/Note.md"),
        ("a/x.md", "[[./Note]]", "a/Note.md"),
        ("a/x.md", "[[/b/Note]]", "b/Note.md"),
        ("a/x.md", "[[../../Note]]", "? a/Note.md"),
        ("a/x.md", "[[../Only]]", "? b/Only.md"),
        ("x.md", "[[v1.2]]", "b/v1.2.md"),
        ("x.md", "![[pic.png|200]]", "img/Pic.PNG"),
        ("x.md", "[[Pic]]", "? "),
        ("x.md", "[[ote]]", "? "),
        ("x.md", "[[ノート#見出し]]", "日本/ノート.md"),
        ("x.md", "[[The only one]]", "? b/Only.md"),
        ("x.md", "[[Note#Part one]]", "a/Note.md"),
        ("x.md", "[[Note#note#part  ONE]]", "a/Note.md"),
        ("x.md", "[[Note#Sub#Part one]]", "a/Note.md without heading"),
        ("x.md", "[[Note#Part two]]", "a/Note.md without heading"),
        ("x.md", "[[Note#^b1]]", "a/Note.md"),
        ("x.md", "[[Note#^b2]]", "a/Note.md without block"),
        ("x.md", "# Here\n[[#Here]]", "same"),
        ("x.md", "# Here\n[[#There]]", "x.md without heading"),
        ("x.md", "[x](a/Note.md#part-one)", "a/Note.md"),
        ("b/x.md", "[x](Note.md)", "b/Note.md"),
        ("b/x.md", "[x](../a/Note.md)", "a/Note.md"),
        ("b/x.md", "[x](a/Note.md)", "a/Note.md"),
        ("x.md", "[x](%E6%97%A5%E6%9C%AC/%E3%83%8E%E3%83%BC%E3%83%88.md)", "日本/ノート.md"),
        ("x.md", "---\nup: \"[[Home]]\"\n---\n", "Home.md"),
    ] {
        assert_eq!(leads(from, link), to, "{link} in {from}");
    }
}

#[test]
fn a_markdown_link_is_read_from_its_own_folder_first() {
    let place = TestVault::new(&[("N.md", ""), ("d/N.md", ""), ("d/x.md", "[a](N.md) [[N]]")]);
    let index = LinkIndex::build(&*place.vault);
    let links = index.outgoing(&path("d/x.md"));
    let to: Vec<&Resolution> = links.iter().map(|link| &link.to).collect();
    assert_eq!(to, [&Resolution::Note(path("d/N.md")), &Resolution::Note(path("N.md"))]);
}

#[test]
fn backlinks_orphans_and_dead_ends() {
    let place = TestVault::new(&[
        ("A.md", "[[B]] [[B#x]] [[A]] [[gone]]"),
        ("B.md", "![[i.png]]"),
        ("C.md", "[[C]] [b](B.md)"),
        ("i.png", ""),
    ]);
    let index = LinkIndex::build(&*place.vault);
    let from: Vec<String> = index.backlinks(&path("B.md")).iter().map(|link| link.from.to_string()).collect();
    assert_eq!(from, ["A.md", "A.md", "C.md"]);
    assert_eq!(index.orphans(), [&path("A.md"), &path("C.md")]);
    assert_eq!(index.dead_ends(), [&path("B.md")]);
    assert_eq!(index.unresolved().iter().map(|link| link.link.target.as_str()).collect::<Vec<_>>(), ["gone"]);
    assert_eq!(index.broken_anchors().len(), 1);
}

#[test]
fn a_name_resolves_without_a_link() {
    let place = TestVault::new(FILES);
    let index = LinkIndex::build(&*place.vault);
    assert_eq!(index.resolve_name("only"), Resolution::Note(path("b/Only.md")));
    assert_eq!(index.resolve_name("a/Note#Sub"), Resolution::Note(path("a/Note.md")));
    assert_eq!(index.resolve_name("a/Note#Gone"), Resolution::MissingHeading(path("a/Note.md")));
    for nothing in ["", "#Sub", "gone"] {
        assert_eq!(index.resolve_name(nothing), Resolution::Unresolved(Vec::new()));
    }
}

#[test]
fn pending_changes_count() {
    let place = TestVault::new(&[("A.md", "[[New]] [[B]]"), ("B.md", "")]);
    let mut overlay = place.overlay();
    overlay.create(&path("New.md"), "[[A]]").unwrap();
    overlay.delete(&path("B.md")).unwrap();
    let index = LinkIndex::build(&overlay);
    assert_eq!(index.unresolved().len(), 1);
    assert_eq!(index.backlinks(&path("New.md")).len(), 1);
    assert_eq!(index.backlinks(&path("A.md"))[0].from, path("New.md"));
    assert_eq!(overlay.paths(), [path("A.md"), path("New.md")]);
    assert_eq!(LinkIndex::build(&*place.vault).unresolved().len(), 1);
}
