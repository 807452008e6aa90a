//! The four applications by a scripted model, on workers that are killed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::{json_of, post, serve_on};
use crate::workers::Working;

/// The rules of the model that all applications work with here: what a prompt has in it says which one it is.
fn script(place: &Path) -> std::path::PathBuf {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/page/script.jsonl");
    let result = |text: &str| format!("<think>so</think><result>{text}</result>");
    let judged = |verdict: &str| result(&format!("<atomic_task_determination>{verdict}</atomic_task_determination>"));
    let part = |id: &str, goal: &str| json!({ "id": id, "task_type": "write", "goal": goal, "dependency": [], "length": "20 words" });
    let plan = json!({
        "id": "", "task_type": "write", "goal": "the whole", "dependency": [], "length": "60 words",
        "sub_tasks": [part("1", "part one"), part("2", "part two"), part("3", "part three")],
    });
    let note = |title: &str| json!({ "title": title, "content": format!("On {title}.") }).to_string();
    let create = |id: &str, title: &str| json!({ "id": id, "tool": "create_note", "arguments": note(title), "depends_on": [], "subtask": "1" });
    let rules = [
        json!({ "when": ["<atomic_task_determination>", "part "], "reply": judged("atomic") }),
        json!({ "when": "<atomic_task_determination>", "reply": judged("complex") }),
        json!({ "when": "You plan for a team", "reply": result(&plan.to_string()) }),
        json!({ "when": "<article>", "reply": "<think>so</think><article>The moon pulls the water.</article>" }),
        json!({ "when": "You plan work on a person's notes", "json": {
            "keywords": [], "title": "Two", "answer": null,
            "subtasks": [{ "goal": "write both", "kind": "create", "depends_on": [], "criteria": [] }],
        } }),
        json!({ "when": "You carry out a plan", "json": {
            "answer": null, "actions": [create("a", "One"), create("b", "Two")],
        } }),
        json!({ "when": "You judge whether work", "json": {
            "judgements": [], "complete": true, "reason": "done", "confidence": 0.9,
        } }),
        json!({ "when": "You plan literature searches", "json": { "queries": [
            { "text": "full sync of a log", "rationale": "", "aspect": "" },
            { "text": "torn frames", "rationale": "", "aspect": "" },
        ] } }),
        json!({ "when": "You read scientific material", "json": { "claim": "It was measured.", "limits": "Once." } }),
        json!({ "when": "You summarise what several records say", "json": {
            "themes": [{ "name": "Measuring", "summary": "It is measured.", "records": [1] }],
        } }),
        json!({ "when": "You find what research leaves open", "json": {
            "summary": "Little.", "gap": "The long run.", "why": "It matters.", "evidence": [1],
        } }),
        json!({ "when": "You write research proposals", "json": {
            "title": "On logs", "sections": [{ "heading": "Method", "text": "Measure longer [1]." }],
        } }),
    ];
    let mut lines: Vec<String> = rules.iter().map(Value::to_string).collect();
    lines.push(std::fs::read_to_string(page).unwrap());
    let file = place.join("script.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}

/// How many workers are killed at most.
const KILLS: usize = 8;

/// All applications, with notes of their own.
pub(crate) struct Applications<'p> {
    place: &'p Path,
    notes: PathBuf,
    options: [String; 6],
}

impl<'p> Applications<'p> {
    /// The applications, whose notes are in a folder of this name.
    pub(crate) fn new(place: &'p Path, name: &str) -> Self {
        let notes = place.join(name).join("notes");
        std::fs::create_dir_all(&notes).unwrap();
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/page/corpus").display().to_string();
        let model = format!("scripted:{}", script(place).display());
        let vault = notes.display().to_string();
        let options = ["--corpus", &corpus, "--vault", &vault, "--model", &model].map(str::to_owned);
        Self { place, notes, options }
    }

    /// The options of a server or a worker with them.
    pub(crate) fn options(&self) -> Vec<&str> {
        self.options.iter().map(String::as_str).collect()
    }

    /// Has one thing done with each by a server whose workers are killed again and again, and compares what comes of it with what
    /// comes of the same in one process.
    #[expect(
        clippy::print_stderr,
        reason = "a quick machine is done before as many are killed, and a person wants to see it"
    )]
    pub(crate) async fn come_to_the_same(&self, url: &str, work: impl Fn() -> Working) {
        let here = Applications::new(self.place, "here");
        let in_place = serve_on(self.place, &[&["--in-memory", "--port", "0"], &*here.options()].concat(), None);
        let expected = all_done(&in_place.url, &here.notes).await;
        drop(in_place);
        let mut workers = vec![work(), work()];
        let mut killed = 0;
        let doing = all_done(url, &self.notes);
        tokio::pin!(doing);
        let found = loop {
            tokio::select! {
                found = &mut doing => break found,
                // Some are killed, and those that come last are left to it, however long the machine takes.
                () = tokio::time::sleep(Duration::from_millis(700)), if killed < KILLS => {
                    drop(workers.remove(0));
                    killed += 1;
                    workers.push(work());
                }
            }
        };
        assert_eq!(found, expected);
        eprintln!("{killed} workers were killed");
        for (said, words) in found.iter().zip(["The moon pulls", "What a commit promises", "", "The proposal is done"])
        {
            let last = said.last().and_then(Value::as_str).unwrap_or_default();
            assert!(!last.is_empty() && last.contains(words), "{found:#?}");
        }
    }
}

