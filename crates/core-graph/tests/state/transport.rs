//! Updates and fields that travel as bytes, drawn at random.

use super::*;

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
