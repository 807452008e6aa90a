//! The sheet on which a reader marks sentences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::RequestResult;
use crate::Failure;

const HEAD: &str = "number\tprogram\trequest\tsentence\tmark";

/// A line for each sentence, with an empty mark.
pub(super) fn write(results: &[RequestResult]) -> String {
    let mut sheet = format!("{HEAD}\n");
    for result in results {
        for sentence in &result.findings.sentences {
            let sentence = sentence.replace(['\t', '\n'], " ");
            let line = format!("{}\t{}\t{}\t{sentence}\t\n", result.number, result.program, result.request);
            sheet.push_str(&line);
        }
    }
    sheet
}

/// Sentences by their marks.
#[derive(Default)]
struct Marks {
    on: usize,
    off: usize,
    form: usize,
}

/// The table of a sheet that was marked.
pub(super) fn figures(sheet: &str) -> Result<String, Failure> {
    let mut of: BTreeMap<&str, Marks> = BTreeMap::new();
    for (number, line) in (1..).zip(sheet.lines()).skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[_, program, _, _, mark] = columns.as_slice() else {
            return Err(format!("line {number} of the sheet has {} columns, not 5", columns.len()).into());
        };
        for marks in [program, "all"] {
            let marks = of.entry(marks).or_default();
            match mark.trim() {
                "on" => marks.on += 1,
                "off" => marks.off += 1,
                "form" => marks.form += 1,
                // What the program says of itself is no quotation.
                "own" => {}
                other => {
                    return Err(format!("line {number}: `{other}` is no mark; marks are on, off, form and own").into());
                }
            }
        }
    }
    let mut table = String::from(
        "| program | sentences | on topic | off topic | unreadable | share off topic |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for (program, Marks { on, off, form }) in of {
        let all = on + off + form;
        writeln!(table, "| {program} | {all} | {on} | {off} | {form} | {:.2} |", off as f64 / all as f64)?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_of_itself_does_not_count() {
        let sheet = format!("{HEAD}\n1\twritehere\tq\ta\ton\n1\twritehere\tq\tb\toff\n1\twritehere\tq\tc\town\n");
        let table = figures(&sheet).unwrap();
        assert!(table.contains("| all | 2 | 1 | 1 | 0 | 0.50 |"), "{table}");
        assert!(figures(&format!("{HEAD}\n1\twritehere\tq\ta\tmaybe\n")).is_err());
    }
}
