//! Links that follow what changes are those that a reading of every file finds.

use std::fs;

use graphloom_vault::{LinkIndex, NotePath, Notes, Overlay, transaction};
use proptest::prelude::*;

use super::TestVault;

const POOL: &[&str] = &[
    "A.md",
    "B.md",
    "x/A.md",
    "x/B.md",
    "x/y/A.md",
    "x/y/C d.md",
    "z/C d.md",
    "Z/b.md",
    "B.md.md",
    "m.canvas",
    "m.base",
];

const TEXTS: &[&str] = &[
    "",
    "# A\n\n[[B]] [[A#A]] [[A#Gone]] ^id\n",
    "---\naliases: [Other, B]\n---\n[[other]] [[x/A]] [[../A]] [m](../A.md) [m](x/B.md)\n",
    "[[C d]] ![[x/y/A]] [[B.md]] [[A#^id]] [[x/y/A/]] [[y/..]] [[..]]\n",
    "[r]: z/C%20d.md\n\n[r] [[a]] [[/x/A]] [[./A]] [[m.canvas]] [[To come]]\n",
];

/// What a canvas and a base hold; the last of each cannot be read.
const OTHERS: [[&str; 3]; 2] = [
    ["{\"nodes\":[{\"type\":\"file\",\"file\":\"x/A.md\"},{\"type\":\"text\",\"text\":\"[[B]]\"}]}", "{}", "{"],
    ["filters: file.inFolder(\"x\") && file.hasLink(\"A\")\n", "", "a: [\n"],
];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Append(usize, usize),
    Rename(usize, usize),
    RenameFolder(bool),
    Merge(usize, usize),
    Delete(usize),
    Redirect(usize, usize),
    /// Somebody else writes a file, and the vault is listed again.
    Foreign(usize, usize),
    ForeignDelete(usize),
    /// All changes are given up.
    Reset,
    /// All changes are written.
    Apply,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = || 0..POOL.len();
    let text = || 0..TEXTS.len();
    let one = prop_oneof![
        (at(), text()).prop_map(|(at, text)| Step::Write(at, text)),
        (at(), text()).prop_map(|(at, text)| Step::Append(at, text)),
        (at(), at()).prop_map(|(from, to)| Step::Rename(from, to)),
        any::<bool>().prop_map(Step::RenameFolder),
        (at(), at()).prop_map(|(from, to)| Step::Merge(from, to)),
        at().prop_map(Step::Delete),
        (at(), at()).prop_map(|(from, to)| Step::Redirect(from, to)),
        (at(), text()).prop_map(|(at, text)| Step::Foreign(at, text)),
        at().prop_map(Step::ForeignDelete),
        Just(Step::Reset),
        Just(Step::Apply),
    ];
    proptest::collection::vec(one, 1..14)
}

fn file(at: usize) -> NotePath {
    NotePath::of_file(POOL[at]).unwrap()
}

fn text(at: usize, text: usize) -> &'static str {
    match POOL[at] {
        "m.canvas" => OTHERS[0][text % 3],
        "m.base" => OTHERS[1][text % 3],
        _ => TEXTS[text],
    }
}

/// Whatever can be asked of links, asked.
fn answers(index: &LinkIndex, overlay: &Overlay) -> Vec<String> {
    let mut files: Vec<NotePath> = (0..POOL.len()).map(file).collect();
    files.extend(overlay.paths());
    let mut said: Vec<String> =
        files.iter().map(|path| format!("{path}: {:?} {:?}", index.outgoing(path), index.backlinks(path))).collect();
    said.push(format!("{:?} {:?} {:?}", index.unresolved(), index.broken_anchors(), index.unread()));
    said.push(format!("{:?} {:?}", index.orphans(), index.dead_ends()));
    said.extend(index.notes().iter().map(|note| format!("{} {}", note.path(), note.text())));
    said.extend(
        ["A", "b", "Other", "C d", "x/y/A#A", "To come", "m.canvas"]
            .map(|name| format!("{name}: {:?} {}", index.resolve_name(name), index.is_unresolved_target(name))),
    );
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn links_that_follow_changes_are_those_of_a_reading_of_every_file(
        start in proptest::collection::btree_map(0..POOL.len(), 0..TEXTS.len(), 2..9),
        steps in steps(),
    ) {
        let files: Vec<(&str, &str)> = start.iter().map(|(at, of)| (POOL[*at], text(*at, *of))).collect();
        let place = TestVault::new(&files);
        let mut overlay = place.overlay();
        for (number, step) in steps.iter().enumerate() {
            // A copy that goes its own way shares nothing that changes.
            let copy = overlay.clone();
            let before = answers(&copy.links(), &copy);
            // What is refused changes nothing.
            let _refused = match step {
                Step::Write(at, of) if file(*at).is_note() => overlay.write(&file(*at), text(*at, *of)).err(),
                Step::Append(at, of) => overlay.append(&file(*at), TEXTS[*of]).err(),
                Step::Rename(from, to) => overlay.rename(&file(*from), &file(*to)).err(),
                Step::RenameFolder(deep) => overlay.rename_folder(if *deep { "x/y" } else { "x" }, "w").err(),
                Step::Merge(from, to) => overlay.merge(&file(*from), &file(*to)).err(),
                Step::Delete(at) => overlay.delete(&file(*at)).err(),
                Step::Redirect(from, to) => overlay.redirect(&file(*from), &file(*to)).err(),
                Step::Foreign(at, of) => {
                    let full = place.root().join(POOL[*at]);
                    fs::create_dir_all(full.parent().unwrap()).unwrap();
                    fs::write(full, text(*at, *of)).unwrap();
                    None
                }
                Step::ForeignDelete(at) => {
                    let _absent = fs::remove_file(place.root().join(POOL[*at]));
                    None
                }
                Step::Reset => {
                    overlay = place.overlay();
                    None
                }
                Step::Apply => {
                    let done = transaction::apply(&place.vault, &format!("run-{number}"), overlay.changes());
                    if done.is_ok() {
                        overlay = place.overlay();
                    }
                    done.err()
                }
                Step::Write(..) => None,
            };
            if matches!(step, Step::Foreign(..) | Step::ForeignDelete(_)) {
                place.vault.refresh().unwrap();
            } else if !matches!(step, Step::Apply) {
                prop_assert_eq!(answers(&copy.links(), &copy), before, "{:?}", step);
            }
            let (kept, fresh) = (answers(&overlay.links(), &overlay), answers(&LinkIndex::build(&overlay), &overlay));
            prop_assert_eq!(kept, fresh, "{:?}", step);
        }
    }
}
