//! Several sources asked at once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recording::Recording;
use super::{
    Arxiv, Core, Crossref, EuropePmc, Fault, Found, Gateway, LiteratureOptions, OpenAlex, Pubmed, Query, Record,
    SemanticScholar, Source, SourceName, merge,
};
use crate::extract::snippet;
use crate::{EngineOutcome, EngineReport, Hit, RetrievalError, Search, SearchAnswer};

/// The outcome of one or several questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Findings {
    /// Every work once, best first.
    pub records: Vec<Record>,
    /// How every source fared with every question: by question, then in the order of the sources.
    pub reports: Vec<EngineReport>,
}

impl Findings {
    /// The record with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.id == id)
    }

    /// Whether at least one source answered. An answer without results counts.
    #[must_use]
    pub fn answered(&self) -> bool {
        self.reports.iter().any(|report| report.outcome.answered())
    }

    /// Several findings as one.
    #[must_use]
    pub fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let mut reports = Vec::new();
        let mut records = Vec::new();
        for findings in all {
            reports.extend(findings.reports);
            records.extend(findings.records);
        }
        Self { records: merge(records), reports }
    }
}

type Listener = Arc<dyn Fn(&EngineReport) + Send + Sync>;

/// Sources of literature that are asked together.
///
/// A source that fails, or that takes too long, takes nothing from what the others found; each has its
/// [`EngineReport`].
#[derive(Clone)]
pub struct Literature {
    sources: Vec<Arc<dyn Source>>,
    deadline: Duration,
    since: Option<u16>,
    until: Option<u16>,
    listener: Option<Listener>,
    #[cfg(feature = "web")]
    full_texts: Option<Arc<crate::full_text::FullTexts>>,
}

impl Literature {
    /// The sources that are not off, over HTTP.
    ///
    /// # Errors
    /// [`RetrievalError::SourceAddress`], [`RetrievalError::OpenKey`], [`RetrievalError::Offline`] and
    /// [`RetrievalError::NoClient`]; nothing is asked yet.
    #[expect(clippy::needless_pass_by_value, reason = "callers give their options away, as to every other `open`")]
    pub fn open(options: LiteratureOptions) -> Result<Self, RetrievalError> {
        let asked = SourceName::ALL.into_iter().filter(|name| !options.source(*name).off);
        let sources = asked.map(|name| open(name, &options)).collect::<Result<_, _>>()?;
        Ok(Self { deadline: options.deadline, ..Self::of(sources) })
    }

    /// Other sources, such as recorded ones; each is waited for 120 s.
    #[must_use]
    pub fn of(sources: Vec<Arc<dyn Source>>) -> Self {
        Self {
            sources,
            deadline: Duration::from_secs(120),
            since: None,
            until: None,
            listener: None,
            #[cfg(feature = "web")]
            full_texts: None,
        }
    }

    /// Also calls `listener` with each report when it is there, so that a person sees how the search goes on.
    #[must_use]
    pub fn on_report(mut self, listener: impl Fn(&EngineReport) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Also reads open full texts: a [search](Search::search) has the paragraphs that are about its question in place of
    /// the abstract, where a work is open and can be read.
    #[cfg(feature = "web")]
    #[must_use]
    pub fn with_full_texts(mut self, full_texts: crate::full_text::FullTexts) -> Self {
        self.full_texts = Some(Arc::new(full_texts));
        self
    }

    /// The longest wait for one source and one question.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// What a [search](Search::search) in plain words is limited to: works of these years or between them.
    #[must_use]
    pub fn years(mut self, since: Option<u16>, until: Option<u16>) -> Self {
        (self.since, self.until) = (since, until);
        self
    }

    /// Also keeps every answer and every fault in `recording`.
    #[must_use]
    pub fn recorded(mut self, recording: &Recording) -> Self {
        self.sources = self.sources.into_iter().map(|source| recording.record(source)).collect();
        self
    }

    /// The names of the sources.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        self.sources.iter().map(|source| source.name()).collect()
    }

    /// Asks every source one question.
    pub async fn ask(&self, query: &Query) -> Findings {
        self.ask_all(std::slice::from_ref(query)).await
    }

    /// Asks every source every question: the sources at once, the questions of a source one after the other.
    pub async fn ask_all(&self, queries: &[Query]) -> Findings {
        let answers = join_all(self.sources.iter().map(|source| async move {
            let mut answers = Vec::new();
            for query in queries {
                answers.push(self.ask_one(source.as_ref(), query).await);
            }
            answers
        }))
        .await;
        let mut records = Vec::new();
        let mut reports = vec![Vec::new(); queries.len()];
        for answers in answers {
            for (place, (report, found)) in reports.iter_mut().zip(answers) {
                place.push(report);
                records.extend(found);
            }
        }
        Findings { records: merge(records), reports: reports.into_iter().flatten().collect() }
    }