/// A thread of an application, and what it said at the end of the last run.
struct Talk<'u> {
    url: &'u str,
    graph: &'static str,
    id: String,
    context: Value,
}

impl<'u> Talk<'u> {
    async fn new(url: &'u str, graph: &'static str, context: Value) -> Self {
        let thread = json_of(post(&format!("{url}/threads"), &json!({})).await).await;
        Self { url, graph, id: thread["thread_id"].as_str().unwrap().to_owned(), context }
    }

    async fn run(&self, order: (&str, Value)) -> Value {
        let body = json!({ "assistant_id": self.graph, "context": self.context, (order.0): order.1 });
        json_of(post(&format!("{}/threads/{}/runs/wait", self.url, self.id), &body).await).await
    }

    async fn say(&self, text: &str) -> Vec<Value> {
        said(&self.run(("input", json!({ "messages": [{ "role": "user", "content": text }] }))).await)
    }

    async fn answer(&self, answer: Value) -> Vec<Value> {
        said(&self.run(("command", json!({ "resume": answer }))).await)
    }
}

/// What an application said in its messages.
fn said(values: &Value) -> Vec<Value> {
    let messages = values["messages"].as_array().unwrap_or_else(|| panic!("no messages: {values}"));
    messages.iter().filter(|message| message["type"] == "ai").map(|message| message["content"].clone()).collect()
}

/// What comes of one thing done with each application.
async fn all_done(url: &str, notes: &Path) -> Vec<Vec<Value>> {
    let writing = Talk::new(url, "writehere", json!({ "words": 60 })).await;
    let research = json!({ "config": {
        "outliner_max_section_num": 3, "workflow_max_plan_executed_num": 1, "planner_max_step_num": 1,
        "info_collector_max_research_loops": 1, "info_collector_initial_search_query_count": 1,
        "workflow_human_in_the_loop": false,
    } });
    let research = Talk::new(url, "deepsearch", research).await;
    let working = Talk::new(url, "obsius", json!({})).await;
    let talking = Talk::new(url, "pocketflow", json!({})).await;
    let accepted = json!({ "interrupt_feedback": "accepted", "feedback": "" });
    let mut done = vec![writing.say("A report on tides").await];
    research.say("How does a log keep a transaction safe when the power fails?").await;
    done.push(research.answer(accepted).await);
    working.say("Write two detailed notes").await;
    done.push(working.answer(json!("approve")).await);
    for message in ["logs of databases", "/approve"] {
        talking.say(message).await;
    }
    done.push(talking.say("/approve").await);
    done.push(["One.md", "Two.md"].map(|name| std::fs::read_to_string(notes.join(name)).unwrap().into()).to_vec());
    done
}
