//! Models, engines and graphs that the tests run with.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Context, END, Node, NodeError, Outcome, START, Snapshot, StateGraph};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::{Report, SubReport, TraceSource};
use graphloom_deepsearch::{Document, Resources, SearchContext};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatModel, ModelError, Scripted};
use graphloom_retrieval::{Evidence, Hit, Search, SearchAnswer, Source};

/// A scripted model that answers by what it is asked.
pub(crate) fn model(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Arc<dyn ChatModel> {
    Arc::new(Scripted::from_fn(move |request| Ok::<_, ModelError>(answer(&rendered(request)))))
}

/// A model that is out.
pub(crate) fn outage() -> Arc<dyn ChatModel> {
    Arc::new(Scripted::from_fn(|_| {
        let model = "scripted".to_owned();
        Err::<String, _>(ModelError::Internal { model, message: "the server is down".to_owned() })
    }))
}

/// An engine with the same documents for every query.
pub(crate) struct FixedDocuments(pub(crate) Vec<Document>);

#[async_trait]
impl Search for FixedDocuments {
    fn engines(&self) -> Vec<String> {
        vec!["fixed".to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let hit = |found: &Document| {
            let source = Source::Web { url: found.url.clone() };
            Hit::new(Evidence::new(found.id.as_str(), source, found.title.as_str(), &*found.text), 1.0, "").by("fixed")
        };
        SearchAnswer::of("fixed", query, self.0.iter().take(limit).map(hit).collect())
    }
}

pub(crate) fn resources(model: Arc<dyn ChatModel>) -> Resources {
    Resources::new(Models::new(model), Engines::of(Arc::new(FixedDocuments(Vec::new())))).unwrap()
}

type Work<T> = Pin<Box<dyn Future<Output = Result<T, NodeError>> + Send>>;

/// Does something inside of a node.
pub(crate) async fn in_node<T: Send + 'static>(
    model: Arc<dyn ChatModel>,
    work: impl Fn(Context<Resources>) -> Work<T> + Send + Sync + 'static,
) -> T {
    const DO: Node = Node::named("do");
    let out: Arc<Mutex<Option<T>>> = Arc::default();
    let (place, work) = (Arc::clone(&out), Arc::new(work));
    let mut graph = StateGraph::<SearchContext, Resources>::new("test");
    graph.add_node(DO, move |_: Snapshot<SearchContext>, cx: Context<Resources>| {
        let (place, work) = (Arc::clone(&place), Arc::clone(&work));
        async move {
            let value = work(cx).await?;
            *place.lock().unwrap() = Some(value);
            Ok::<_, NodeError>(SearchContext::update())
        }
    });
    graph.add_edge(START, DO).add_edge(DO, END);
    let runs = graph.compile().unwrap().with_context(resources(model)).with_checkpointer(MemoryCheckpointer::new());
    match runs.thread("test").run(SearchContext::update()).await.unwrap() {
        Outcome::Done(_) => out.lock().unwrap().take().unwrap(),
        other => panic!("not done: {other:?}"),
    }
}

pub(crate) fn source(name: &str, text: &str) -> Document {
    Document::new(format!("https://{name}.example/page"), name.to_owned(), text)
}

/// A report whose text cites `sources` by their places in braces, as `{0}`.
pub(crate) fn report(text: &str, sources: &[Document]) -> Report {
    let mut report = Report::default();
    let mut content = text.to_owned();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let mark = graphloom_deepsearch::trace::trace_mark(&source.title, &source.url);
        order.extend(text.match_indices(&format!("{{{index}}}")).map(|(at, _)| (at, index)));
        content = content.replace(&format!("{{{index}}}"), &mark);
    }
    order.sort_unstable();
    report.report_content = content;
    for (_, index) in order {
        let mut trace = TraceSource::default();
        trace.evidence = sources[index].id.clone();
        trace.title.clone_from(&sources[index].title);
        trace.url.clone_from(&sources[index].url);
        report.merged_trace_source_datas.push(trace);
    }
    report.all_classified_contents = vec![sources.to_vec()];
    let mut section = SubReport::default();
    section.section_id = "1".to_owned();
    section.section_task = "Logs".to_owned();
    section.content.classified_content = sources.to_vec();
    report.sub_reports = vec![section];
    report
}
