//! Values while they arrive: any cut gives the same value, and every snapshot is a beginning of it.

use std::sync::{Arc, Mutex};

use graphloom_llm::scripted::Reply;
use graphloom_llm::structured::{PartialEvent, PartialJson, structured_partial};
use graphloom_llm::{Capabilities, ChatModel, ChatRequest, Scripted, StructuredOptions, StructuredSupport};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Whether `part` is a beginning of `whole`: strings are cut at their end, arrays and objects lack what comes last, and only
/// the last one of each may itself be a beginning.
fn begins(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part.iter().zip(whole).enumerate().all(|(index, (part_item, whole_item))| {
                    part_item == whole_item || (index + 1 == part.len() && begins(part_item, whole_item))
                })
        }
        (Value::Object(part), Value::Object(whole)) => {
            let unlike = part.iter().filter(|(name, value)| whole.get(*name) != Some(value));
            let unlike: Vec<_> = unlike.collect();
            unlike.len() <= 1
                && unlike.iter().all(|(name, value)| whole.get(*name).is_some_and(|whole| begins(value, whole)))
        }
        (part, whole) => part == whole,
    }
}

/// What the events say, put together.
fn rebuilt(events: &[PartialEvent]) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = Vec::new();
    for event in events {
        if let PartialEvent::Text { path, more } = event {
            assert!(!more.is_empty());
            match texts.last_mut().filter(|(last, _)| last == path) {
                Some((_, text)) => text.push_str(more),
                None => texts.push((path.clone(), more.clone())),
            }
        }
    }
    texts
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = "[a-zA-Z0-9 \\\\\"\\n\\t/~äß😀\u{1d11e}\u{1}]{0,12}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9f64..1e9).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    let nested = leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(text, inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    nested.prop_map(|value| match value {
        Value::Object(_) | Value::Array(_) => value,
        scalar => json!([scalar]),
    })
}

/// The text of a value with everything outside of ASCII escaped, so that pairs of surrogates are there to be cut.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04X}")));
        }
    }
    out
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_value_and_every_snapshot_begins_it(
        value in any_value(),
        is_pretty in any::<bool>(),
        is_escaped in any::<bool>(),
        before in prop_oneof![Just(""), Just("Sure:\n```json\n")],
        cuts in proptest::collection::vec(1usize..9, 0..60),
    ) {
        let mut text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        if is_escaped {
            text = escaped(&text);
        }
        let text = format!("{before}{text}\n``` }} done");
        let (mut partial, mut events, mut rest) = (PartialJson::new(), Vec::new(), text.as_str());
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let at = rest.char_indices().nth(cut).map_or(rest.len(), |(at, _)| at);
            events.extend(partial.push(&rest[..at]));
            rest = &rest[at..];
            if let Some(snapshot) = partial.value() {
                prop_assert!(begins(snapshot, &value), "{} does not begin {}", snapshot, value);
            }
        }
        prop_assert_eq!(partial.value(), Some(&value));
        prop_assert!(partial.is_complete() && !partial.is_broken());
        for (path, text) in rebuilt(&events) {
            prop_assert_eq!(value.pointer(&path), Some(&Value::from(text)), "{}", path);
        }
        for event in &events {
            if let PartialEvent::Scalar { path, value: scalar } = event {
                prop_assert_eq!(value.pointer(path), Some(scalar));
            }
        }
        let mut whole = PartialJson::new();
        prop_assert_eq!(rebuilt(&whole.push(&text)), rebuilt(&events));
    }

    #[test]
    fn any_text_is_taken(text in "[\\[\\]{}:,\"\\\\u0d8a1e.t-]{0,40}") {
        let mut partial = PartialJson::new();
        for c in text.chars() {
            partial.push(&c.to_string());
        }
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(partial.value(), Some(&value));
        }
    }
}

