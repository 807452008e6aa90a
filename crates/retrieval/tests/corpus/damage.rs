//! Broken files, folders and indexes: each is told, none is silent, nothing panics.

use std::time::Duration;

use super::place::{TestCorpus, paths};
use graphloom_retrieval::{Corpus, CorpusOptions, RetrievalError, UnreadReason};

#[test]
fn files_that_cannot_be_read_are_listed_with_their_reason() {
    let place =
        TestCorpus::new(&[("good.md", "The zebra runs."), ("empty.md", " \n"), ("big.txt", &"word ".repeat(100))]);
    place.write("binary.txt", b"\x7fELF\0\0\x01");
    place.write("latin.txt", b"Un caf\xe9 au lait.");
    place.write("deep.html", "<div>".repeat(5000) + "text");
    place.write("picture.png", b"png");
    place.write("LICENSE", "words");
    place.write(".hidden/secret.md", "The zebra hides.");
    place.write("target/made.md", "The zebra was built.");
    place.write("sub/node_modules/x.md", "The zebra was installed.");
    let mut options = CorpusOptions::default();
    options.max_file_bytes = 26_000;
    place.write("big.txt", "word ".repeat(6000));
    let corpus = place.open_with(options);
    let report = corpus.refresh().unwrap();
    let unread: Vec<(String, &UnreadReason)> =
        report.unread.iter().map(|file| (file.path.rsplit('/').next().unwrap().to_owned(), &file.reason)).collect();
    let names: Vec<&str> = unread.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["big.txt", "binary.txt", "deep.html", "empty.md"]);
    assert_eq!(*unread[0].1, UnreadReason::TooBig { bytes: 30_000, limit: 26_000 });
    assert_eq!(*unread[1].1, UnreadReason::Binary);
    assert!(matches!(unread[2].1, UnreadReason::Malformed { .. }));
    assert_eq!(*unread[3].1, UnreadReason::Empty);
    assert_eq!(report.lossy.len(), 1);
    assert!(report.lossy[0].path.ends_with("latin.txt"));
    assert_eq!(
        report.skipped.iter().map(|(k, v)| (k.as_str(), *v)).collect::<Vec<_>>(),
        [(".png", 1), ("no ending", 1)]
    );
    assert_eq!(paths(&corpus, "zebra"), ["good.md"]);
    assert_eq!(paths(&corpus, "lait"), ["latin.txt"]);
    // The loss is told every time, not only when the file is read.
    assert_eq!(corpus.refresh().unwrap().lossy.len(), 1);
}

#[test]
fn an_empty_corpus_names_the_folder_and_the_endings() {
    let place = TestCorpus::new(&[("program.rs", "fn main() {}")]);
    let error = place.open().refresh().unwrap_err();
    assert!(matches!(&error, RetrievalError::EmptyCorpus { skipped: 1, unread, .. } if unread.is_empty()), "{error}");
    let message = error.to_string();
    assert!(message.contains(&place.docs().display().to_string()) && message.contains(".md"), "{message}");

    let absent = Corpus::open(&place.index(), &[place.file("absent")], CorpusOptions::default()).unwrap_err();
    assert!(matches!(&absent, RetrievalError::UnreadableRoot { root, .. } if root.ends_with("absent")), "{absent}");
    assert!(matches!(Corpus::open(&place.index(), &[], CorpusOptions::default()), Err(RetrievalError::NoRoots)));
}

#[test]
fn a_file_that_is_the_only_one_and_cannot_be_read_is_told_with_its_reason() {
    let place = TestCorpus::new(&[]);
    place.write("only.txt", b"\x7fELF\0\0\x01");
    let message = place.open().refresh().unwrap_err().to_string();
    assert!(message.contains("only.txt` is a binary file"), "{message}");
    for number in 0..9 {
        place.write(&format!("{number}.md"), " ");
    }
    let message = place.open().refresh().unwrap_err().to_string();
    assert!(
        message.contains("10 files could not be read") && message.contains("4.md` holds no text, and 5 more;"),
        "{message}"
    );
}

