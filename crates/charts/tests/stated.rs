//! Values and labels in one sentence or row: what a source says is found, what was put to another label is not.

use std::ops::Range;

use graphloom_charts::{ChartKind, Datum, SourceText, Unstated, stated};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["SQLite", "PostgreSQL", "the Python runtime", "commit log"];

/// Sentences end with a full stop and a space or a line.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(['.', '\n']) {
        let ends = text[at + 1..].chars().next().is_none_or(char::is_whitespace);
        if ends && from < at {
            found.push(from..at + 1);
            from = at + 1;
        }
    }
    if from < text.len() {
        found.push(from..text.len());
    }
    found
}

fn all_stated(text: &str, kind: ChartKind, records: &[Datum]) -> bool {
    let sentences = sentences(text);
    stated(kind, records, SourceText { text, sentences: &sentences }).iter().all(Result::is_ok)
}

fn numbers(names: &[&str], values: &[f64], unit: &str) -> Vec<Datum> {
    names.iter().zip(values).map(|(name, value)| Datum::number(*name, *value, unit)).collect()
}

/// The same facts in the forms in which texts have them.
fn written(form: usize, names: &[&str], values: &[f64]) -> String {
    let pairs = || names.iter().zip(values);
    let list = |parts: Vec<String>, end: &str| {
        let (last, rest) = parts.split_last().expect("there are parts");
        format!("{} and {last}{end}", rest.join(", "))
    };
    match form {
        0 => pairs().map(|(name, value)| format!("In our test {name} took {value} ms. ")).collect(),
        1 => list(pairs().map(|(name, value)| format!("{name} took {value} ms")).collect(), ", as we saw."),
        2 => format!(
            "A commit took {}",
            list(pairs().map(|(name, value)| format!("{value} ms in {name}")).collect(), ".")
        ),
        3 => format!(
            "{} took {}, respectively.",
            list(names.iter().map(ToString::to_string).collect(), ""),
            list(values.iter().map(ToString::to_string).collect(), " ms")
        ),
        4 => pairs().map(|(name, value)| format!("for {name}, {value} ms; ")).collect::<String>() + "that is all.",
        5 => pairs().map(|(name, value)| format!("{name} | {value} ms | 7 ms\n")).collect(),
        6 => {
            let rows: String = pairs().map(|(name, value)| format!("| {name} | {value} | 3000 |\n")).collect();
            format!("| Name | Time (ms) | Pages |\n|---|---|---|\n{rows}")
        }
        7 => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("| | {} |\n|---|\n| time in ms | {} |\n", names.join(" | "), values.join(" | "))
        }
        _ => list(pairs().map(|(name, value)| format!("{name} ({value} ms)")).collect(), " were measured."),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_said_is_found_and_permuted_values_are_not(
        form in 0_usize..9,
        values in prop::collection::btree_set(1_u32..100_000, 3..=4),
        order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
        names in Just(NAMES.to_vec()).prop_shuffle(),
        before in "([A-Z][a-z]{3,8} [a-z]{2,9} it [a-z]{2,5}\\. ){0,2}",
    ) {
        let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 8.0).collect();
        let names = &names[..values.len()];
        let text = format!("{before}\n{}", written(form, names, &values));
        prop_assert!(all_stated(&text, ChartKind::Bar, &numbers(names, &values, "ms")), "{text}");
        let permuted: Vec<f64> = order.iter().filter_map(|at| values.get(*at).copied()).collect();
        if permuted != values {
            prop_assert!(!all_stated(&text, ChartKind::Bar, &numbers(names, &permuted, "ms")), "{text} {permuted:?}");
        }
    }

    #[test]
    fn no_text_breaks_the_search(
        text in "(\\PC|[0-9.,|\n]|ms| and |SQLite){0,60}", label in "\\PC{0,8}", value in any::<f64>(), unit in "\\PC{0,4}"
    ) {
        let records = [Datum::number(label.as_str(), value, unit), Datum::event(label, text.chars().take(9).collect::<String>())];
        let sentences = sentences(&text);
        for kind in [ChartKind::Line, ChartKind::Timeline] {
            let found = stated(kind, &records, SourceText { text: &text, sentences: &sentences });
            prop_assert!(found.iter().flatten().all(|range| text.get(range.clone()).is_some()));
        }
    }
}

