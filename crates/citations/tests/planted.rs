//! Claims planted into real documents: the guide of this repository and the readmes of the packages it is built from.
//! The judge is the extractive program, so the numbers say nothing about any model.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use graphloom_citations::Extractive;
use graphloom_citations::planted::{Document, Kind, measure, plant};

/// The guide, and the readmes of packages as their authors wrote them.
fn documents() -> Vec<Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("docs")).unwrap() {
        paths.insert(entry.unwrap().path());
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let asked = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let metadata = String::from_utf8(asked.stdout).unwrap();
    for part in metadata.split("\"manifest_path\":\"").skip(1) {
        let manifest = part.split('"').next().unwrap().replace("\\\\", "\\");
        for name in ["README.md", "CHANGELOG.md"] {
            paths.insert(Path::new(&manifest).with_file_name(name));
        }
    }
    let mut documents: Vec<Document> = Vec::new();
    for path in paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let title = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" of ");
        // Forks of one package carry the same readme.
        let known = documents.iter().any(|document| document.text.get(..300) == text.get(..300));
        if (500..10_000).contains(&text.len()) && !known {
            documents.push(Document::new(title, text));
        }
    }
    documents
}

#[tokio::test]
async fn planted_claims_are_told_apart() {
    let documents = documents();
    assert!(documents.len() >= 100, "{} documents", documents.len());
    let planted = plant(&documents, 24);
    let scores = measure(&planted, &Extractive::default()).await;
    println!("{scores}");
    for (claim, given) in &scores.wrong {
        println!("{given} for {:?}: {} [{}]", claim.kind, claim.claim, claim.source.title);
    }
    assert!(scores.claims() >= 200, "{} claims", scores.claims());
    assert!(Kind::ALL.iter().all(|kind| scores.kinds.get(kind).is_some_and(|(_, all)| *all >= 10)), "{scores}");
    let floor = |verdict, precision: f64, recall: f64| {
        let row = scores.verdicts[verdict];
        assert!(row.precision() >= precision && row.recall() >= recall, "{verdict} is below its floor\n{scores}");
    };
    floor("supported", 0.85, 0.9);
    floor("contradicted", 0.88, 0.85);
    floor("not_found", 0.8, 0.8);
}
