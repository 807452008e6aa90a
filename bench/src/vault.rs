//! The index of a vault next to its floor, reading every file; and writes in a large vault next to those in a small one.
//!
//! The vault is made for the purpose: each note is a title, some paragraphs drawn from the guide of this repository, two
//! links and a tag, so that sizes and words are those of real notes, while the same words come back more often.

use std::fmt;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_obsius::index::{SearchQuery, VaultIndex};
use graphloom_vault::{LinkIndex, NotePath, Overlay, Vault, VaultOptions};

use crate::Failure;

const NOTES: usize = 10_000;
const FEW: usize = 1_000;
const ROUNDS: usize = 3;
/// How many writes of a kind are made; each is timed.
const WRITES: usize = 31;
const GUIDE: [&str; 7] = [
    include_str!("../../docs/architecture.md"),
    include_str!("../../docs/concepts.md"),
    include_str!("../../docs/durability.md"),
    include_str!("../../docs/getting-started.md"),
    include_str!("../../docs/models.md"),
    include_str!("../../docs/testing.md"),
    include_str!("../../docs/writehere.md"),
];
const QUERIES: [&str; 8] = [
    "which checkpoint is kept after a crash",
    "super-step",
    "embedded model weights",
    "how are tools timed out",
    "Note 4711",
    "reducer conflict between parallel nodes",
    "report with citations",
    "topic7",
];

/// One row of the table.
pub(crate) struct Row {
    name: &'static str,
    floor: Duration,
    subject: Duration,
}

impl Row {
    pub(crate) fn head() -> String {
        format!("{:<38} {:>10} {:>12} {:>8}", "index of 10 000 notes", "floor", "subject", "ratio")
    }
}

/// Rows of the cost of a write with the links as they are after it: the floor is a vault of 1 000 notes, the subject one of
/// 10 000, and each touches as many notes. The last row is what every write cost if all links were made anew.
pub(crate) fn measure_writes() -> Result<Vec<Row>, Failure> {
    let place = tempfile::tempdir()?;
    let mut of = Vec::new();
    for notes in [FEW, NOTES] {
        let root = place.path().join(notes.to_string());
        make(&root, notes)?;
        of.push(writes(&root)?);
    }
    let pairs = of[0].iter().zip(&of[1]);
    Ok(pairs.map(|((name, floor), (_, subject))| Row { name, floor: *floor, subject: *subject }).collect())
}

/// The median time of each kind of write.
fn writes(root: &Path) -> Result<Vec<(&'static str, Duration)>, Failure> {
    let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
    let mut overlay = Overlay::new(Arc::clone(&vault), Default::default());
    // Every file is read once, when the vault is opened.
    black_box(overlay.links());
    let path = |number: usize| NotePath::parse(&format!("Area {}/Note {number}.md", number % 40));
    let (mut edits, mut creates, mut moves, mut anew) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in 0..WRITES {
        let edited = path(at)?;
        let begun = Instant::now();
        overlay.append(&edited, "More, and [[Note 5]].\n")?;
        black_box(overlay.links().outgoing(&edited));
        edits.push(begun.elapsed());

        let made = NotePath::parse(&format!("Made {at}.md"))?;
        let begun = Instant::now();
        overlay.create(&made, "See [[Note 7]].\n")?;
        black_box(overlay.links().outgoing(&made));
        creates.push(begun.elapsed());

        let (from, to) = (path(100 + at)?, NotePath::parse(&format!("Moved {at}.md"))?);
        let begun = Instant::now();
        overlay.rename(&from, &to)?;
        black_box(overlay.links().backlinks(&to));
        moves.push(begun.elapsed());
        if at < ROUNDS {
            let begun = Instant::now();
            black_box(LinkIndex::build(&overlay).outgoing(&made));
            anew.push(begun.elapsed());
        }
    }
    let rows =
        [("write: edit", edits), ("write: create", creates), ("write: move", moves), ("all links made anew", anew)];
    Ok(rows.into_iter().map(|(name, times)| (name, median(times))).collect())
}

