//! Charts at their public boundary: whatever is proposed becomes valid SVG or an error that says why.

use graphloom_charts::{Chart, ChartData, ChartError, ChartKind, Datum, range_of};
use proptest::prelude::*;

fn data(kind: ChartKind, values: &[(&str, f64, &str)]) -> ChartData {
    let mut data = ChartData::new(kind, "Title");
    data.records = values.iter().map(|(label, value, unit)| Datum::number(*label, *value, *unit).cited("e1")).collect();
    data
}

const FINE: [(&str, f64, &str); 3] = [("a", 1.0, "ms"), ("b", 2.0, "ms"), ("c", 3.0, "ms")];

#[test]
fn every_rule_has_its_error() {
    let with = |change: fn(&mut ChartData)| {
        let mut data = data(ChartKind::Bar, &FINE);
        change(&mut data);
        Chart::check(data).unwrap_err()
    };
    let pie = |values: &[(&str, f64, &str)]| Chart::check(data(ChartKind::Pie, values)).unwrap_err();
    for (error, part) in [
        (with(|data| data.title = " \u{0}".into()), "no title"),
        (with(|data| data.records.truncate(2)), "2 records"),
        (with(|data| data.records = vec![data.records[0].clone(); 13]), "13 records"),
        (with(|data| data.records[1].label = "\u{200b}".into()), "record 2 has no label"),
        (with(|data| data.records[1].label = " A ".into()), "two records are labelled `A`"),
        (with(|data| data.records[2].citations = vec![" ".into()]), "`c` has no citation"),
        (with(|data| data.records[0].value = None), "no finite number"),
        (with(|data| data.records[0].value = Some(f64::NAN)), "no finite number"),
        (with(|data| data.records[0].value = Some(1e200)), "no finite number"),
        (with(|data| data.records[0].value = Some(2.0)), "2 distinct values"),
        (with(|data| data.records[0].unit = "ms or s".into()), "more than one unit"),
        (with(|data| data.records[0].unit = "KB".into()), "cannot be converted"),
        (with(|data| data.records[0].unit = String::new()), "cannot be converted"),
        (pie(&[("a", 50.0, "%"), ("b", 40.0, "%"), ("c", 20.0, "%")]), "more than the whole"),
        (pie(&[("a", 50.0, "%"), ("b", -4.0, "%"), ("c", 20.0, "%")]), "no part of a whole"),
        (with(|data| data.kind = ChartKind::Timeline), "no event"),
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn values_that_are_alike_after_conversion_are_one() {
    let error = Chart::check(data(ChartKind::Bar, &[("a", 1.0, "s"), ("b", 1000.0, "ms"), ("c", 2.0, "s")]));
    assert_eq!(error.unwrap_err(), ChartError::TooAlike { found: 2 });
}

#[test]
fn what_a_pie_of_percentages_lacks_is_marked_as_derived() {
    let chart =
        Chart::check(data(ChartKind::Pie, &[("a", 10.0, "%"), ("b", 30.0, "percent"), ("c", 20.0, "%")])).unwrap();
    let slices: Vec<(&str, f64, bool)> =
        chart.records().iter().map(|record| (record.label.as_str(), record.value.unwrap(), record.derived)).collect();
    assert_eq!(slices, [("b", 30.0, false), ("c", 20.0, false), ("a", 10.0, false), ("other (derived)", 40.0, true)]);
    assert!(chart.svg().unwrap().contains("other (derived): 40 % [derived]"));
    let whole = data(ChartKind::Pie, &[("a", 50.0, "%"), ("b", 30.0, "%"), ("c", 20.0, "%")]);
    assert_eq!(Chart::check(whole).unwrap().records().len(), 3);
    let mut counted = data(ChartKind::Pie, &[("甲", 50.0, "万人"), ("乙", 30.0, "万人"), ("丙", 20.0, "万人")]);
    counted.title = "人口".into();
    assert_eq!(Chart::check(counted).unwrap().records().len(), 3);
}

#[test]
fn labels_and_values_are_in_the_picture_and_markup_is_not() {
    let mut proposed = data(
        ChartKind::Bar,
        &[("<script>x</script>", 1.5, "ms"), ("b & \"c\"", 2.0, "ms"), ("数据库", 12_345.0, "ms")],
    );
    proposed.value_title = "Latency".into();
    proposed.records[0].citations.push("\"><e2".into());
    let chart = Chart::check(proposed).unwrap();
    let svg = chart.svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    for text in ["<script>x</script>", "b & \"c\"", "数据库", "1.5", "2", "12,345", "Latency (ms)"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("rect")).count(), 4);
    assert_eq!(chart.citations(), ["e1", "\"><e2"]);
}

#[test]
fn bars_lie_when_labels_are_long() {
    let positions = |labels: [&str; 3]| {
        let values = [(labels[0], 1.0, ""), (labels[1], 2.0, ""), (labels[2], 3.0, "")];
        let svg = Chart::check(data(ChartKind::Bar, &values)).unwrap().svg().unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let bars = document.descendants().filter(|node| node.has_tag_name("rect")).skip(1);
        let size = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<i32>().unwrap();
        bars.map(|bar| (size(bar, "width"), size(bar, "height"))).collect::<Vec<_>>()
    };
    let standing = positions(["a", "b", "c"]);
    assert!(standing[0].0 == standing[2].0 && standing[0].1 < standing[2].1, "{standing:?}");
    let lying = positions(["a label of quite some length", "another such label", "c"]);
    assert!(lying[0].1 == lying[2].1 && lying[0].0 < lying[2].0, "{lying:?}");
}

#[test]
fn an_axis_without_zero_says_so() {
    let svg = |values: &[(&str, f64, &str)]| Chart::check(data(ChartKind::Bar, values)).unwrap().svg().unwrap();
    assert!(svg(&[("a", 98.0, ""), ("b", 99.0, ""), ("c", 100.0, "")]).contains("not at 0"));
    assert!(!svg(&FINE).contains("not at 0"));
}

#[cfg(feature = "png")]
#[test]
fn a_chart_becomes_a_picture_of_its_size() {
    let svg = Chart::check(data(ChartKind::Line, &FINE)).unwrap().svg().unwrap();
    let picture = graphloom_charts::png(&svg).unwrap();
    assert!(picture.bytes.starts_with(b"\x89PNG"));
    assert_eq!(picture.bytes[16..24], [0, 0, 1, 174, 0, 0, 1, 104], "430 x 360 points");
    assert!(graphloom_charts::png("<svg").is_err());
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9 <>&'\"/]{1,40}", "[一-龥]{1,20}", "\\PC{1,30}", any::<String>()]
}

fn record() -> impl Strategy<Value = Datum> {
    let value = prop_oneof![-1e15..1e15_f64, -100.0..100.0_f64, 0.0..1e-6_f64, any::<f64>(), Just(0.0)];
    let unit = prop::sample::select(vec!["", "%", "ms", "s", "KB", "万元", "亿元", "million USD", "a or b"]);
    (label(), value, unit, label()).prop_map(|(label, value, unit, event)| {
        let mut record = Datum::number(label, value, unit).cited("e");
        record.event = event;
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_proposed_is_refused_or_drawn(
        kind in prop::sample::select(vec![ChartKind::Bar, ChartKind::Line, ChartKind::Pie, ChartKind::Timeline]),
        title in label(),
        records in prop::collection::vec(record(), 0..14),
        same_unit in any::<bool>(),
    ) {
        let mut proposed = ChartData::new(kind, title.clone());
        proposed.label_title = title.clone();
        proposed.value_title = title;
        proposed.records = records;
        if same_unit {
            for record in &mut proposed.records {
                record.unit = "ms".into();
                record.value = record.value.map(|value| if value.is_finite() { value % 1e12 } else { 1.0 });
            }
        }
        if let Ok(chart) = Chart::check(proposed) {
            let svg = chart.svg().unwrap();
            let document = roxmltree::Document::parse(&svg);
            prop_assert!(document.is_ok(), "{svg}");
            let document = document.unwrap();
            let allowed = ["svg", "title", "desc", "rect", "circle", "line", "polyline", "polygon", "text"];
            for node in document.descendants().filter(roxmltree::Node::is_element) {
                prop_assert!(allowed.contains(&node.tag_name().name()), "{:?}", node.tag_name());
            }
            prop_assert!(chart.records().iter().all(|record| record.derived || !record.citations.is_empty()));
        }
    }

    #[test]
    fn a_range_holds_its_values(
        values in prop::collection::vec(prop_oneof![-1e15..1e15_f64, -1.0..1.0_f64, 99.0..100.0_f64], 1..12),
        is_bars in any::<bool>(),
    ) {
        let range = range_of(&values, is_bars);
        prop_assert!(range.step > 0.0 && range.from < range.to, "{range:?}");
        for value in &values {
            prop_assert!(range.from <= *value && *value <= range.to, "{value} {range:?}");
        }
        let marks = range.marks();
        prop_assert!((2..=41).contains(&marks.len()), "{marks:?}");
        prop_assert!(marks.windows(2).all(|pair| pair[0] < pair[1]), "{marks:?}");
    }
}
