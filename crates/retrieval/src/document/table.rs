//! Tables as text (RFC 4180): a row for each line, with values between commas, semicolons, tabs or bars.

use csv::{ReaderBuilder, StringRecord};

use super::Passage;
use super::blocks::Blocks;

/// What stands between values, the likelier first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// So many rows say what stands between their values.
const SAMPLE: usize = 50;

/// Reads a table. Each row is a line of its own, with the names of its columns where the table has them.
pub(super) fn read(source: &str, size: usize) -> Vec<Passage> {
    // What spreadsheets write before a table says what stands between values.
    let first = source.lines().next().unwrap_or_default();
    let (said, table) = match first.strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) => (Some(*delimiter), source.split_once('\n').map_or("", |(_, table)| table)),
        _ => (None, source),
    };
    let delimiter = said.unwrap_or_else(|| delimiter(table));
    let mut rows = rows(table, delimiter);
    let names = rows.next();
    let (names, first) = match names {
        Some(names) if is_head(&names) => (Some(names), None),
        other => (None, other),
    };
    let mut blocks = Blocks::new();
    let mut rows = first.into_iter().chain(rows).peekable();
    if let (Some(names), None) = (&names, rows.peek()) {
        blocks.block(&line(None, names), false);
    }
    for (number, row) in rows.enumerate() {
        blocks.block(&line(names.as_ref(), &row), number > 0);
    }
    blocks.finish(size).1
}

/// The rows of a table with values in them.
fn rows(table: &str, delimiter: u8) -> impl Iterator<Item = StringRecord> {
    let reader =
        ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(table.as_bytes());
    reader.into_records().flatten().filter(|row| row.iter().any(|value| !value.trim().is_empty()))
}

/// What cuts most rows into the same number of values.
fn delimiter(table: &str) -> u8 {
    let alike = |delimiter: u8| {
        let lengths: Vec<usize> = rows(table, delimiter).take(SAMPLE).map(|row| row.len()).collect();
        let most = lengths.iter().copied().filter(|length| *length > 1);
        most.map(|length| lengths.iter().filter(|other| **other == length).count()).max().unwrap_or_default()
    };
    let mut best = (0, DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let rows = alike(delimiter);
        if rows > best.0 {
            best = (rows, delimiter);
        }
    }
    best.1
}

/// Whether a row has the names of columns: each a text, and none a number.
fn is_head(row: &StringRecord) -> bool {
    row.len() > 1 && row.iter().all(|value| value.chars().any(char::is_alphabetic) && value.len() <= 100)
}

fn line(names: Option<&StringRecord>, row: &StringRecord) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = |(place, value): (usize, &str)| {
        let value = one_line(value);
        let name = names.and_then(|names| names.get(place)).map(one_line);
        match name {
            _ if value.is_empty() => None,
            Some(name) => Some(format!("{name}: {value}")),
            None => Some(value),
        }
    };
    row.iter().enumerate().filter_map(value).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_values_whatever_stands_between_them() {
        let expected = "rope: hemp, tarred | load: 3,5 t\nrope: nylon \"12\" | load: 5 t | use: at sea";
        for table in [
            "rope,load,use\n\"hemp, tarred\",\"3,5 t\",\n\"nylon \"\"12\"\"\",5 t,\"at\nsea\"\n",
            "rope;load;use\r\nhemp, tarred;3,5 t;\r\n\"nylon \"\"12\"\"\";5 t;at sea\r\n",
            "sep=;\r\nrope;load;use\r\nhemp, tarred;3,5 t;\r\n\"nylon \"\"12\"\"\";5 t;at sea\r\n",
            "rope\tload\tuse\n\nhemp, tarred\t3,5 t\nnylon \"12\"\t5 t\tat sea",
            "rope|load|use\nhemp, tarred|3,5 t|\nnylon \"12\"|5 t|at sea\n",
        ] {
            let passages = read(table, 1000);
            assert_eq!(passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>(), [expected], "{table}");
        }
        let numbers = read("1,2\n3,4\n", 1000);
        assert_eq!(numbers[0].text, "1 | 2\n3 | 4");
        assert_eq!(read("name,load\n", 1000)[0].text, "name | load");
        assert!(read("\n\n", 1000).is_empty());
    }
}
