//! Schedules of the dependency-driven team on the gold decompositions of `FanOutQA`, in virtual time.
//!
//! The argument is `fanout-final-dev.json` of the package `fanoutqa`; `bench/fanoutqa.sh` fetches it. Each question is an
//! outline whose sections are its sub-questions, with the dependencies that people gave them. Times of research and
//! writing are log-normal, the same in every run.

#[path = "../tests/sections/virtual_team.rs"]
mod virtual_team;

use std::collections::BTreeMap;
use std::error::Error;

use graphloom_deepsearch::config::TeamOrder;
use serde::Deserialize;
use virtual_team::{Task, Times, critical_path, makespan, sequential};

/// A question with its decomposition; other fields of the file are not read.
#[derive(Deserialize)]
struct Question {
    id: String,
    #[serde(default)]
    decomposition: Vec<Part>,
}

/// A sub-question, which may have parts of its own.
#[derive(Deserialize)]
struct Part {
    id: String,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    decomposition: Vec<Part>,
}

/// The parts in an order in which those that others depend on come first; a part with parts of its own needs them.
fn flatten(parts: &[Part], into: &mut Vec<(String, Vec<String>)>) {
    for part in parts {
        flatten(&part.decomposition, into);
        let inner = part.decomposition.iter().map(|inner| inner.id.clone());
        into.push((part.id.clone(), part.depends_on.iter().cloned().chain(inner).collect()));
    }
}

/// Sections in an order in which parents stand first, with dependencies on unknown parts left out. `None` for a circle.
fn tasks(question: &Question, times: &mut Times) -> Option<Vec<Task>> {
    let mut parts = Vec::new();
    flatten(&question.decomposition, &mut parts);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut tasks: Vec<Task> = Vec::new();
    let known: Vec<String> = parts.iter().map(|(id, _)| id.clone()).collect();
    while !parts.is_empty() {
        let free = |(_, needs): &(String, Vec<String>)| {
            needs.iter().all(|need| names.contains_key(need) || !known.contains(need))
        };
        let at = parts.iter().position(free)?;
        let (id, needs) = parts.remove(at);
        let number = (tasks.len() + 1).to_string();
        let mut parents: Vec<String> = needs.iter().filter_map(|need| names.get(need)).cloned().collect();
        parents.sort();
        parents.dedup();
        names.insert(id, number.clone());
        tasks.push(Task { id: number, parents, reason: times.next(60_000.0), write: times.next(20_000.0) });
    }
    Some(tasks)
}

#[derive(Default)]
struct Sum {
    questions: usize,
    sections: usize,
    sequential: u64,
    layered: u64,
    dataflow: u64,
    critical: u64,
    worst: f64,
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args().nth(1).or_else(|| std::env::var("FANOUTQA_DEV").ok()) else {
        return Err("name the file `fanout-final-dev.json`; `bench/fanoutqa.sh` fetches it".into());
    };
    let questions: Vec<Question> = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let mut all = Sum::default();
    let mut with_layers = Sum::default();
    let mut left_out = 0;
    for (seed, question) in (1..).zip(&questions) {
        let Some(tasks) = tasks(question, &mut Times::new(seed)).filter(|tasks| !tasks.is_empty()) else {
            left_out += 1;
            continue;
        };
        let at_once = u32::try_from(tasks.len() * 2)?;
        let (layered, ..) = runtime.block_on(makespan(&tasks, TeamOrder::Layered, at_once));
        let (dataflow, ..) = runtime.block_on(makespan(&tasks, TeamOrder::Dataflow, at_once));
        let critical = critical_path(&tasks);
        let ratio = dataflow as f64 / critical as f64;
        if ratio > 1.05 {
            return Err(format!("question {}: dataflow {dataflow} ms, critical path {critical} ms", question.id).into());
        }
        let deep = tasks.iter().any(|task| !task.parents.is_empty());
        for sum in [Some(&mut all), deep.then_some(&mut with_layers)].into_iter().flatten() {
            sum.questions += 1;
            sum.sections += tasks.len();
            sum.sequential += sequential(&tasks);
            sum.layered += layered;
            sum.dataflow += dataflow;
            sum.critical += critical;
            sum.worst = sum.worst.max(ratio);
        }
    }
    println!(
        "Makespans in hours of virtual time, and as multiples of the critical path; log-normal times, medians 60 s"
    );
    println!("of research and 20 s of writing; no limit of sections at the same time.\n");
    println!("| questions | sections | sequential | layered | dataflow | critical path | worst dataflow |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, sum) in [("all", &all), ("with dependencies", &with_layers)] {
        let hours =
            |time: u64| format!("{:.1} ({:.2}×)", time as f64 / 3.6e6, time as f64 / sum.critical.max(1) as f64);
        println!(
            "| {name}: {} | {} | {} | {} | {} | {:.1} | {:.3}× |",
            sum.questions,
            sum.sections,
            hours(sum.sequential),
            hours(sum.layered),
            hours(sum.dataflow),
            sum.critical as f64 / 3.6e6,
            sum.worst
        );
    }
    if left_out > 0 {
        println!("\n{left_out} questions without a decomposition that is an order were left out.");
    }
    Ok(())
}
