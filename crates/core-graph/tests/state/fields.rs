//! What is known of fields, and how each is stored.

use super::*;

#[test]
fn the_field_table_says_how_fields_fold_and_are_stored() {
    use FieldKind::{Last, Reducer};
    use Stored::{Additions, Deltas, Never, Whole};
    let expected = [
        Field::new("topic", Last, Whole),
        Field::new("notes", Reducer, Additions).sure().json(JsonForm::Fold),
        Field::new("sections", Reducer, Deltas).json(JsonForm::FoldEntries),
        Field::new("tokens", Reducer, Whole).sure().json(JsonForm::Fold),
        Field::new("cost", Reducer, Whole).sure().json(JsonForm::Fold),
        Field::new("outline", Reducer, Deltas),
        Field::new("longest", Reducer, Whole),
        Field::new("source", Last, Whole),
        Field::new("verdict", Last, Whole),
        Field::new("hint", Last, Whole).ephemeral(),
        Field::new("alarms", Reducer, Whole).ephemeral().sure().json(JsonForm::Fold),
        Field::new("cache", Last, Never),
    ];
    assert_eq!(Draft::fields(&()), expected);
}

#[test]
fn an_untracked_field_is_folded_but_never_stored() {
    let update = Draft::update().cache(Cache(BTreeMap::from([(1, 1)]))).topic("x");
    let changes = Draft::encode_update(&(), &update).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(serde_json::to_value(&update).unwrap(), serde_json::json!({ "topic": "x" }));

    let mut draft = Draft::default();
    assert_eq!(fold(&mut draft, update), ["topic", "cache"]);
    let cache = index::<Draft>("cache");
    assert!(draft.save(&(), cache).is_err());
    let stored_by_an_older_version = FieldChange { field: cache as u32, op: Op::Set, bytes: vec![1].into() };
    assert!(fold(&mut draft, Draft::decode_update(&(), &[stored_by_an_older_version]).unwrap()).is_empty());
    draft.reset(&(), cache);
    assert_eq!(draft.cache, Cache::default());
}

#[test]
fn a_field_is_saved_loaded_and_reset_alone() {
    let mut draft = Draft::default();
    fold(&mut draft, Draft::update().topic("rivers").notes(["a", "b"]).sections([(1, "s")]).hint(3));
    let mut copy = Draft::default();
    for field in [index::<Draft>("notes"), index::<Draft>("hint")] {
        copy.load(&(), field, &draft.save(&(), field).unwrap()).unwrap();
    }
    assert_eq!(copy.notes, draft.notes);
    assert_eq!((copy.hint, copy.topic.as_str(), copy.sections.len()), (Some(3), "", 0));
    copy.reset(&(), index::<Draft>("notes"));
    assert_eq!((copy.notes.len(), copy.hint), (0, Some(3)));
}

#[test]
fn a_reset_field_has_the_value_of_the_states_default() {
    #[derive(State, Clone, Serialize, Deserialize, JsonSchema)]
    struct Limits {
        rounds: u32,
    }
    impl Default for Limits {
        fn default() -> Self {
            Self { rounds: 3 }
        }
    }
    let mut limits = Limits::initial(&());
    fold(&mut limits, Limits::update().rounds(9));
    limits.reset(&(), 0);
    assert_eq!(limits.rounds, 3);
}

#[test]
fn an_update_shows_itself_by_what_it_writes() {
    let update = Draft::update().topic("x").notes(["a"]).sections([(1, "s")]).replace_tokens(4).tokens(1).verdict(None);
    let expected = serde_json::json!({
        "topic": "x", "notes": ["a"], "sections": [[1, "s"]], "replace_tokens": 4, "tokens": 1, "verdict": null,
    });
    assert_eq!(serde_json::to_value(&update).unwrap(), expected);
    assert_eq!(format!("{:?}", Draft::update().topic("x")), r#"DraftUpdate {"topic":"x"}"#);
}

#[test]
fn bytes_of_another_type_are_an_error_that_names_the_field() {
    let change = |field: &str, op| FieldChange { field: index::<Draft>(field) as u32, op, bytes: vec![0xc3].into() };
    for (field, op) in [("tokens", Op::Set), ("tokens", Op::Fold), ("notes", Op::Fold), ("topic", Op::Set)] {
        let error: StateError = Draft::decode_update(&(), &[change(field, op)]).unwrap_err();
        assert_eq!((error.field.as_str(), error.action), (field, "decoded"));
        if op == Op::Set {
            assert_eq!(Draft::default().load(&(), index::<Draft>(field), &[0xc3]).unwrap_err().field, field);
        }
    }
    let a_fold_of_a_last_value = change("topic", Op::Fold);
    assert!(Draft::decode_update(&(), &[a_fold_of_a_last_value]).unwrap_err().message.contains("`Fold`"));
    let beyond = FieldChange { field: 99, op: Op::Set, bytes: vec![].into() };
    assert!(Draft::decode_update(&(), &[beyond]).unwrap_err().message.contains("`Draft`"));
    assert!(Draft::default().save(&(), 99).is_err() && Draft::default().load(&(), 99, &[]).is_err());
    Draft::default().reset(&(), 99);
}

#[test]
fn an_update_is_a_step() {
    let _: Step<Draft> = Draft::update().topic("x").into();
}
