//! Search by words and meaning, with a model whose vectors can be told in advance.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_llm::{
    ChatRequest, Embedder, EmbedderLimits, EmbeddingPurpose, Embeddings, ModelError, ModelId, Scripted, Usage,
};
use graphloom_retrieval::{
    ChoiceReranker, HybridCorpus, OtherModel, Reranker, RetrievalError, Search, SearchOptions, VectorReport,
};

use super::place::TestCorpus;

/// Words that mean the same, each row an axis of the vectors.
const MEANINGS: [&[&str]; 4] =
    [&["boat", "vessel", "ship"], &["bread", "loaf"], &["zebra", "stripes"], &["weather", "rain"]];

/// Knows [`MEANINGS`], two texts a call. It fails or hangs at one call, where it is told to.
struct Meanings {
    id: ModelId,
    calls: AtomicUsize,
    fails_at: Option<usize>,
    hangs_at: Option<usize>,
}

impl Meanings {
    fn new(name: &str) -> Self {
        Self { id: ModelId::new("test", name), calls: AtomicUsize::new(0), fails_at: None, hangs_at: None }
    }
}

#[async_trait]
impl Embedder for Meanings {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn limits(&self) -> EmbedderLimits {
        EmbedderLimits::new(2, None)
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Embeddings, ModelError> {
        let call = Some(self.calls.fetch_add(1, Ordering::Relaxed));
        if call == self.hangs_at {
            std::future::pending::<()>().await;
        }
        if call == self.fails_at {
            return Err(ModelError::Timeout { model: self.id.to_string(), limit: std::time::Duration::from_secs(1) });
        }
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let axis = |words: &&[&str]| words.iter().filter(|word| text.contains(*word)).count() as f32;
            MEANINGS.iter().map(axis).collect()
        };
        Embeddings::checked(&self.id, texts.len(), texts.iter().map(vector).collect(), Usage::default())
    }
}

const FILES: [(&str, &str); 5] = [
    ("a.md", "# Quay\n\nThe vessel lies there."),
    ("b.md", "# Oven\n\nThe loaf is done."),
    ("c.md", "# Plain\n\nStripes run."),
    ("d.md", "# Sky\n\nIt may rain."),
    ("e.md", "# Other\n\nNothing of the kind."),
];

fn of(place: &TestCorpus, model: Meanings) -> HybridCorpus {
    HybridCorpus::new(place.ready(), Arc::new(model))
}

async fn found(hybrid: &HybridCorpus, query: &str) -> Vec<String> {
    let (hits, _) = hybrid.find(query, &SearchOptions::default()).await.unwrap();
    hits.into_iter().map(|hit| hit.evidence.title).collect()
}

fn counts(report: VectorReport) -> (usize, usize, usize) {
    (report.made, report.kept, report.forgotten)
}

async fn made(hybrid: &HybridCorpus) -> (usize, usize, usize) {
    counts(hybrid.make_vectors(OtherModel::Refuse, |_, _| {}).await.unwrap())
}

#[tokio::test]
async fn a_passage_is_found_by_its_meaning_and_by_its_words() {
    let place = TestCorpus::new(&FILES);
    let hybrid = of(&place, Meanings::new("m"));
    // Without vectors, words alone.
    assert_eq!(found(&hybrid, "a ship").await, Vec::<String>::new());
    assert_eq!(found(&hybrid, "loaf").await, ["Oven"]);
    let mut told = Vec::new();
    let report = hybrid.make_vectors(OtherModel::Refuse, |done, of| told.push((done, of))).await.unwrap();
    assert_eq!((counts(report), told), ((5, 0, 0), vec![(0, 5), (2, 5), (4, 5), (5, 5)]));
    assert_eq!(found(&hybrid, "a ship").await, ["Quay"]);
    assert_eq!(found(&hybrid, "bread of the kind").await, ["Oven", "Other"]);
    assert_eq!(found(&hybrid, "loaf").await, ["Oven"]);
    // Nothing is like a question about something else.
    assert_eq!(found(&hybrid, "quantum").await, Vec::<String>::new());
    assert_eq!(found(&hybrid, "  ").await, Vec::<String>::new());
    // Both orders agree, so it scores more than what one of them finds.
    let answer = Search::search(&hybrid, "the loaf of a ship", 5).await;
    assert_eq!(answer.hits[0].evidence.title, "Oven");
    assert!((answer.hits[0].score - 2.0 / 61.0).abs() < 1e-3 && answer.notes.is_empty(), "{answer:?}");
    // The corpus itself is as it was.
    assert!(hybrid.corpus().search("a ship", &SearchOptions::default()).unwrap().is_empty());
}

#[tokio::test]
async fn vectors_follow_the_documents() {
    let place = TestCorpus::new(&FILES);
    let hybrid = of(&place, Meanings::new("m"));
    assert_eq!(made(&hybrid).await, (5, 0, 0));
    assert_eq!(made(&hybrid).await, (0, 5, 0));
    place.write("a.md", "# Quay\n\nThe zebra lies there.");
    place.write("f.md", "# Harbour\n\nA boat.");
    std::fs::remove_file(place.file("b.md")).unwrap();
    hybrid.corpus().refresh().unwrap();
    // Before they are made, nobody gets the vector of another.
    let (hits, notes) = hybrid.find("ship", &SearchOptions::default()).await.unwrap();
    assert!(hits.is_empty(), "{hits:?}");
    assert!(notes[0].contains("2 passages have no vector"), "{notes:?}");
    assert_eq!(made(&hybrid).await, (2, 3, 2));
    assert_eq!(found(&hybrid, "ship").await, ["Harbour"]);
    // An index that is built anew keeps the vectors of the same texts, and so does another handle.
    std::fs::remove_dir_all(place.index().join("passages")).unwrap();
    let again = of(&place, Meanings::new("m"));
    assert_eq!(made(&again).await, (0, 5, 0));
    assert_eq!(found(&again, "ship").await, ["Harbour"]);
}