#[test]
fn a_search_before_the_first_refresh_says_what_to_do() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs.")]);
    let corpus = place.open();
    let error = corpus.search("zebra", &graphloom_retrieval::SearchOptions::default()).unwrap_err();
    assert!(matches!(error, RetrievalError::NotIndexed { .. }) && error.to_string().contains("refresh"));
    assert!(!place.index().exists());
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_listed_and_leaves_the_index() {
    use std::os::unix::fs::PermissionsExt;
    let place =
        TestCorpus::new(&[("a.md", "The zebra runs."), ("b.md", "The giraffe eats."), ("closed/c.md", "The lion.")]);
    let corpus = place.ready();
    for path in ["b.md", "closed"] {
        std::fs::set_permissions(place.file(path), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    place.write("a.md", "The zebra ran.");
    graphloom_test_support::permissions::bind();
    assert!(std::fs::read(place.file("b.md")).is_err());
    // The time stamp is too fresh to be trusted, so the refresh looks at the file again.
    let report = corpus.refresh().unwrap();
    std::fs::set_permissions(place.file("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!((report.updated, report.removed, report.unread.len()), (1, 2, 2), "{report:?}");
    assert!(report.unread.iter().all(|file| matches!(file.reason, UnreadReason::System { .. })));
    assert!(paths(&corpus, "giraffe").is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_counted_or_followed_and_loops_end() {
    use std::os::unix::fs::symlink;
    let place = TestCorpus::new(&[("a/x.md", "The zebra runs.")]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("y.md"), "The giraffe eats.").unwrap();
    symlink("..", place.file("a/up")).unwrap();
    symlink(outside.path(), place.file("linked")).unwrap();
    symlink("nowhere", place.file("broken.md")).unwrap();

    let report = place.open().refresh().unwrap();
    assert_eq!((report.documents, report.unread.len()), (1, 0));
    assert_eq!(report.skipped["symbolic link"], 3);

    let mut options = CorpusOptions::default();
    options.follow_links = true;
    let corpus = place.open_with(options);
    let report = corpus.refresh().unwrap();
    assert_eq!(report.documents, 2, "{report:?}");
    assert_eq!(report.unread.len(), 2, "{report:?}");
    assert!(report.unread.iter().any(|file| file.reason == UnreadReason::LinkLoop));
    assert_eq!(paths(&corpus, "giraffe"), ["linked/y.md"]);
}

#[test]
fn a_second_writer_waits_and_then_says_who_writes() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs.")]);
    let corpus = place.ready();
    let lock = std::fs::File::options().write(true).open(place.index().join("graphloom-corpus.lock")).unwrap();
    lock.lock().unwrap();
    let mut options = CorpusOptions::default();
    options.lock_wait = Duration::from_millis(30);
    let second = place.open_with(options);
    let error = second.refresh().unwrap_err();
    assert!(matches!(error, RetrievalError::Locked { .. }) && error.is_retryable(), "{error}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    // Searches go on meanwhile, and a writer that waits long enough gets its turn.
    assert_eq!(paths(&second, "zebra"), ["a.md"]);
    place.write("b.md", "The giraffe eats.");
    let waiting = std::thread::spawn(move || corpus.refresh());
    drop(lock);
    assert_eq!(waiting.join().unwrap().unwrap().added, 1);
}

#[test]
fn many_writers_at_once_leave_one_sound_index() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs."), ("b.md", "The giraffe eats.")]);
    let writers: Vec<_> = (0..4).map(|_| place.open()).map(|c| std::thread::spawn(move || c.refresh())).collect();
    let added: usize = writers.into_iter().map(|writer| writer.join().unwrap().unwrap().added).sum();
    assert_eq!(added, 2);
    assert_eq!(paths(&place.open(), "zebra"), ["a.md"]);
}

#[test]
fn an_index_of_another_kind_is_refused_and_not_touched() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs.")]);
    std::fs::create_dir(place.index()).unwrap();
    std::fs::write(place.index().join("mine.txt"), "precious").unwrap();
    let error = Corpus::open(&place.index(), &[place.docs()], CorpusOptions::default()).unwrap_err();
    assert!(matches!(error, RetrievalError::NotAnIndex { .. }));
    assert_eq!(super::place::names(&place.index()), ["mine.txt"]);
}

#[test]
fn a_newer_format_is_refused_and_an_older_one_rebuilt() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs.")]);
    let corpus = place.ready();
    let marker = place.index().join("graphloom-corpus.json");
    std::fs::write(&marker, r#"{"format":999,"shape":"unknown"}"#).unwrap();
    for error in [
        Corpus::open(&place.index(), &[place.docs()], CorpusOptions::default()).unwrap_err(),
        corpus.refresh().unwrap_err(),
    ] {
        assert!(matches!(error, RetrievalError::NewerFormat { found: 999, .. }), "{error}");
    }
    for content in [r#"{"format":0}"#, "garbage"] {
        std::fs::write(&marker, content).unwrap();
        let report = place.open().refresh().unwrap();
        assert!(report.rebuilt.is_some() && report.added == 1, "{content}");
    }
    let mut options = CorpusOptions::default();
    options.passage_bytes = 600;
    assert!(place.open_with(options).refresh().unwrap().rebuilt.unwrap().contains("600"));
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs."), ("b.md", "The giraffe eats.")]);
    place.ready();
    let files = |dir: std::path::PathBuf| -> Vec<std::path::PathBuf> {
        let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.is_file() && path.extension().is_none_or(|ending| ending != "lock"));
        files.sort();
        files
    };
    let mut rebuilt = 0;
    for number in 0..64 {
        let mut all = files(place.index().join("passages"));
        all.extend(files(place.index()).into_iter().filter(|path| path.to_string_lossy().contains("files-")));
        let Some(path) = all.get(number) else { break };
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        let corpus = place.open();
        rebuilt += usize::from(corpus.refresh().unwrap().rebuilt.is_some());
        assert_eq!(paths(&corpus, "zebra"), ["a.md"], "after damage to {}", path.display());
    }
    assert!(rebuilt > 3, "{rebuilt}");
}
