//! One chart: data, picture, critic.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graphloom_agents::Strategy;
use graphloom_charts::{Chart, FEWEST_RECORDS, MOST_RECORDS, png};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{ImageSource, Message, Part, Role};
use graphloom_retrieval::extract::about;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ChartRules;
use super::data::{ChartProposal, CheckedData, checked_data};
use super::places::ChartRequest;
use crate::ask::{self, Ask, AskFailure};
use crate::evidence::Document;
use crate::resources::{Resources, Slot};
use crate::state::ChartDatum;

/// The score from which a chart is accepted.
const ACCEPTED: u8 = 85;
/// The most documents that data are collected from, and the characters of each.
const SHOWN: (usize, usize) = (12, 4_000);
/// The same for a small model.
const SHOWN_SMALL: (usize, usize) = (3, 700);

/// A chart that is to be made.
pub(super) struct ChartTask<'a> {
    /// The key of its durable steps.
    pub(super) key: String,
    pub(super) request: &'a ChartRequest,
    pub(super) evidence: &'a [Document],
    pub(super) rules: ChartRules,
}

/// A chart that was made.
pub(super) struct FinishedChart {
    pub(super) chart: Chart,
    pub(super) description: String,
    pub(super) data: Vec<ChartDatum>,
    pub(super) svg: String,
    /// What a user should know of it.
    pub(super) note: Option<String>,
}

/// What the critic says.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Judgement {
    /// 0 to 100; from 85 the chart can be printed.
    #[schemars(range(max = 100))]
    score: u8,
    /// What should be changed.
    #[serde(default)]
    #[schemars(length(max = 600))]
    problems: String,
}

/// Makes a chart; nothing when the evidence has no data for it. The inner error says why there is none.
pub(super) async fn make(
    cx: &Context<Resources>,
    task: ChartTask<'_>,
) -> Result<Result<Option<FinishedChart>, String>, NodeError> {
    let ChartTask { key, request, evidence, rules } = task;
    let (count, length) = match cx.resources().strategy(rules.slot) {
        Strategy::Free => SHOWN,
        Strategy::Guided => SHOWN_SMALL,
    };
    let question = format!("{} {}", request.title, request.shows);
    let sources: Vec<&Document> = evidence.iter().take(count).collect();
    let documents: Vec<Value> = (1..)
        .zip(&sources)
        .map(|(number, source)| {
            json!({ "number": number, "title": source.title, "text": about(&question, &source.text, length) })
        })
        .collect();
    let mut criticism = String::new();
    let mut best = 0;
    for round in 0..rules.rounds.max(1) {
        let args = json!({
            "title": request.title, "kind": request.kind, "shows": request.shows, "criticism": criticism,
            "documents": documents, "fewest": FEWEST_RECORDS, "most": MOST_RECORDS,
            "language": rules.language.as_str(),
        });
        let ask = Ask::new(format!("{key}/data/{round}"), "charts/data")
            .slot(rules.slot)
            .tries(rules.tries)
            .small_tokens(400);
        let data = ask::value(cx, &ask, &args, |proposal: ChartProposal| checked_data(proposal, &sources)).await?;
        let CheckedData { chart, description, data } = match data {
            Ok(Some(data)) => data,
            Ok(None) => return Ok(Ok(None)),
            Err(failure) => return Ok(Err(problem_text(&failure))),
        };
        let svg = match chart.svg() {
            Ok(svg) => svg,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let mut made = FinishedChart { chart, description, data, svg, note: None };
        if rules.rounds == 0 {
            return Ok(Ok(Some(made)));
        }
        let drawn = made.svg.clone();
        let picture = tokio::task::spawn_blocking(move || png(&drawn)).await.map_err(NodeError::terminal)?;
        let picture = match picture {
            Ok(picture) => picture,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if !picture.is_labelled {
            // Nobody can judge a picture without its labels; the data were checked all the same.
            made.note = Some(format!("`{}` was not shown to the critic: this system has no fonts", made.chart.title()));
            return Ok(Ok(Some(made)));
        }
        match judge(cx, format!("{key}/critic/{round}"), request, &made.chart, &picture.bytes, rules).await? {
            Ok(judgement) if judgement.score >= ACCEPTED => return Ok(Ok(Some(made))),
            Ok(judgement) => {
                best = best.max(judgement.score);
                criticism = judgement.problems;
            }
            Err(failure) => return Ok(Err(format!("the critic gave no judgement: {}", problem_text(&failure)))),
        }
    }
    Ok(Err(format!("the critic gave it {best} of 100 points at best; {ACCEPTED} are needed")))
}

async fn judge(
    cx: &Context<Resources>,
    key: String,
    request: &ChartRequest,
    chart: &Chart,
    picture: &[u8],
    rules: ChartRules,
) -> Result<Result<Judgement, AskFailure>, NodeError> {
    let records = chart.records().iter().map(|record| match record.value {
        Some(value) => format!("{}: {value} {}", record.label, chart.unit()),
        None => format!("{}: {}", record.label, record.event),
    });
    let args = json!({
        "title": chart.title(), "shows": request.shows, "data": records.collect::<Vec<_>>().join("\n"),
    });
    let source = ImageSource::Base64 { media_type: "image/png".to_owned(), data: STANDARD.encode(picture) };
    let shown = Message { role: Role::User, parts: vec![Part::Image { source }] };
    let ask =
        Ask::new(key, "charts/critic").slot(Slot::VlmChartGenerating).tries(rules.tries).conversation(vec![shown]);
    ask::value(cx, &ask, &args, |judgement: Judgement| {
        if judgement.score > 100 { Err("`score` goes from 0 to 100".to_owned()) } else { Ok(judgement) }
    })
    .await
}

fn problem_text(failure: &AskFailure) -> String {
    match failure {
        AskFailure::Unusable { problem, .. } => format!("[{}]no data passed the checks ({problem})", failure.code()),
        other => other.to_string(),
    }
}