    async fn ask_one(&self, source: &dyn Source, query: &Query) -> (EngineReport, Vec<Record>) {
        let answer: Result<Found, Fault> = match tokio::time::timeout(self.deadline, source.search(query)).await {
            Ok(answer) => answer,
            Err(_) => Err(Fault::TimedOut { seconds: self.deadline.as_secs() }),
        };
        let report = report(source.name(), query, &answer);
        if report.outcome.answered() {
            tracing::debug!(source = source.name(), query = %query, "{report}");
        } else {
            tracing::warn!(source = source.name(), query = %query, "{report}");
        }
        if let Some(listener) = &self.listener {
            listener(&report);
        }
        (report, answer.map(|found| found.records).unwrap_or_default())
    }
}

impl fmt::Debug for Literature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Literature").field("sources", &self.sources()).field("deadline", &self.deadline).finish()
    }
}

/// Plain words, as [`Query::parse`] reads them, for works of the [years](Literature::years) that are wanted.
#[async_trait]
impl Search for Literature {
    fn engines(&self) -> Vec<String> {
        self.sources().into_iter().map(str::to_owned).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let Ok(question) = Query::parse(query) else {
            let report = |name: String| EngineReport::new(name, query, EngineOutcome::Failed { fault: Fault::NoWords });
            return SearchAnswer {
                reports: self.engines().into_iter().map(report).collect(),
                ..SearchAnswer::default()
            };
        };
        let mut question = question.limit(u32::try_from(limit).unwrap_or(u32::MAX));
        if let Some(year) = self.since {
            question = question.since(year);
        }
        if let Some(year) = self.until {
            question = question.until(year);
        }
        let findings = self.ask(&question).await;
        let hit = |record: Record| {
            let evidence = record.evidence();
            let shown = snippet(query, &evidence.text);
            let engine = record.provenance.first().map(|place| place.source.clone()).unwrap_or_default();
            Hit::new(evidence, record.score(), shown).by(engine).of_work(record)
        };
        let hits: Vec<Hit> = findings.records.into_iter().map(hit).collect();
        #[cfg(feature = "web")]
        let (hits, notes) = match &self.full_texts {
            Some(full_texts) => full_texts.instead_of_abstracts(hits, query).await,
            None => (hits, Vec::new()),
        };
        #[cfg(not(feature = "web"))]
        let notes = Vec::new();
        SearchAnswer { hits, reports: findings.reports, notes }
    }
}

/// One source over HTTP.
fn open(name: SourceName, options: &LiteratureOptions) -> Result<Arc<dyn Source>, RetrievalError> {
    let contact = options.contact.clone();
    let (address, key) = options.place(name)?;
    let politeness = options.source(name).politeness.clone();
    let politeness = politeness.unwrap_or_else(|| name.politeness(contact.is_some(), key.is_some()));
    let mail = contact.as_ref().map(super::Contact::as_str);
    // A key, and what is posted, are for this host alone, so a redirect is not followed with them.
    let gateway = match key.is_some() || name == SourceName::Core {
        true => Gateway::without_redirects(&address, &options.agent, mail, politeness)?,
        false => Gateway::over_http(&address, &options.agent, mail, politeness)?,
    };
    Ok(match name {
        SourceName::OpenAlex => Arc::new(OpenAlex::new(gateway, address, key)),
        SourceName::Arxiv => Arc::new(Arxiv::new(gateway, address)),
        SourceName::Crossref => Arc::new(Crossref::new(gateway, address, contact)),
        SourceName::Pubmed => Arc::new(Pubmed::new(gateway, address, contact, key)),
        SourceName::SemanticScholar => Arc::new(SemanticScholar::new(gateway, address, key)),
        SourceName::Core => Arc::new(Core::new(gateway, address, key)),
        SourceName::EuropePmc => Arc::new(EuropePmc::new(gateway, address)),
    })
}

/// How a source fared.
fn report(source: &str, query: &Query, answer: &Result<Found, Fault>) -> EngineReport {
    let (outcome, notes) = match answer {
        Ok(found) if found.records.is_empty() => (EngineOutcome::Empty, found.notes.clone()),
        Ok(found) => (EngineOutcome::Found { pieces: found.records.len(), total: found.total }, found.notes.clone()),
        Err(fault) => (EngineOutcome::Failed { fault: fault.clone() }, Vec::new()),
    };
    EngineReport::new(source, query.to_string(), outcome).noting(notes)
}
