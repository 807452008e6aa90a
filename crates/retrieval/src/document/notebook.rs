//! Jupyter notebooks: their cells as Markdown, so that headings count.

use serde::Deserialize;
use serde_json::Value;

use super::blocks::number;
use super::{Passage, UnreadReason, json, markdown};

/// The largest text of one output that is kept, in bytes.
const LARGEST_OUTPUT: usize = 16 * 1024;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Vec<Cell>,
    /// The sheets of the third version of the format.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Value,
    nbformat: u64,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default, alias = "input")]
    source: Text,
    #[serde(default)]
    level: Option<usize>,
    #[serde(default)]
    outputs: Option<Vec<Output>>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    text: Text,
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
struct Data {
    #[serde(default, rename = "text/plain")]
    plain: Text,
    #[serde(default, rename = "text/markdown")]
    markdown: Text,
}

/// A text, whole or in lines that have their ends.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Lines(Vec<String>),
    #[default]
    Absent,
}

impl Text {
    fn join(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Lines(lines) => lines.concat(),
            Self::Absent => String::new(),
        }
    }
}

/// Reads a notebook: prose, code, and what of the outputs is text. Cells whose source is folded away are left out.
///
/// # Errors
/// Says what is wrong with the JSON.
pub(super) fn read(source: &str, size: usize) -> Result<(Option<String>, Vec<Passage>, Option<String>), UnreadReason> {
    let notebook: Notebook =
        json::read(source).map_err(|error| UnreadReason::malformed(format!("no notebook: {error}")))?;
    if notebook.nbformat < 3 {
        return Err(UnreadReason::malformed(format!("version {} of notebooks is not known", notebook.nbformat)));
    }
    let language = notebook.metadata["kernelspec"]["language"].as_str().unwrap_or_default();
    let mut page = String::new();
    let mut cut = 0;
    for cell in notebook.cells.iter().chain(notebook.worksheets.iter().flat_map(|sheet| &sheet.cells)) {
        if cell.metadata["jupyter"]["source_hidden"] == true {
            continue;
        }
        let text = cell.source.join();
        match cell.cell_type.as_str() {
            "code" => fence(&mut page, language, &text),
            "heading" => {
                page.push_str(&"#".repeat(cell.level.unwrap_or(1).clamp(1, 6)));
                page.push(' ');
                push(&mut page, &text.replace('\n', " "));
            }
            _ => push(&mut page, &text),
        }
        for output in cell.outputs.iter().flatten() {
            if output.data.markdown.join().is_empty() {
                let mut text = output.text.join() + &output.data.plain.join();
                if text.len() > LARGEST_OUTPUT {
                    text.truncate(text.floor_char_boundary(LARGEST_OUTPUT));
                    cut += 1;
                }
                fence(&mut page, "", &text);
            } else {
                push(&mut page, &output.data.markdown.join());
            }
        }
    }
    let (title, mut passages) = markdown::read(&page, size);
    number(&mut passages);
    let note = (cut > 0).then(|| format!("{cut} outputs of more than {LARGEST_OUTPUT} bytes were cut"));
    Ok((title, passages, note))
}

fn push(page: &mut String, text: &str) {
    page.push_str(text.trim_end());
    page.push_str("\n\n");
}

/// Adds a block of code whose fence is longer than any in it.
fn fence(page: &mut String, language: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    page.push_str(&format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end_matches('\n')));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_prose_and_code_under_their_headings() {
        let source = r###"{"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": [
            {"cell_type": "markdown", "source": ["# Tides\n", "\n", "The tide *turns* twice."]},
            {"cell_type": "code", "source": "s = '```'\nprint(6 * 7)", "outputs": [
                {"output_type": "stream", "text": ["42\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}}]},
            {"cell_type": "code", "source": "secret()", "metadata": {"jupyter": {"source_hidden": true}}},
            {"cell_type": "code", "source": "", "outputs": null, "metadata": {"share": NaN}},
            {"cell_type": "markdown", "source": "## Harbour\n\nBoats wait."},]}"###;
        let (title, passages, note) = read(source, 1000).unwrap();
        assert_eq!((title.as_deref(), note), (Some("Tides"), None));
        let found: Vec<(&[String], &str)> = passages.iter().map(|p| (p.heading.as_slice(), p.text.as_str())).collect();
        let tides = "The tide turns twice.\n\ns = '```'\nprint(6 * 7)\n\n42\n\n<Figure>";
        assert_eq!(found[0], (["Tides".to_owned()].as_slice(), tides));
        assert_eq!(found[1], (["Tides".to_owned(), "Harbour".to_owned()].as_slice(), "Boats wait."));
        assert!(read("{\"nbformat\": 4, \"cells\": 3}", 1000).is_err() && read("[]", 1000).is_err());
    }
}