impl Row {
    pub(crate) fn head_of_writes() -> String {
        format!("{:<38} {:>10} {:>12} {:>8}", "writes in a vault", "1 000", "10 000", "ratio")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, floor, subject } = self;
        let ratio = subject.as_secs_f64() / floor.as_secs_f64();
        let (floor, subject) = (format!("{floor:.1?}"), format!("{subject:.1?}"));
        write!(f, "{name:<38} {floor:>10} {subject:>12} {ratio:>7.3}x")
    }
}

/// Builds, refreshes and asks the index; each row is the median of its rounds, in which floor and subject take turns.
pub(crate) fn measure() -> Result<Vec<Row>, Failure> {
    let place = tempfile::tempdir()?;
    let root = place.path().join("vault");
    make(&root, NOTES)?;
    let floor = || {
        let begun = Instant::now();
        read_all(&root).map(|bytes| (begun.elapsed(), black_box(bytes)))
    };
    // The files are in the system's cache from here on.
    floor()?;

    let (mut floors, mut builds, mut refreshes, mut opens) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let dir = place.path().join(format!("index{round}"));
        floors.push(floor()?.0);
        let begun = Instant::now();
        let summary = open(&root, &dir)?.0.refresh()?;
        builds.push(begun.elapsed());
        if summary.added != NOTES {
            return Err(format!("{} notes were indexed", summary.added).into());
        }
        // As another process does it: the catalogue and the vault are opened anew.
        let begun = Instant::now();
        let (index, _) = open(&root, &dir)?;
        opens.push(begun.elapsed());
        let begun = Instant::now();
        let summary = index.refresh()?;
        refreshes.push(begun.elapsed());
        if summary.unchanged != NOTES {
            return Err(format!("{} notes were unchanged", summary.unchanged).into());
        }
    }
    let (index, overlay) = open(&root, &place.path().join("index0"))?;
    let mut searches = Vec::new();
    for query in QUERIES.iter().cycle().take(QUERIES.len() * ROUNDS) {
        let begun = Instant::now();
        let found = index.search(&overlay, &SearchQuery::new(*query, 10))?;
        searches.push(begun.elapsed());
        if found.is_empty() {
            return Err(format!("nothing was found for `{query}`").into());
        }
    }
    let floor = median(floors);
    Ok([("build", builds), ("open", opens), ("refresh, nothing changed", refreshes), ("search for 10 notes", searches)]
        .into_iter()
        .map(|(name, times)| Row { name, floor, subject: median(times) })
        .collect())
}

fn open(root: &Path, dir: &Path) -> Result<(VaultIndex, Overlay), Failure> {
    let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
    Ok((VaultIndex::open(Arc::clone(&vault), dir)?, Overlay::new(vault, Default::default())))
}

/// Writes the vault, with times old enough that a refresh can trust them.
fn make(root: &Path, notes: usize) -> Result<(), Failure> {
    let paragraphs: Vec<&str> =
        GUIDE.iter().flat_map(|page| page.split("\n\n")).filter(|paragraph| paragraph.len() > 80).collect();
    // A small generator of its own, so that the notes are the same every time.
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % below.max(1)
    };
    let time = std::time::SystemTime::now() - Duration::from_secs(3_600);
    for number in 0..notes {
        let folder = root.join(format!("Area {}", number % 40));
        std::fs::create_dir_all(&folder)?;
        let mut text = format!("---\ntags: [topic{}]\n---\n# Note {number}\n\n", number % 97);
        for _ in 0..3 + next(6) {
            text.push_str(paragraphs[next(paragraphs.len())]);
            text.push_str("\n\n");
        }
        text.push_str(&format!("See [[Note {}]] and [[Note {}]].\n", next(notes), next(notes)));
        let path = folder.join(format!("Note {number}.md"));
        std::fs::write(&path, text)?;
        std::fs::File::options().write(true).open(&path)?.set_modified(time)?;
    }
    Ok(())
}

/// How many bytes all files below `folder` have, by reading them.
fn read_all(folder: &Path) -> Result<usize, Failure> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        bytes += if path.is_dir() { read_all(&path)? } else { std::fs::read(&path)?.len() };
    }
    Ok(bytes)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
