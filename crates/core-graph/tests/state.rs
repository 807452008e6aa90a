//! What `#[derive(State)]` writes: folding, the field table, and the encoded form of fields and updates.

use std::collections::BTreeMap;

use graphloom_core_graph::{
    Field, FieldChange, FieldKind, FieldSet, Log, Op, Shared, State, StateError, Step, Stored, Table,
};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One field of each kind.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
    #[state(append)]
    notes: Log<Note>,
    #[state(merge)]
    sections: Table<u32, String>,
    #[state(add)]
    tokens: u64,
    #[state(add)]
    cost: f64,
    #[state(reduce_with = Outline::fold, update = OutlineChange, stored = deltas)]
    outline: Outline,
    #[state(reduce_with = keep_longest)]
    longest: String,
    source: Shared<String>,
    verdict: Option<String>,
    #[state(ephemeral)]
    hint: Option<u32>,
    #[state(ephemeral, append)]
    alarms: Log<u8>,
    #[state(untracked)]
    #[serde(skip)]
    #[schemars(skip)]
    cache: Cache,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note(String);

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Neither serialisable nor `Debug` by its contents: what untracked fields are for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cache(BTreeMap<u8, u8>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Outline {
    titles: Vec<String>,
    renames: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum OutlineChange {
    Add(String),
    Rename { index: usize, title: String },
}

impl Outline {
    fn fold(&mut self, change: OutlineChange) {
        match change {
            OutlineChange::Add(title) => self.titles.push(title),
            OutlineChange::Rename { index, title } => {
                if let Some(slot) = self.titles.get_mut(index) {
                    *slot = title;
                    self.renames += 1;
                }
            }
        }
    }
}

fn keep_longest(kept: &mut String, other: String) {
    if other.len() > kept.len() {
        *kept = other;
    }
}

/// Folds an update and tells the names of the fields that changed.
fn fold<S: State<Layout = ()>>(state: &mut S, update: impl Into<S::Update>) -> Vec<String> {
    let update = update.into();
    let (mut written, mut changed) = (FieldSet::default(), FieldSet::default());
    S::written(&(), &update, &mut written);
    state.apply(&(), update, &mut changed);
    assert_eq!(written, changed);
    names::<S>(&changed)
}

fn names<S: State<Layout = ()>>(fields: &FieldSet) -> Vec<String> {
    fields.iter().map(|field| S::fields(&())[field].name.to_string()).collect()
}

fn transported<S: State<Layout = ()>>(update: &S::Update) -> S::Update {
    let changes = S::encode_update(&(), update).expect("the update can be encoded");
    S::decode_update(&(), &changes).expect("what was encoded can be decoded")
}

fn index<S: State<Layout = ()>>(name: &str) -> usize {
    S::fields(&()).iter().position(|field| field.name == name).expect("the state has this field")
}

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

#[test]
fn the_field_table_says_how_fields_fold_and_are_stored() {
    use FieldKind::{Last, Reducer};
    use Stored::{Additions, Deltas, Never, Whole};
    let expected = [
        Field::new("topic", Last, Whole),
        Field::new("notes", Reducer, Additions),
        Field::new("sections", Reducer, Deltas),
        Field::new("tokens", Reducer, Whole),
        Field::new("cost", Reducer, Whole),
        Field::new("outline", Reducer, Deltas),
        Field::new("longest", Reducer, Whole),
        Field::new("source", Last, Whole),
        Field::new("verdict", Last, Whole),
        Field::new("hint", Last, Whole).ephemeral(),
        Field::new("alarms", Reducer, Whole).ephemeral(),
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

macro_rules! wide {
    ($($field:ident)+) => {
        /// More fields than a machine word has bits.
        #[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        struct Wide {
            $(#[state(add)] $field: u8,)+
        }

        /// Adds the place of each field to it.
        fn count_up() -> WideUpdate {
            let (mut place, mut update) = (0, Wide::update());
            $(
                update = update.$field(place);
                place += 1;
            )+
            assert_eq!(usize::from(place), Wide::fields(&()).len());
            update
        }
    };
}

wide! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9
}

#[test]
fn a_state_has_any_number_of_fields() {
    let mut wide = Wide::default();
    let changed = fold(&mut wide, transported::<Wide>(&count_up()));
    assert_eq!((changed.len(), changed[79].as_str(), wide.h9, wide.a1), (80, "h9", 79, 1));
    assert_eq!(fold(&mut wide, Wide::update().g4(1)), ["g4"]);
    let mut copy = Wide::default();
    for field in 0..80 {
        copy.load(&(), field, &wide.save(&(), field).unwrap()).unwrap();
    }
    assert_eq!(copy, wide);
}

#[test]
fn a_state_may_have_no_fields() {
    #[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
    struct Empty {}
    assert!(fold(&mut Empty::default(), Empty::update()).is_empty());
    assert!(Empty::default().save(&(), 0).is_err());
}

#[test]
fn names_may_be_keywords_and_the_core_crate_may_be_elsewhere() {
    mod facade {
        pub(super) use graphloom_core_graph as core_graph;
    }
    #[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
    #[state(crate = facade::core_graph)]
    struct Odd {
        r#type: String,
        #[state(append)]
        r#loop: Log<u8>,
        update: bool,
        clone: f32,
    }
    let mut odd = Odd::default();
    let update = Odd::update().r#type("x").r#loop([1]).replace_loop([2]).update(true).clone(1.5);
    assert_eq!(fold(&mut odd, update), ["type", "loop", "update", "clone"]);
    assert_eq!((odd.r#type.as_str(), odd.r#loop, odd.update, odd.clone), ("x", [2].into(), true, 1.5));
}

#[test]
fn a_state_may_be_generic() {
    #[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Queue<T, const ROUNDS: u8>
    where
        T: Ord,
    {
        #[state(append)]
        items: Log<T>,
        best: Option<T>,
    }
    fn offer<T: State + Ord>(_: T) {}
    fn run<T>(items: Vec<T>) -> Queue<T, 2>
    where
        T: Clone + Default + Ord + Send + Sync + Serialize + DeserializeOwned + JsonSchema + 'static,
    {
        let mut queue = Queue::default();
        fold(&mut queue, transported::<Queue<T, 2>>(&Queue::update().best(items.iter().max().cloned()).items(items)));
        queue
    }
    let _ = offer::<Never>;
    assert_eq!(run(vec![1, 3, 2]), Queue { items: [1, 3, 2].into(), best: Some(3) });
}

#[derive(State, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
struct Never {
    nothing: bool,
}

/// One call on an update.
#[derive(Clone, Debug)]
enum Call {
    Topic(String),
    Notes(Vec<String>),
    ReplaceNotes(Vec<String>),
    Sections(Vec<(u32, String)>),
    ReplaceSections(BTreeMap<u32, String>),
    Tokens(u64),
    ReplaceTokens(u64),
    Outline(OutlineChange),
    ReplaceOutline(Vec<String>),
    Longest(String),
    Verdict(Option<String>),
    Hint(Option<u32>),
}

fn call() -> impl Strategy<Value = Call> {
    let text = "[a-zé]{0,4}";
    let texts = || prop::collection::vec(text, 0..4);
    let key = || 0..5u32;
    prop_oneof![
        text.prop_map(Call::Topic),
        texts().prop_map(Call::Notes),
        texts().prop_map(Call::ReplaceNotes),
        prop::collection::vec((key(), text), 0..4).prop_map(Call::Sections),
        prop::collection::btree_map(key(), text, 0..4).prop_map(Call::ReplaceSections),
        prop_oneof![0..10u64, any::<u64>()].prop_map(Call::Tokens),
        any::<u64>().prop_map(Call::ReplaceTokens),
        text.prop_map(|title| Call::Outline(OutlineChange::Add(title))),
        (0..3usize, text).prop_map(|(index, title)| Call::Outline(OutlineChange::Rename { index, title })),
        texts().prop_map(Call::ReplaceOutline),
        text.prop_map(Call::Longest),
        prop::option::of(text).prop_map(Call::Verdict),
        any::<Option<u32>>().prop_map(Call::Hint),
    ]
}

fn update() -> impl Strategy<Value = DraftUpdate> {
    prop::collection::vec(call(), 0..8).prop_map(|calls| {
        calls.into_iter().fold(Draft::update(), |update, call| match call {
            Call::Topic(value) => update.topic(value),
            Call::Notes(entries) => update.notes(entries.into_iter().map(Note)),
            Call::ReplaceNotes(entries) => update.replace_notes(entries.into_iter().map(Note).collect::<Log<_>>()),
            Call::Sections(entries) => update.sections(entries),
            Call::ReplaceSections(entries) => update.replace_sections(entries),
            Call::Tokens(difference) => update.tokens(difference),
            Call::ReplaceTokens(value) => update.replace_tokens(value),
            Call::Outline(change) => update.outline(change),
            Call::ReplaceOutline(titles) => update.replace_outline(Outline { titles, renames: 0 }),
            Call::Longest(value) => update.longest(value),
            Call::Verdict(value) => update.verdict(value),
            Call::Hint(value) => update.hint(value),
        })
    })
}

proptest! {
    #[test]
    fn a_transported_update_does_what_the_original_does(start in update(), next in update()) {
        let mut original = Draft::default();
        fold(&mut original, start);
        let mut copy = original.clone();
        let transported = transported::<Draft>(&next);
        prop_assert_eq!(fold(&mut copy, transported), fold(&mut original, next));
        prop_assert_eq!(copy, original);
    }

    #[test]
    fn changes_of_many_updates_add_up_in_order(updates in prop::collection::vec(update(), 0..5)) {
        let (mut one_by_one, mut at_once) = (Draft::default(), Draft::default());
        let mut changes = Vec::new();
        for update in updates {
            changes.extend(Draft::encode_update(&(), &update).unwrap());
            fold(&mut one_by_one, update);
        }
        fold(&mut at_once, Draft::decode_update(&(), &changes).unwrap());
        prop_assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn saved_fields_make_the_state_again(update in update()) {
        let (mut state, mut copy) = (Draft::default(), Draft::default());
        fold(&mut state, update);
        for (field, known) in Draft::fields(&()).iter().enumerate() {
            if known.stored != Stored::Never {
                copy.load(&(), field, &state.save(&(), field).unwrap()).unwrap();
            }
        }
        prop_assert_eq!(copy, state);
    }
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
