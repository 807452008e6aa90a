//! Whether what the programs make on the embedded model answers the request: twenty requests over two corpora.
//!
//! `bench/results.sh` runs the programs. What a program can tell is told here: sentences that stand twice, headings and sentences
//! that repeat the request, parts that are neither answered nor named as unanswered. Whether a sentence is off topic is for a
//! reader, who marks the sheet that is written: `on`, `off`, or `form` for what cannot be read.

mod sheet;

use std::path::Path;

use graphloom_retrieval::answer::{Findings, Request, check};

use crate::Failure;

/// The requests: program, corpus, request. Somebody wrote them who had not read the rules of `graphloom_retrieval::answer`, and
/// the rules were made without them in view.
const REQUESTS: &str = include_str!("requests.tsv");

/// A request and what a program made of it.
struct RequestResult {
    number: usize,
    program: &'static str,
    corpus: &'static str,
    request: &'static str,
    findings: Findings,
}

/// Looks at the results in a folder, `01.md` and so on, prints a line for each and writes `sheet.tsv` for the reader.
#[expect(clippy::print_stdout, reason = "the table is the program's result")]
pub(crate) fn print(folder: &Path) -> Result<(), Failure> {
    let results = read(folder)?;
    println!("| # | program | corpus | sentences | twice | repeat the request | passed over | named as unanswered |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut clean = 0;
    for result in &results {
        let RequestResult { number, program, corpus, findings, .. } = result;
        println!(
            "| {number} | {program} | {corpus} | {} | {} | {} | {} | {} |",
            findings.sentences.len(),
            findings.twice.len(),
            findings.echoes.len(),
            findings.passed_over.len(),
            findings.named.len()
        );
        for line in findings.twice.iter().chain(&findings.echoes).chain(&findings.passed_over) {
            println!("|   |   |   | {} ||||", line.replace('|', " "));
        }
        clean += usize::from(findings.is_clean() && !findings.sentences.is_empty());
    }
    println!("\n{clean} of {} results have nothing that a program can find fault with", results.len());
    std::fs::write(folder.join("sheet.tsv"), sheet::write(&results))?;
    println!("the reader's sheet is {}", folder.join("sheet.tsv").display());
    Ok(())
}

/// Looks at one result; fails where a program finds fault with it.
#[expect(clippy::print_stdout, reason = "the line is the program's result")]
pub(crate) fn one(request: &str, file: &Path) -> Result<(), Failure> {
    let findings = check(&Request::of(request), &std::fs::read_to_string(file)?);
    println!(
        "{}: {} sentences, {} twice, {} repeat the request, {} parts passed over, {} named as unanswered",
        file.display(),
        findings.sentences.len(),
        findings.twice.len(),
        findings.echoes.len(),
        findings.passed_over.len(),
        findings.named.len()
    );
    if findings.is_clean() && !findings.sentences.is_empty() {
        return Ok(());
    }
    Err(format!("it does not answer `{request}`: {findings:?}").into())
}

/// Prints what a reader marked.
#[expect(clippy::print_stdout, reason = "the table is the program's result")]
pub(crate) fn marked(sheet: &Path) -> Result<(), Failure> {
    print!("{}", sheet::figures(&std::fs::read_to_string(sheet)?)?);
    Ok(())
}

fn read(folder: &Path) -> Result<Vec<RequestResult>, Failure> {
    let mut results = Vec::new();
    for (number, line) in (1..).zip(REQUESTS.lines().filter(|line| !line.is_empty())) {
        let mut columns = line.splitn(3, '\t');
        let (Some(program), Some(corpus), Some(request)) = (columns.next(), columns.next(), columns.next()) else {
            return Err(format!("line {number} of the requests has fewer than three columns").into());
        };
        let file = folder.join(format!("{number:02}.md"));
        let text = std::fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        let findings = check(&Request::of(request), &text);
        results.push(RequestResult { number, program, corpus, request, findings });
    }
    Ok(results)
}
