//! Files that are not what they should be: left alone, listed, never followed.

use std::fs;

use graphloom_vault::{LinkIndex, Notes, SkipReason, Vault, VaultError, VaultOptions, transaction};

use super::{TestVault, path};

#[test]
fn a_file_that_is_not_utf8_is_reported_and_never_changed() {
    let place = TestVault::of_bytes(&[
        ("Good.md", b"[[Bad]]"),
        ("Bad.md", &[0x66, 0xff, 0xfe]),
        ("Wide.md", &[0xff, 0xfe, b'a', 0]),
    ]);
    let before = place.tree();
    let bad = path("Bad.md");
    assert!(matches!(place.vault.read(&bad), Err(VaultError::NotUtf8 { .. })));
    let unread = place.vault.unreadable();
    assert_eq!(unread.len(), 2);
    assert!(unread.iter().all(|skipped| skipped.reason == SkipReason::NotUtf8));

    let mut overlay = place.overlay();
    assert!(overlay.append(&bad, "x").is_err());
    assert!(overlay.write(&bad, "x").is_err());
    assert!(overlay.create(&bad, "x").is_err());
    assert!(overlay.delete(&bad).is_err());
    assert!(overlay.rename(&bad, &path("C.md")).is_err());
    let renamed = overlay.rename(&path("Good.md"), &path("Better.md")).unwrap();
    assert_eq!(renamed.unread, [bad.clone(), path("Wide.md")]);
    assert_eq!(LinkIndex::build(&overlay).unread().len(), 2);
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    assert_eq!(place.tree()["Bad.md"], before["Bad.md"]);
}

#[test]
fn hidden_files_are_no_notes() {
    let place = TestVault::new(&[
        ("N.md", ""),
        (".obsidian/x.md", ""),
        (".trash/x.md", ""),
        (".git/x.md", ""),
        (".obsius/x.md", ""),
        ("sub/.hidden.md", ""),
        ("sub/.dir/x.png", ""),
    ]);
    assert_eq!(place.vault.paths(), [path("N.md")]);
    assert!(place.vault.attachments().is_empty() && place.vault.skipped().is_empty());
}

#[test]
fn large_notes_are_left_alone() {
    let place = TestVault::new(&[("Big.md", "0123456789")]);
    let vault = Vault::open(place.root(), VaultOptions::default().max_note_bytes(5)).unwrap();
    assert_eq!(vault.skipped()[0].reason, SkipReason::TooLarge(10));
    assert!(matches!(vault.read(&path("Big.md")), Err(VaultError::TooLarge { bytes: 10, limit: 5, .. })));
    let mut overlay = graphloom_vault::Overlay::new(std::sync::Arc::new(vault), Default::default());
    assert!(matches!(overlay.create(&path("New.md"), "too long"), Err(VaultError::TooLarge { .. })));
}

