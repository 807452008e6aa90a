//! How updates fold.

use super::*;

#[test]
fn every_kind_of_field_folds_its_way() {
    let mut draft = Draft::initial(&());
    let first = Draft::update()
        .topic("rivers")
        .notes(["long"])
        .notes(["wide", "wet"])
        .sections([(2, "Delta"), (1, "Spring")])
        .tokens(3)
        .tokens(4)
        .cost(0.5)
        .outline(OutlineChange::Add("One".to_owned()))
        .outline(OutlineChange::Rename { index: 0, title: "First".to_owned() })
        .longest("brook".to_owned())
        .longest("beck".to_owned())
        .source("a text".to_owned())
        .verdict("fine".to_owned())
        .hint(7)
        .alarms([1, 2])
        .cache(Cache(BTreeMap::from([(1, 1)])));
    assert_eq!(fold(&mut draft, first).len(), Draft::fields(&()).len());

    let second = Draft::update().notes(["cold"]).sections([(1, "Source")]).tokens(1).cost(0.25).verdict(None);
    assert_eq!(fold(&mut draft, second), ["notes", "sections", "tokens", "cost", "verdict"]);

    assert_eq!(draft.notes, ["long", "wide", "wet", "cold"].map(Note::from).into());
    assert_eq!(draft.sections, [(1, "Source".to_owned()), (2, "Delta".to_owned())].into());
    assert_eq!((draft.topic.as_str(), draft.tokens, draft.cost, draft.verdict), ("rivers", 8, 0.75, None));
    assert_eq!(draft.outline, Outline { titles: vec!["First".to_owned()], renames: 1 });
    assert_eq!((draft.longest.as_str(), draft.source.as_str(), draft.hint), ("brook", "a text", Some(7)));
    assert_eq!(draft.cache.0.len(), 1);
}

#[test]
fn an_update_that_mentions_nothing_writes_nothing() {
    let empty: [&str; 0] = [];
    let update = Draft::update().notes(empty).sections([(0, ""); 0]);
    assert!(Draft::encode_update(&(), &update).unwrap().is_empty());
    assert!(fold(&mut Draft::default(), update).is_empty());
}

#[test]
fn a_replacement_comes_first_and_later_folds_on_top() {
    let filled = Draft::update().notes(["old"]).sections([(9, "old")]).tokens(100).longest("very long".to_owned());
    let mut draft = Draft::default();
    fold(&mut draft, filled);

    let update = Draft::update()
        .notes(["dropped"])
        .replace_notes([Note::from("new")])
        .notes(["newer"])
        .sections([(8, "dropped")])
        .replace_sections([(1, "new".to_owned())])
        .sections([(2, "newer")])
        .tokens(7)
        .replace_tokens(1)
        .tokens(2)
        .longest("dropped as well".to_owned())
        .replace_longest("")
        .longest("new".to_owned());
    for update in [transported::<Draft>(&update), update] {
        let mut draft = draft.clone();
        assert_eq!(fold(&mut draft, update), ["notes", "sections", "tokens", "longest"]);
        assert_eq!(draft.notes, ["new", "newer"].map(Note::from).into());
        assert_eq!(draft.sections, [(1, "new".to_owned()), (2, "newer".to_owned())].into());
        assert_eq!((draft.tokens, draft.longest.as_str()), (3, "new"));
    }
}

#[test]
fn a_replacement_is_a_set_and_then_a_fold() {
    let update = Draft::update().replace_tokens(1).tokens(2).topic("x").replace_alarms([]);
    let changes = Draft::encode_update(&(), &update).unwrap();
    let shape: Vec<_> = changes.iter().map(|change| (change.field as usize, change.op)).collect();
    let (topic, tokens, alarms) = (index::<Draft>("topic"), index::<Draft>("tokens"), index::<Draft>("alarms"));
    assert_eq!(shape, [(topic, Op::Set), (tokens, Op::Set), (tokens, Op::Fold), (alarms, Op::Set)]);
}

#[test]
fn sums_of_integers_stop_at_their_limits() {
    let mut draft = Draft::default();
    fold(&mut draft, Draft::update().tokens(u64::MAX).tokens(5));
    fold(&mut draft, Draft::update().tokens(5));
    assert_eq!(draft.tokens, u64::MAX);
}

/// The reducers that keep one of the values they are given.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Kept {
    #[state(max)]
    best: i64,
    #[state(max)]
    newest: Option<String>,
    #[state(min)]
    least: f64,
    #[state(min)]
    cheapest: Option<u32>,
    #[state(any)]
    whoever: Option<String>,
}

#[test]
fn the_greatest_the_least_or_whichever_comes_last_is_kept() {
    let kinds: Vec<_> = Kept::fields(&()).iter().map(|field| (field.kind, field.stored)).collect();
    assert_eq!(kinds, [(FieldKind::Reducer, Stored::Whole); 5], "many may write them");
    let updates = [
        Kept::update().best(-3).newest("b".to_owned()).least(1.5).cheapest(7).whoever("one".to_owned()),
        Kept::update().best(5).best(4).newest("a".to_owned()).least(-2.0).cheapest(3).cheapest(9),
        Kept::update().least(f64::NAN).whoever("other".to_owned()),
    ];
    let expected = Kept {
        best: 5,
        newest: Some("b".to_owned()),
        least: -2.0,
        cheapest: Some(3),
        whoever: Some("other".to_owned()),
    };
    let (mut direct, mut through) = (Kept::default(), Kept::default());
    for update in updates {
        let encoded = Kept::encode_update(&(), &update).unwrap();
        through.apply(&(), Kept::decode_update(&(), &encoded).unwrap(), &mut FieldSet::default());
        direct.apply(&(), update, &mut FieldSet::default());
    }
    assert_eq!(direct, expected);
    assert_eq!(through, expected, "what is stored folds the same");
    direct.apply(&(), Kept::update().replace_best(0), &mut FieldSet::default());
    assert_eq!(direct.best, 0);
}