#[tokio::test]
async fn a_stop_loses_no_more_than_one_call() {
    let place = TestCorpus::new(&FILES);
    let failing = of(&place, Meanings { fails_at: Some(2), ..Meanings::new("m") });
    let error = failing.make_vectors(OtherModel::Refuse, |_, _| {}).await.unwrap_err();
    assert!(matches!(&error, RetrievalError::Embedding { made: 4, of: 5, .. }), "{error}");
    assert!(error.to_string().contains("after 4 of 5"), "{error}");
    assert_eq!(made(&of(&place, Meanings::new("m"))).await, (1, 4, 0));

    let place = TestCorpus::new(&FILES);
    let hanging = of(&place, Meanings { hangs_at: Some(1), ..Meanings::new("m") });
    let (stored, mut waiting) = tokio::sync::mpsc::unbounded_channel();
    let making = hanging.make_vectors(OtherModel::Refuse, |done, _| {
        let _ = stored.send(done);
    });
    let stopped = async { while waiting.recv().await != Some(2) {} };
    tokio::select! {
        biased;
        () = stopped => {}
        report = making => panic!("{report:?}"),
    }
    assert_eq!(made(&of(&place, Meanings::new("m"))).await, (3, 2, 0));
}

#[tokio::test]
async fn vectors_of_another_model_are_noticed() {
    let place = TestCorpus::new(&FILES);
    made(&of(&place, Meanings::new("m"))).await;
    let other = of(&place, Meanings::new("n"));
    let error = other.make_vectors(OtherModel::Refuse, |_, _| {}).await.unwrap_err();
    let RetrievalError::OtherEmbedder { stored, asked, .. } = &error else { panic!("{error}") };
    assert_eq!((stored.as_str(), asked.as_str()), ("test:m", "test:n"));
    assert_eq!(found(&other, "a ship").await, Vec::<String>::new(), "vectors of two models are not compared");
    assert_eq!(found(&of(&place, Meanings::new("m")), "a ship").await, ["Quay"], "nothing was lost");
    assert_eq!(counts(other.make_vectors(OtherModel::Replace, |_, _| {}).await.unwrap()), (5, 0, 5));
    assert_eq!(found(&other, "a ship").await, ["Quay"]);
}

#[tokio::test]
async fn a_damaged_file_is_made_anew() {
    let place = TestCorpus::new(&FILES);
    let file = place.index().join("vectors/vectors.sqlite");
    for damage in [&b"no database at all, but text that is long enough to look at"[..], b""] {
        made(&of(&place, Meanings::new("m"))).await;
        std::fs::write(&file, damage).unwrap();
        let hybrid = of(&place, Meanings::new("m"));
        assert_eq!(found(&hybrid, "loaf").await, ["Oven"]);
        assert_eq!(made(&hybrid).await, (5, 0, 0));
        assert_eq!(found(&hybrid, "a ship").await, ["Quay"]);
    }
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_words() {
    let place = TestCorpus::new(&FILES);
    made(&of(&place, Meanings::new("m"))).await;
    let hybrid = of(&place, Meanings { fails_at: Some(0), ..Meanings::new("m") });
    let answer = Search::search(&hybrid, "loaf of a ship", 5).await;
    assert_eq!(answer.hits.len(), 1, "{answer:?}");
    assert!(answer.notes[0].starts_with("passages were compared by their words alone: "), "{answer:?}");
}

/// Prefers short passages, or fails.
struct Short(bool);

#[async_trait]
impl Reranker for Short {
    fn name(&self) -> String {
        "short".to_owned()
    }

    async fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        if self.0 {
            return Ok(Vec::new());
        }
        Ok(passages.iter().map(|passage| -(passage.len() as f32)).collect())
    }
}

#[tokio::test]
async fn a_reranker_has_the_last_word() {
    let place =
        TestCorpus::new(&[("a.md", "# One\n\nA ship, a ship, a ship and a boat."), ("b.md", "# Two\n\nOne ship.")]);
    let hybrid = of(&place, Meanings::new("m"));
    made(&hybrid).await;
    let first = found(&hybrid, "ship boat").await;
    assert_eq!(first, ["One", "Two"]);
    assert_eq!(found(&hybrid.clone().with_reranker(Arc::new(Short(false))), "ship boat").await, ["Two", "One"]);
    // A chat model that says yes to what names a boat: what it says the same of keeps its order.
    let model = Scripted::from_fn(|request| {
        let is_boat = request.messages.iter().any(|message| message.joined_text().contains("boat"));
        Ok(if is_boat { r#"{"choice": "yes"}"# } else { r#"{"choice": "no"}"# })
    });
    let reranker = ChoiceReranker::new(Arc::new(model), |_, passage| ChatRequest::user(passage), ["yes", "no"]);
    let scores = reranker.scores("q", &["a boat", "a ship", "boats"]).await.unwrap();
    assert_eq!(scores, [1.0, 0.0, 1.0]);
    let failing = hybrid.with_reranker(Arc::new(Short(true)));
    let (hits, notes) = failing.find("ship boat", &SearchOptions::default()).await.unwrap();
    assert_eq!(hits[0].evidence.title, "One");
    assert_eq!(notes, ["`short` did not put the results in order: it gave no score for some"]);
}