#[test]
fn the_sentence_or_the_row_is_told() {
    let text = "Nothing here. SQLite took 12.5 ms for a commit.\n\nName | Time\nPostgreSQL | 3.25 ms\n";
    let sentences = sentences(text);
    let records = numbers(&["SQLite", "PostgreSQL"], &[12.5, 3.25], "ms");
    let found = stated(ChartKind::Bar, &records, SourceText { text, sentences: &sentences });
    let shown: Vec<&str> = found.into_iter().map(|range| text[range.unwrap()].trim()).collect();
    assert_eq!(shown, ["SQLite took 12.5 ms for a commit.", "PostgreSQL | 3.25 ms"]);
}

#[test]
fn what_a_sentence_leaves_open_is_not_said() {
    for text in [
        "SQLite was fast. It took 12.5 ms.",
        "SQLite did not take 12.5 ms.",
        "Unlike Oracle with 9 ms, it took 12.5 ms in PostgreSQL and SQLite.",
        "SQLite took 12.5 ms less than PostgreSQL.",
        "Oracle and SQLite took 12.5 and 9 ms.",
        "SQLite took 12.5 s.",
        "SQLite took 12.5.",
        "SQLite 12.5 has no ms.",
        "Name | Read | Write\nSQLite | 1 | 12.5\n",
    ] {
        let records = numbers(&["SQLite", "PostgreSQL"], &[12.5, 3.25], "ms");
        let sentences = sentences(text);
        let found = stated(ChartKind::Bar, &records, SourceText { text, sentences: &sentences });
        assert!(found[0].is_err(), "{text}");
    }
}

#[test]
fn values_of_one_table_are_of_one_column() {
    let text = "| Name | Read | Write |\n|---|---|---|\n| SQLite | 1 ms | 2 ms |\n| PostgreSQL | 3 ms | 4 ms |\n| Python | 5 ms | 6 ms |\n";
    let names = ["SQLite", "PostgreSQL", "Python"];
    assert!(all_stated(text, ChartKind::Bar, &numbers(&names, &[1.0, 3.0, 5.0], "ms")));
    assert!(all_stated(text, ChartKind::Bar, &numbers(&names, &[2.0, 4.0, 6.0], "ms")));
    assert!(!all_stated(text, ChartKind::Bar, &numbers(&names, &[1.0, 4.0, 5.0], "ms")));
    // A row of measures over columns.
    assert!(all_stated(text, ChartKind::Bar, &numbers(&["Read", "Write"], &[3.0, 4.0], "ms")));
    assert!(!all_stated(text, ChartKind::Bar, &numbers(&["Read", "Write"], &[3.0, 6.0], "ms")));
}

#[test]
fn events_belong_to_the_date_of_their_clause() {
    let events = ["the format was frozen", "the log came", "the vacuum was rewritten"];
    let records = |dates: [&str; 3]| -> Vec<Datum> {
        dates.into_iter().zip(events).map(|(date, event)| Datum::event(date, event)).collect()
    };
    for text in [
        "The format was frozen in 2004. The log came in 2010. The vacuum was rewritten in 2016.",
        "In 2004, the format was frozen, in 2010, the log came, and in 2016 the vacuum was rewritten.",
        "2004 | The format was frozen\n2010 | The log came\n2016 | The vacuum was rewritten\n",
    ] {
        assert!(all_stated(text, ChartKind::Timeline, &records(["2004", "2010", "2016"])), "{text}");
        for dates in
            [["2010", "2004", "2016"], ["2016", "2004", "2010"], ["2004", "2016", "2010"], ["2010", "2016", "2004"]]
        {
            assert!(!all_stated(text, ChartKind::Timeline, &records(dates)), "{text} {dates:?}");
        }
    }
}

#[test]
fn the_reason_says_what_to_do() {
    let text = "SQLite took 12.5 ms. PostgreSQL took 3.25 ms.";
    let sentences = sentences(text);
    let records = numbers(&["SQLite", "Oracle"], &[3.25, 3.25], "ms");
    let found = stated(ChartKind::Bar, &records, SourceText { text, sentences: &sentences });
    assert!(matches!(&found[0], Err(Unstated::Apart { said, .. }) if said == "3.25 ms"));
    assert!(found[1].as_ref().unwrap_err().to_string().contains("the label `Oracle`"));
}
