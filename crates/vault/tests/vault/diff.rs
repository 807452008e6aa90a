//! Changes as a person sees them.

use graphloom_vault::{ChangeKind, SemanticChange, diff};
use serde_json::json;

use super::{TestVault, path};

#[test]
fn shows_lines_and_what_they_mean() {
    let place = TestVault::new(&[
        ("A.md", "---\nstatus: draft\nold: 1\n---\n[[Old]] and [[Old#Part]]\n"),
        ("Old.md", "text\n"),
        ("Gone.md", "one\ntwo\n"),
    ]);
    let mut overlay = place.overlay();
    overlay.set_frontmatter(&path("A.md"), "status", json!("done")).unwrap();
    overlay.remove_frontmatter(&path("A.md"), "old").unwrap();
    overlay.set_frontmatter(&path("A.md"), "new", json!([1])).unwrap();
    overlay.rename(&path("Old.md"), &path("dir/New.md")).unwrap();
    overlay.append(&path("A.md"), "[[More]]").unwrap();
    overlay.delete(&path("Gone.md")).unwrap();
    overlay.create(&path("Made.md"), "x\n").unwrap();

    let shown = diff(&place.vault, overlay.changes());
    let kinds: Vec<(&str, ChangeKind, usize, usize)> =
        shown.files.iter().map(|file| (file.path.as_str(), file.kind, file.added, file.removed)).collect();
    assert_eq!(
        kinds,
        [
            ("A.md", ChangeKind::Edited, 5, 3),
            ("Gone.md", ChangeKind::Deleted, 0, 2),
            ("Made.md", ChangeKind::Created, 1, 0),
            ("dir/New.md", ChangeKind::Moved, 0, 0),
        ]
    );
    assert_eq!(shown.counts(), (6, 5));
    assert_eq!(shown.files[3].moved_from, Some(path("Old.md")));
    let link = |before: &str, after: &str| SemanticChange::LinkRetargeted {
        before: before.to_owned(),
        after: after.to_owned(),
    };
    let key = |key: &str, before, after| SemanticChange::Frontmatter { key: key.to_owned(), before, after };
    assert_eq!(
        shown.files[0].meanings,
        [
            key("status", Some(json!("draft")), Some(json!("done"))),
            key("old", Some(json!(1)), None),
            key("new", None, Some(json!([1]))),
            link("Old", "New"),
            link("Old#Part", "New#Part"),
            SemanticChange::LinkAdded("More".to_owned()),
        ]
    );
    assert_eq!(
        shown.to_string(),
        "note `A.md` (+5 -3)\n  key `status`: \"draft\" → \"done\"\n  key `old` is gone: 1\n  key `new` is new: [1]\n  \
         link `Old` → `New`\n  link `Old#Part` → `New#Part`\n  link `More` is new\n\
         @@ -1,5 +1,7 @@\n ---\n-status: draft\n-old: 1\n+status: done\n+new:\n+  - 1\n ---\n-[[Old]] and [[Old#Part]]\n\
         +[[New]] and [[New#Part]]\n+[[More]]\n\n\
         note `Gone.md` goes to `.trash` (-2)\n@@ -1,2 +0,0 @@\n-one\n-two\n\n\
         new note `Made.md` (+1)\n@@ -0,0 +1 @@\n+x\n\n\
         note `Old.md` moves to `dir/New.md` (+0 -0)\n"
    );
}
