//! Precision and recall of citation checks on planted claims.
//!
//! Claims of nine kinds are made from the guide of this repository. The judge is the extractive program, so the numbers are
//! those of the rules around it and say nothing about any model.

use graphloom_citations::Extractive;
use graphloom_citations::planted::{Document, Scores, measure, plant};

use crate::Failure;

/// Of each kind at most this many claims.
const EACH: usize = 40;
const GUIDE: [(&str, &str); 11] = [
    ("Architecture", include_str!("../../docs/architecture.md")),
    ("Citations", include_str!("../../docs/citations.md")),
    ("Concepts", include_str!("../../docs/concepts.md")),
    ("Durability", include_str!("../../docs/durability.md")),
    ("Getting started", include_str!("../../docs/getting-started.md")),
    ("Literature", include_str!("../../docs/literature.md")),
    ("Models", include_str!("../../docs/models.md")),
    ("Obsius", include_str!("../../docs/obsius.md")),
    ("PocketFlow", include_str!("../../docs/pocketflow.md")),
    ("Testing", include_str!("../../docs/testing.md")),
    ("WriteHERE", include_str!("../../docs/writehere.md")),
];

/// Plants claims into the guide and into the Markdown files of a directory, and checks them.
pub(crate) async fn scores(directory: Option<&str>) -> Result<Scores, Failure> {
    let mut documents: Vec<Document> = GUIDE.iter().map(|(title, text)| Document::new(*title, *text)).collect();
    if let Some(directory) = directory {
        let mut paths: Vec<_> =
            std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
        paths.sort();
        for path in
            paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md" || ending == "txt"))
        {
            documents.push(Document::new(path.display().to_string(), std::fs::read_to_string(&path)?));
        }
    }
    Ok(measure(&plant(&documents, EACH), &Extractive::default()).await)
}
