//! Search by words alone and by words and meaning, over collections with judged questions, in one run.
//!
//! usage: `graphloom-bench-retrieval DATA INDEXES [--grid] [COLLECTION ...]`
//!
//! `DATA` is what `data.py` makes; `INDEXES` keeps indexes and vectors. Figures are those of documents: the first passage of
//! a document is its place. With `--grid` the options of the fusion are varied on the tuning half, and the other half is
//! not looked at.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures go to one, progress to the other")]

mod judged;
mod measures;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_llm_embedded::{MiniLm, weights};
use graphloom_retrieval::{Corpus, CorpusOptions, Hit, HybridCorpus, HybridOptions, OtherModel, SearchOptions, Source};

use judged::Question;
use measures::{Figures, chance};

type Failed = Box<dyn std::error::Error>;

/// Documents that are judged of an answer.
const DEPTH: usize = 100;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failed> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_grid = words.iter().any(|word| word == "--grid");
    words.retain(|word| word != "--grid");
    let [data, indexes, wanted @ ..] = words.as_slice() else {
        return Err("usage: graphloom-bench-retrieval DATA INDEXES [--grid] [COLLECTION ...]".into());
    };
    let mut collections: Vec<PathBuf> =
        std::fs::read_dir(data)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failed>>()?;
    collections.retain(|path| wanted.is_empty() || wanted.iter().any(|name| path.ends_with(name)));
    collections.sort();
    let dir = weights::default_dir()?;
    weights::fetch(&weights::ALL_MINILM_L6_V2, &dir, &weights::FetchOptions::default(), |_| {})?;
    let model = MiniLm::open(&dir)?;
    for collection in collections {
        let hybrid = open(&collection, Path::new(indexes), &model).await?;
        let questions = judged::read(&collection.join("queries.jsonl"))?;
        if is_grid {
            grid(&collection, &hybrid, &questions).await?;
        } else {
            report(&collection, &hybrid, &questions).await?;
        }
    }
    Ok(())
}

async fn open(collection: &Path, indexes: &Path, model: &MiniLm) -> Result<HybridCorpus, Failed> {
    let name = name(collection);
    let index = indexes.join(&name);
    let corpus = Corpus::open(&index, &[collection.join("docs")], CorpusOptions::default())?;
    let began = cpu();
    let report = corpus.refresh()?;
    let indexed = cpu() - began;
    let hybrid = HybridCorpus::new(corpus, Arc::new(model.clone()));
    let (began, clock) = (cpu(), Instant::now());
    let mut last = 0;
    let vectors = hybrid.make_vectors(OtherModel::Refuse, |done, of| {
        if done >= last + 500 {
            last = done;
            eprintln!("{name}: {done} of {of} vectors, {:.0} s", clock.elapsed().as_secs_f64());
        }
    });
    let vectors = vectors.await?;
    let per_thousand = |spent: Duration, count: usize| spent.as_secs_f64() * 1000.0 / count.max(1) as f64;
    println!(
        "{name}: {} documents, {} passages, index {:.1} s of processor time; {vectors}, {:.1} s of processor time a \
         thousand passages, {:.0} tokens a passage",
        report.documents,
        report.passages,
        indexed.as_secs_f64(),
        per_thousand(cpu() - began, vectors.made),
        vectors.tokens as f64 / vectors.made.max(1) as f64,
    );
    Ok(hybrid)
}

/// The figures of both searches, for each set of questions and each half.
async fn report(collection: &Path, hybrid: &HybridCorpus, questions: &[Question]) -> Result<(), Failed> {
    for set in judged::sets(questions) {
        for half in ["tuning", "held"] {
            let asked: Vec<&Question> =
                questions.iter().filter(|question| question.set == set && question.half == half).collect();
            let clock = Instant::now();
            let words = by_words(hybrid, &asked)?;
            let (words_took, clock) = (clock.elapsed(), Instant::now());
            let both = by_both(hybrid, &asked).await?;
            let both_took = clock.elapsed();
            let meaning = by_both(&with(hybrid, |options| options.words = 0.0), &asked).await?;
            for (kind, figures, took) in
                [("words", &words, Some(words_took)), ("meaning", &meaning, None), ("both", &both, Some(both_took))]
            {
                let each = took.map(|took| {
                    format!(", {:.1} ms a question", took.as_secs_f64() * 1000.0 / asked.len().max(1) as f64)
                });
                println!(
                    "{} {set} {half} {kind}: {}{}",
                    name(collection),
                    Figures::mean(figures),
                    each.unwrap_or_default()
                );
            }
            let (better, worse, by_chance) = chance(&words, &both);
            println!(
                "{} {set} {half}: nDCG of both is higher for {better} and lower for {worse} of {} questions, p = {by_chance:.3}",
                name(collection),
                asked.len()
            );
        }
    }
    Ok(())
}

/// The figures of the tuning half for other options.
async fn grid(collection: &Path, hybrid: &HybridCorpus, questions: &[Question]) -> Result<(), Failed> {
    for set in judged::sets(questions) {
        let asked: Vec<&Question> =
            questions.iter().filter(|question| question.set == set && question.half == "tuning").collect();
        println!("{} {set} words: {}", name(collection), Figures::mean(&by_words(hybrid, &asked)?));
        for k in [10.0, 30.0, 60.0, 100.0] {
            for weight in [0.5, 1.0, 2.0] {
                let other = with(hybrid, |options| (options.k, options.words) = (k, weight));
                let figures = Figures::mean(&by_both(&other, &asked).await?);
                println!("{} {set} k {k} words {weight}: {figures}", name(collection));
            }
        }
        for least in [0.0, 0.1, 0.3, 0.4] {
            let other = with(hybrid, |options| options.least_cosine = least);
            println!("{} {set} least {least}: {}", name(collection), Figures::mean(&by_both(&other, &asked).await?));
        }
    }
    Ok(())
}

fn with(hybrid: &HybridCorpus, change: impl FnOnce(&mut HybridOptions)) -> HybridCorpus {
    let mut options = HybridOptions::default();
    change(&mut options);
    hybrid.clone().with_options(options)
}

fn search_options() -> SearchOptions {
    SearchOptions::with_limit(DEPTH + 1).per_document(1)
}

fn by_words(hybrid: &HybridCorpus, asked: &[&Question]) -> Result<Vec<Figures>, Failed> {
    let search = |question: &&Question| {
        Ok(Figures::of(question, &documents(question, &hybrid.corpus().search(&question.text, &search_options())?)))
    };
    asked.iter().map(search).collect()
}

async fn by_both(hybrid: &HybridCorpus, asked: &[&Question]) -> Result<Vec<Figures>, Failed> {
    let mut figures = Vec::with_capacity(asked.len());
    for question in asked {
        let (hits, notes) = hybrid.find(&question.text, &search_options()).await?;
        if let Some(note) = notes.first() {
            return Err(note.as_str().into());
        }
        figures.push(Figures::of(question, &documents(question, &hits)));
    }
    Ok(figures)
}

/// The documents of an answer, in its order.
fn documents(question: &Question, hits: &[Hit]) -> Vec<String> {
    let document = |hit: &Hit| match &hit.evidence.source {
        Source::Local { path, .. } => path.trim_end_matches(".md").to_owned(),
        other => other.to_string(),
    };
    let found = hits.iter().map(document).filter(|document| !question.without.contains(document));
    found.take(DEPTH).collect()
}

fn name(collection: &Path) -> String {
    collection.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The processor time of this process.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}
