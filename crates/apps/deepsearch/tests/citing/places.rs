//! Changes leave everything else as it is, in any script, with marks anywhere.

use graphloom_citations::{checked_ids, marks};
use graphloom_deepsearch::feedback::{Unit, apply, clean, plain, remember};
use graphloom_deepsearch::state::RewriteRecord;
use proptest::prelude::*;

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "(\\p{L}|[ ,.]|🙂|👩‍👩‍👧|e\u{301}|漢|が|\n){1,6}",
        1 => (0_u32..4).prop_map(|id| format!("[checked_citation:{id}][[1]](https://a.example/x)")),
        1 => "[a-z漢🙂 ]{1,8}".prop_map(|text| format!("[{text}](#inference:1)")),
        1 => Just("[checked_citation:".to_owned()),
        1 => Just("](#inference:x)".to_owned()),
    ]
}

fn report_and_selection() -> impl Strategy<Value = (String, usize, usize)> {
    prop::collection::vec(piece(), 1..12).prop_map(|pieces| pieces.concat()).prop_flat_map(|text| {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let count = places.len();
        (Just(text), Just(places), 0..count, 0..count).prop_filter_map("empty", |(text, places, a, b)| {
            let (start, end) = (places[a.min(b)], places[a.max(b)]);
            (start < end).then_some((text, start, end))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn text_outside_of_a_change_is_untouched_and_marks_resolve((text, start, end) in report_and_selection(), new in "[a-z漢🙂]{1,6}") {
        let cleaned = clean(&text, start..end);
        prop_assert!(cleaned.hull.start <= start && end <= cleaned.hull.end);
        let change = apply(&text, &cleaned, &new);
        prop_assert!(change.report.starts_with(&text[..cleaned.hull.start]));
        prop_assert!(change.report.ends_with(&text[cleaned.hull.end..]));
        prop_assert_eq!(&change.report[change.new.clone()], change.new_text.as_str());
        prop_assert_eq!(&text[change.old.clone()], change.old_text.as_str());
        // Marks of the new report are marks of the old one, and none was cut in two.
        prop_assert!(checked_ids(&change.report).is_subset(&checked_ids(&text)));
        let outside = |range: &std::ops::Range<usize>| range.end <= cleaned.hull.start || range.start >= cleaned.hull.end;
        let kept = marks(&text).iter().filter(|mark| outside(&mark.range)).count();
        prop_assert_eq!(marks(&change.report).len(), kept);
        // The same change with the old text taken back.
        let back = format!("{}{}{}", &change.report[..change.new.start], change.old_text, &change.report[change.new.end..]);
        prop_assert_eq!(back, text);
    }

    #[test]
    fn a_place_is_the_same_in_every_unit((text, start, end) in report_and_selection()) {
        for unit in [Unit::CodePoints, Unit::Bytes, Unit::Utf16] {
            let (from, to) = (unit.offset(&text, start), unit.offset(&text, end));
            prop_assert_eq!(unit.bytes(&text, from, to), Some(start..end));
            prop_assert_eq!(unit.bytes(&text, to, from), None);
            prop_assert_eq!(unit.byte(&text, unit.length(&text) + 1), None);
        }
        prop_assert_eq!(Unit::Utf16.length(&text), text.encode_utf16().count());
        prop_assert_eq!(Unit::CodePoints.length(&text), text.chars().count());
    }

    #[test]
    fn nothing_of_a_model_passes_for_a_mark(text in "\\PC{0,40}|(\\[|\\]|\\(|\\)|#inference:1|checked_citation:|citation:|1){0,30}") {
        let once = plain(&text);
        prop_assert!(checked_ids(&once).len() <= checked_ids(&text).len());
    }

    #[test]
    fn ten_syncs_are_kept_and_every_other_change(actions in prop::collection::vec(prop::bool::ANY, 0..40)) {
        let mut history = Vec::new();
        for (number, sync) in actions.iter().enumerate() {
            let mut record = RewriteRecord::default();
            record.action = if *sync { "sync" } else { "polish" }.to_owned();
            record.selected_text = number.to_string();
            remember(&mut history, record);
        }
        let syncs = actions.iter().filter(|sync| **sync).count();
        prop_assert_eq!(history.iter().filter(|one| one.action == "sync").count(), syncs.min(10));
        prop_assert_eq!(history.iter().filter(|one| one.action == "polish").count(), actions.len() - syncs);
        let numbers: Vec<usize> = history.iter().map(|one| one.selected_text.parse().unwrap()).collect();
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn a_selection_that_cuts_marks_takes_them_whole() {
    let text = "One [checked_citation:0][[1]](https://a.example) two [three four](#inference:1) five.";
    // From inside of the citation to inside of the link's words.
    let (start, end) = (text.find("citation:0").unwrap(), text.find(" four").unwrap());
    let cleaned = clean(text, start..end);
    assert_eq!((cleaned.text.as_str(), cleaned.before.as_str(), cleaned.after.as_str()), (" two three", "", " four"));
    assert_eq!(cleaned.lost, ["[checked_citation:0][[1]](https://a.example)", "#inference:1"]);
    assert_eq!(apply(text, &cleaned, "2 3").report, "One  2 3 four five.");
    // Inside of the link's words the link stays.
    let at = text.find("three").unwrap();
    let inside = clean(text, at..at + 5);
    assert_eq!(apply(text, &inside, "III").report, text.replace("three", "III"));
    assert!(inside.lost.is_empty());
}