#[test]
fn a_vault_must_be_a_directory() {
    let place = TestVault::new(&[("N.md", "")]);
    for root in [place.root().join("N.md"), place.root().join("absent")] {
        assert!(matches!(Vault::open(&root, VaultOptions::default()), Err(VaultError::NotAVault { .. })));
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A vault beside a secret, with links of every kind to it.
    fn with_links() -> (TestVault, tempfile::TempDir) {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("Secret.md"), "secret").unwrap();
        let place = TestVault::new(&[("N.md", "inside"), ("dir/M.md", "")]);
        symlink(outside.path().join("Secret.md"), place.root().join("Out.md")).unwrap();
        symlink(outside.path(), place.root().join("out")).unwrap();
        symlink(place.root().join("N.md"), place.root().join("In.md")).unwrap();
        symlink("dir", place.root().join("loop")).unwrap();
        symlink("nowhere.md", place.root().join("Dangling.md")).unwrap();
        place.vault.refresh().unwrap();
        (place, outside)
    }

    #[test]
    fn symbolic_links_are_neither_read_nor_written_through() {
        let (place, outside) = with_links();
        assert_eq!(place.vault.paths(), [path("N.md"), path("dir/M.md")]);
        let skipped: Vec<(String, SkipReason)> =
            place.vault.skipped().into_iter().map(|skipped| (skipped.path, skipped.reason)).collect();
        assert_eq!(
            skipped,
            [
                ("Dangling.md".to_owned(), SkipReason::LinkOutside),
                ("In.md".to_owned(), SkipReason::LinkInside),
                ("Out.md".to_owned(), SkipReason::LinkOutside),
                ("loop".to_owned(), SkipReason::LinkInside),
                ("out".to_owned(), SkipReason::LinkOutside),
            ]
        );
        let mut overlay = place.overlay();
        for through in ["Out.md", "out/Secret.md", "out/New.md", "In.md", "loop/M.md", "Dangling.md"] {
            let through = path(through);
            assert!(matches!(place.vault.read(&through), Err(VaultError::Unreachable { .. })), "{through}");
            assert!(!place.vault.contains(&through));
            assert!(overlay.create(&through, "x").is_err(), "{through}");
            assert!(overlay.write(&through, "x").is_err(), "{through}");
            assert!(overlay.rename(&path("N.md"), &through).is_err(), "{through}");
        }
        assert!(overlay.changes().is_empty());
        assert_eq!(fs::read_to_string(outside.path().join("Secret.md")).unwrap(), "secret");
    }

    #[test]
    fn a_folder_that_becomes_a_link_before_applying_is_refused() {
        let (place, outside) = with_links();
        let mut overlay = place.overlay();
        overlay.create(&path("new/X.md"), "x").unwrap();
        overlay.append(&path("N.md"), "more").unwrap();
        symlink(outside.path(), place.root().join("new")).unwrap();
        let error = transaction::apply(&place.vault, "run", overlay.changes()).unwrap_err();
        assert!(matches!(error, VaultError::Unreachable { .. }), "{error}");
        assert!(!outside.path().join("X.md").exists());
        assert_eq!(fs::read_to_string(place.root().join("N.md")).unwrap(), "inside");
    }

    #[test]
    fn a_journal_or_trash_that_leads_elsewhere_is_refused() {
        for name in [".obsius", ".trash"] {
            let (place, outside) = with_links();
            symlink(outside.path(), place.root().join(name)).unwrap();
            let mut overlay = place.overlay();
            overlay.delete(&path("N.md")).unwrap();
            assert!(transaction::apply(&place.vault, "run", overlay.changes()).is_err(), "{name}");
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
            assert!(place.root().join("N.md").exists());
        }
    }

    #[test]
    fn a_note_of_any_name_is_a_note_and_what_cannot_be_one_is_told() {
        let long = format!("{}.md", "字".repeat(83));
        let odd = ["AC: DC.md", "C# notes.md", "Quoted \"x\".md", "Upper.MD", "What is it?.md", "con.md", &long];
        let mut files: Vec<(&str, &str)> = odd.iter().map(|path| (*path, "x\n")).collect();
        files.extend([("Cafe\u{301}.md", "x\n"), ("two\nlines.md", "x\n"), ("ok.md", "x\n")]);
        let place = TestVault::new(&files);
        let before = place.tree();
        let paths: Vec<String> = place.vault.paths().iter().map(ToString::to_string).collect();
        assert!(odd.iter().all(|path| paths.iter().any(|known| known == path)), "{paths:?}");
        assert_eq!((paths.len(), place.vault.skipped().len()), (9, 1));
        assert!(place.vault.skipped()[0].reason.to_string().contains("U+000A"));
        // Each is edited, moved and deleted under the name it has on disk, and given back.
        let mut overlay = place.overlay();
        for (at, path) in place.vault.paths().iter().enumerate() {
            match at % 3 {
                0 => overlay.append(path, "y").unwrap(),
                1 => {
                    let to = graphloom_vault::NotePath::of_file(&format!("new/{path}")).unwrap();
                    overlay.rename(path, &to).unwrap();
                }
                _ => overlay.delete(path).unwrap(),
            }
        }
        transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
        assert_eq!(place.vault.paths().len(), 6);
        assert!(place.vault.paths().iter().all(|path| place.vault.read(path).unwrap().is_some()));
        transaction::undo(&place.vault, "run", &Default::default()).unwrap();
        assert_eq!(place.tree(), before);
        // New names are held to what every system takes, in folders that are new too.
        for name in ["What else?.md", "a:b/c.md", "con/a.md", " a.md"] {
            let name = graphloom_vault::NotePath::of_file(name).unwrap();
            let refused = |error| matches!(error, VaultError::IllegalPath { .. });
            assert!(place.overlay().create(&name, "x").is_err_and(refused), "{name}");
            assert!(place.overlay().rename(&path("ok.md"), &name).is_err(), "{name}");
        }
    }

    #[test]
    fn permissions_stay() {
        let place = TestVault::new(&[("N.md", "x"), ("M.md", "y")]);
        let mode = |name: &str| fs::metadata(place.root().join(name)).unwrap().permissions().mode() & 0o777;
        for name in ["N.md", "M.md"] {
            fs::set_permissions(place.root().join(name), fs::Permissions::from_mode(0o640)).unwrap();
        }
        let mut overlay = place.overlay();
        overlay.append(&path("N.md"), "y").unwrap();
        overlay.rename(&path("M.md"), &path("dir/O.md")).unwrap();
        transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
        assert_eq!((mode("N.md"), mode("dir/O.md")), (0o640, 0o640));
        transaction::undo(&place.vault, "run", &Default::default()).unwrap();
        assert_eq!((mode("N.md"), mode("M.md")), (0o640, 0o640));
    }
}