#[test]
fn what_cannot_be_told_yet_is_not_shown() {
    let mut partial = PartialJson::new();
    for (text, expected) in [
        (r#"{"a": "x\"#, json!({"a": "x"})),
        ("n", json!({"a": "x\n"})),
        (r"\ud83d", json!({"a": "x\n"})),
        (r"\ude", json!({"a": "x\n"})),
        ("00", json!({"a": "x\n😀"})),
        (r"\ud83d!", json!({"a": "x\n😀\u{fffd}!"})),
        (r#"", "b": 12"#, json!({"a": "x\n😀\u{fffd}!"})),
        ("3", json!({"a": "x\n😀\u{fffd}!"})),
        (", \"c", json!({"a": "x\n😀\u{fffd}!", "b": 123})),
        ("\": tru", json!({"a": "x\n😀\u{fffd}!", "b": 123})),
        ("e}", json!({"a": "x\n😀\u{fffd}!", "b": 123, "c": true})),
    ] {
        partial.push(text);
        assert_eq!(partial.value(), Some(&expected), "{text}");
    }
    assert!(partial.is_complete());
}

#[test]
fn broken_text_keeps_what_there_was_and_deep_text_ends() {
    for broken in ["{]", "[1 2]", "{\"a\" 1}", "[tru]", "{a: 1}", "[\"\\x\"]", "[,]"] {
        let mut partial = PartialJson::new();
        partial.push(broken);
        assert!(partial.is_broken() && partial.push("1").is_empty(), "{broken}: {partial:?}");
    }
    let mut partial = PartialJson::new();
    partial.push(&"[".repeat(100_000));
    assert!(partial.is_broken());
}

#[test]
fn a_piece_costs_what_it_adds_and_not_what_was_there_before() {
    const LENGTH: usize = 200_000;
    let text = format!("{{\"a\": [\"{}\"]}}", "x".repeat(LENGTH));
    let mut partial = PartialJson::new();
    let (mut added, mut place, mut moves) = (0, None, 0);
    for byte in text.as_bytes().chunks(1) {
        added += partial.push(std::str::from_utf8(byte).expect("letters of ASCII")).len();
        let string = partial.value().and_then(|value| value["a"][0].as_str()).map(str::as_ptr);
        moves += usize::from(string != place);
        place = string;
    }
    assert_eq!(added, LENGTH + 3);
    // A string that doubles its space moves a few times. A reader that copies what was there before moves it with every byte.
    assert!(moves < 64, "{moves} moves of a string of {LENGTH} bytes");
}

#[derive(Debug, Default, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(default)]
struct Plan {
    title: String,
    steps: Vec<String>,
}

#[tokio::test]
async fn a_typed_value_is_seen_while_it_streams_and_again_when_it_is_asked_for_again() {
    let replies = Mutex::new(vec![
        r#"{"title": "Tides", "steps": ["Ask the moon", "Write"]}"#,
        r#"{"title": {"is": "none"}, "steps": []}"#,
    ]);
    let model = Scripted::from_fn(move |_| {
        let text = replies.lock().unwrap().pop().unwrap_or_default();
        Ok(Reply { piece: 7, ..Reply::text(text) })
    });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let watch = move |partial: &PartialJson, _: &[PartialEvent]| log.lock().unwrap().push(partial.view::<Plan>());
    let options = StructuredOptions::default();
    let plan = structured_partial::<Plan>(&model, ChatRequest::user("Plan."), &options, watch).await.unwrap();
    let expected = Plan { title: "Tides".into(), steps: vec!["Ask the moon".into(), "Write".into()] };
    assert_eq!((&plan.value, plan.attempts), (&expected, 2));
    let seen = seen.lock().unwrap();
    let cut = |title: &str, steps: &[&str]| {
        Some(Plan { title: title.into(), steps: steps.iter().map(|step| (*step).to_owned()).collect() })
    };
    assert!(seen.contains(&cut("Tid", &[])) && seen.contains(&cut("Tides", &["Ask t"])), "{seen:?}");
    assert!(seen.contains(&None), "the first answer has a title that is none");
    assert_eq!(seen.last(), Some(&Some(expected)));
}

#[derive(Clone, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Step {
    Ask { whom: String },
}

#[tokio::test]
async fn a_value_that_a_provider_takes_only_in_an_object_is_seen_as_itself() {
    let ways = [
        (StructuredSupport::JsonSchema, r#"{"value": [{"ask": {"whom": "the moon"}}, {"ask": {"whom": "me"}}]}"#),
        (StructuredSupport::JsonObject, r#"{"value": [{"ask": {"whom": "the moon"}}, {"ask": {"whom": "me"}}]}"#),
        (StructuredSupport::Prompted, r#"[{"ask": {"whom": "the moon"}}, {"ask": {"whom": "me"}}]"#),
    ];
    for (structured, text) in ways {
        let model = Scripted::from_fn(move |_| Ok(Reply { piece: 5, ..Reply::text(text) }));
        let capabilities = Capabilities { structured, ..model.capabilities().clone() };
        let model = model.with_capabilities(capabilities);
        let log = Arc::new(Mutex::new((Vec::new(), Vec::new())));
        let seen = Arc::clone(&log);
        let watch = move |partial: &PartialJson, events: &[PartialEvent]| {
            let mut seen = seen.lock().unwrap();
            seen.0.push(partial.view::<Vec<Step>>());
            seen.1.extend(events.to_vec());
        };
        let options = StructuredOptions::default();
        let steps = structured_partial::<Vec<Step>>(&model, ChatRequest::user("x"), &options, watch).await;
        let Ok(steps) = steps else { panic!("{text}: {steps:?}") };
        let (views, events) = &*log.lock().unwrap();
        let ask = |whom: &str| Step::Ask { whom: whom.to_owned() };
        assert!(views.contains(&Some(vec![ask("the mo")])), "{text}: {views:?}");
        assert_eq!(views.last(), Some(&Some(steps.value)));
        let texts: Vec<(String, String)> = rebuilt(events);
        let expected = [("/0/ask/whom", "the moon"), ("/1/ask/whom", "me")];
        assert_eq!(texts, expected.map(|(path, text)| (path.to_owned(), text.to_owned())), "{text}");
        let ends = |at: &str| {
            events.iter().filter(|event| matches!(event, PartialEvent::Ended { path } if path == at)).count()
        };
        assert_eq!((ends(""), ends("/0"), ends("/value")), (1, 1, 0), "{text}: {events:?}");
    }
}
