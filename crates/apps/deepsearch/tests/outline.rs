//! Outlines: whatever was written becomes an outline without circles, or a complaint that says what is missing.

use graphloom_deepsearch::outline::{RawOutline, RawSection, faults, outline_of, schema};
use proptest::prelude::*;
use serde_json::json;

fn raw() -> impl Strategy<Value = RawOutline> {
    let id = prop_oneof![Just(String::new()), "[1-6]", "[a-c]", "section-[1-3]"];
    let section =
        (id.clone(), "[a-z ]{0,4}", "[a-z ]{0,4}", any::<bool>(), prop::collection::vec(id, 0..5), 0_usize..5);
    let section = section.prop_map(|(id, title, description, is_core_section, parent_ids, relationships)| RawSection {
        id,
        title,
        description,
        is_core_section,
        parent_ids,
        relationships: vec!["Framework Support".into(); relationships],
    });
    prop::collection::vec(section, 0..8).prop_map(|sections| RawOutline { sections, ..RawOutline::default() })
}

proptest! {
    #[test]
    fn an_outline_has_numbers_and_no_circle(raw in raw(), most in 1_u32..9) {
        let written = raw.sections.clone();
        match outline_of(raw, most, true, "the question") {
            Err(complaint) => {
                let blank = |section: &RawSection| section.title.trim().is_empty() || section.description.trim().is_empty();
                prop_assert!(written.is_empty() || written.iter().any(blank), "{complaint}");
            }
            Ok((outline, _)) => {
                prop_assert!(outline.sections.len() <= most as usize);
                prop_assert_eq!(outline.title, "the question");
                let ids: Vec<String> = outline.sections.iter().map(|section| section.id.clone()).collect();
                let numbers: Vec<String> = (1..=ids.len()).map(|number| number.to_string()).collect();
                prop_assert_eq!(ids, numbers);
                prop_assert_eq!(faults(&outline.sections), vec![]);
                for section in &outline.sections {
                    let own: usize = section.id.parse().unwrap();
                    for parent in &section.parent_ids {
                        prop_assert!(parent.parse::<usize>().unwrap() < own);
                    }
                }
            }
        }
    }

    #[test]
    fn sound_dependencies_are_kept(parents in prop::collection::vec(prop::collection::btree_set(1_usize..6, 0..4), 1..6)) {
        let sections = (1..).zip(&parents).map(|(number, parents): (usize, _)| {
            let parent_ids: Vec<String> = parents.iter().filter(|p| **p < number).map(|p| format!("s{p}")).collect();
            RawSection {
                id: format!("s{number}"), title: "t".into(), description: "d".into(),
                relationships: vec!["Theoretical Guidance".into(); parent_ids.len()], parent_ids, ..RawSection::default()
            }
        });
        let raw = RawOutline { sections: sections.collect(), ..RawOutline::default() };
        let (outline, notes) = outline_of(raw.clone(), 10, true, "q").unwrap();
        prop_assert_eq!(notes, Vec::<String>::new());
        for (section, written) in outline.sections.iter().zip(&raw.sections) {
            let expected: Vec<&str> = written.parent_ids.iter().map(|id| &id[1..]).collect();
            prop_assert_eq!(&section.parent_ids, &expected);
        }
    }
}

#[test]
fn every_fault_is_told_and_mended() {
    let section = |id: &str, parents: &[&str], relationships: &[&str]| RawSection {
        id: id.into(),
        title: format!("T{id}"),
        description: "d".into(),
        parent_ids: parents.iter().map(|text| (*text).to_owned()).collect(),
        relationships: relationships.iter().map(|text| (*text).to_owned()).collect(),
        ..RawSection::default()
    };
    for (parents, relationships, told, kept, related) in [
        (&["2"][..], &["Framework Support"][..], "section 2 builds on itself", &[][..], &[][..]),
        (&["9"], &["Framework Support"], "section 2 builds on `9`, which is no section", &[], &[]),
        (&["3"], &["Framework Support"], "section 2 builds on the later section 3", &[], &[]),
        (&["1", "1"], &["a", "b"], "section 2 names section 1 twice", &["1"], &["a"]),
        (&["1"], &[], "section 2 has 1 parents and 0 relationships", &["1"], &["Basic Dependence"]),
        (&["1"], &["a", "b"], "section 2 has 1 parents and 2 relationships", &["1"], &["a"]),
        (&["9", "1"], &["a", "b"], "section 2 builds on `9`, which is no section", &["1"], &["b"]),
    ] {
        let sections = vec![section("1", &[], &[]), section("2", parents, relationships), section("3", &[], &[])];
        let raw = RawOutline { sections, ..RawOutline::default() };
        let (outline, notes) = outline_of(raw.clone(), 5, true, "q").unwrap();
        assert!(notes.iter().any(|note| note == told), "{told}: {notes:?}");
        assert_eq!(outline.sections[1].parent_ids, kept, "{told}");
        assert_eq!(outline.sections[1].relationships, related, "{told}");
        let (outline, notes) = outline_of(raw, 5, false, "q").unwrap();
        assert!(notes.is_empty() && outline.sections[1].parent_ids.is_empty(), "the parallel graph has no parents");
    }
}

#[test]
fn what_is_missing_is_said() {
    for (written, complaint) in [
        (json!({}), "the outline has no sections"),
        (json!({ "sections": [] }), "the outline has no sections"),
        (
            json!({ "sections": [{ "id": 1, "title": "a", "description": "b" }, { "title": "c" }] }),
            "section 2 has no `description`",
        ),
        (json!({ "sections": [{ "description": "b" }] }), "section 1 has no `title`"),
    ] {
        let raw: RawOutline = serde_json::from_value(written).unwrap();
        assert_eq!(outline_of(raw, 5, false, "q").unwrap_err(), complaint);
    }
    let raw: RawOutline = serde_json::from_value(
        json!({ "sections": [{ "id": 7, "title": " # A\nb ", "description": "d", "parent_ids": null }] }),
    )
    .unwrap();
    let (outline, _) = outline_of(raw, 5, true, "q").unwrap();
    assert_eq!((outline.sections[0].id.as_str(), outline.sections[0].title.as_str()), ("1", "A b"));
}

#[test]
fn the_schema_bounds_the_sections() {
    for dependencies in [false, true] {
        let schema = schema(3, dependencies);
        assert_eq!(schema["properties"]["sections"]["maxItems"], 3);
        let required = &schema["properties"]["sections"]["items"]["required"];
        assert_eq!(required.as_array().unwrap().iter().any(|name| name == "parent_ids"), dependencies);
    }
}
