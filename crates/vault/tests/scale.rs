//! Ten thousand notes are read, linked and moved; the times are printed, not judged.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use graphloom_vault::{Changes, LinkIndex, NotePath, Notes, Overlay, Vault, VaultOptions};

const NOTES: usize = 10_000;
const WRITES: usize = 48;

#[test]
fn ten_thousand_notes_are_read_and_one_of_them_moved() {
    let dir = tempfile::tempdir().unwrap();
    let old = SystemTime::now() - Duration::from_secs(60);
    for folder in 0..100 {
        let folder_path = dir.path().join(format!("folder {folder}"));
        fs::create_dir(&folder_path).unwrap();
        for number in 0..NOTES / 100 {
            let this = folder * 100 + number;
            let text = format!(
                "---\ntags: [t{folder}, all]\naliases: [Alias {this}]\n---\n# Note {this}\n\nSee [[Note {}]] and [n](Note%20{}.md). \
                 #inline/{number}\n\n{}\n\n## Part\n\n`code [[x]]` [[Note {}#Part]]\n",
                (this + 1) % NOTES,
                folder * 100 + (number + 1) % 100,
                "Some words that make a paragraph of usual length, again and again. ".repeat(20),
                (this + 500) % NOTES,
            );
            let path = folder_path.join(format!("Note {this}.md"));
            fs::write(&path, text).unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        }
    }
    let start = Instant::now();
    let vault = Arc::new(Vault::open(dir.path(), VaultOptions::default()).unwrap());
    let opened = start.elapsed();
    let index = vault.links();
    let built = start.elapsed() - opened;
    assert_eq!(vault.paths().len(), NOTES);
    assert!(index.unresolved().is_empty() && index.broken_anchors().is_empty() && index.orphans().is_empty());

    let again = Instant::now();
    assert_eq!(LinkIndex::build(&*vault).notes().len(), NOTES);
    let rebuilt = again.elapsed();

    let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
    let moving = Instant::now();
    let note = NotePath::parse("folder 0/Note 7.md").unwrap();
    let renamed = overlay.rename(&note, &NotePath::parse("folder 5/Renamed.md").unwrap()).unwrap();
    assert_eq!(renamed.links(), 4, "{renamed:?}");
    let moved = moving.elapsed();

    // What a write costs with the links after it, and what it costs to make all links anew.
    let writing = Instant::now();
    for number in 0..WRITES {
        let note = NotePath::parse(&format!("folder 1/Note {}.md", 100 + number)).unwrap();
        overlay.set_frontmatter(&note, "status", serde_json::json!("done")).unwrap();
        assert_eq!(overlay.links().outgoing(&note).len(), 3);
    }
    let a_write = writing.elapsed() / u32::try_from(WRITES).unwrap();
    let again_anew = Instant::now();
    assert_eq!(LinkIndex::build(&overlay).notes().len(), NOTES);
    let anew = again_anew.elapsed();
    let before = Instant::now();
    vault.refresh().unwrap();
    assert_eq!(overlay.links().notes().len(), NOTES);
    println!(
        "opened {opened:?}, read and linked {built:?}, again {rebuilt:?}, moved {moved:?}, a write {a_write:?}, \
         all links anew {anew:?}, listed again {:?}",
        before.elapsed()
    );
}
