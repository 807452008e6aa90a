//! What a working memory keeps.

use graphloom_agents::{CompletionSignal, EntryKind, MemoryEntry, WorkingMemory};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = EntryKind> {
    prop::sample::select(EntryKind::ALL.to_vec())
}

proptest! {
    #[test]
    fn the_cap_holds_the_order_stays_and_the_newest_plan_is_kept(
        limit in 1_usize..8,
        entries in prop::collection::vec((kind(), prop::option::of(-1.0_f32..2.0)), 0..40),
    ) {
        let mut memory = WorkingMemory::with_limit(limit);
        let mut model: Vec<MemoryEntry> = Vec::new();
        for (number, (kind, importance)) in entries.into_iter().enumerate() {
            let mut entry = MemoryEntry::new(kind, "analyze", 1, number.to_string());
            if let Some(importance) = importance {
                entry = entry.with_importance(importance);
            }
            let mut kept = entry.clone();
            kept.id = memory.remember(entry);
            model.push(kept);
            // The rule, by exhaustion: of all but the newest plan, the least important, and of those the oldest, goes.
            if model.len() > limit {
                let plan = model.iter().rposition(|entry| entry.kind == EntryKind::Plan);
                let lowest = (0..model.len())
                    .filter(|index| Some(*index) != plan)
                    .map(|index| model[index].importance)
                    .fold(f32::INFINITY, f32::min);
                let gone = (0..model.len())
                    .find(|index| Some(*index) != plan && model[*index].importance <= lowest);
                if let Some(gone) = gone {
                    model.remove(gone);
                }
            }
            prop_assert!(memory.len() <= limit);
            prop_assert_eq!(memory.iter().cloned().collect::<Vec<_>>(), model.clone());
        }
        let json = serde_json::to_string(&memory).expect("it is data");
        prop_assert_eq!(serde_json::from_str::<WorkingMemory>(&json).expect("it reads back"), memory);
    }
}

#[test]
fn importances_are_fixed_by_kind() {
    let importances = EntryKind::ALL.map(EntryKind::importance);
    assert_eq!(importances, [0.8, 0.7, 0.9, 0.8, 0.9]);
    assert_eq!(WorkingMemory::default().limit(), 50);
}

#[test]
fn long_texts_are_cut_and_ids_go_on_after_reading_back() {
    let mut memory = WorkingMemory::with_limit(2).with_characters(3);
    assert_eq!(memory.remember(MemoryEntry::new(EntryKind::Thought, "search", 1, "東京都庁舎")), "m1");
    let entry = memory.newest(EntryKind::Thought).expect("it is there");
    assert_eq!((entry.content.as_str(), entry.omitted), ("東京都", 2));
    let json = serde_json::to_string(&memory).expect("it is data");
    let mut memory: WorkingMemory = serde_json::from_str(&json).expect("it reads back");
    assert_eq!(memory.remember(MemoryEntry::new(EntryKind::Thought, "search", 1, "abc")), "m2");
    assert_eq!(memory.newest(EntryKind::Thought).map(|entry| entry.omitted), Some(0));
}

#[test]
fn a_signal_is_a_value_and_words_are_none() {
    let mut memory = WorkingMemory::default();
    memory.remember(MemoryEntry::new(EntryKind::Reflection, "reflect", 1, "all done, completed, finished"));
    assert_eq!(memory.signal(), None);
    let signal = CompletionSignal { confidence: 0.9, reason: "every link resolves".into() };
    memory.remember(MemoryEntry::new(EntryKind::Reflection, "reflect", 2, "checked").with_signal(signal.clone()));
    memory.remember(MemoryEntry::new(EntryKind::Thought, "analyze", 3, "what else?"));
    assert_eq!(memory.signal(), Some(&signal));
}

#[test]
fn the_most_important_are_recalled_in_their_order() {
    let mut memory = WorkingMemory::default();
    for (kind, text) in [
        (EntryKind::Observation, "o1"),
        (EntryKind::Action, "a1"),
        (EntryKind::Thought, "t1"),
        (EntryKind::Observation, "o2"),
        (EntryKind::Thought, "t2"),
    ] {
        memory.remember(MemoryEntry::new(kind, "search", 1, text));
    }
    let recalled = |most, fits: fn(&MemoryEntry) -> bool| -> Vec<String> {
        memory.recall(most, fits).into_iter().map(|entry| entry.content.clone()).collect()
    };
    assert_eq!(recalled(3, |_| true), ["o1", "o2", "t2"]);
    assert_eq!(recalled(9, |entry| entry.kind == EntryKind::Thought), ["t1", "t2"]);
    assert!(recalled(0, |_| true).is_empty());
}

#[test]
fn a_snapshot_is_not_changed_by_what_comes_later() {
    let mut memory = WorkingMemory::with_limit(1);
    memory.remember(MemoryEntry::new(EntryKind::Thought, "search", 1, "one"));
    let snapshot = memory.clone();
    memory.remember_all(vec![MemoryEntry::new(EntryKind::Thought, "search", 1, "two")]);
    assert_eq!(snapshot.iter().map(|entry| entry.content.as_str()).collect::<Vec<_>>(), ["one"]);
    assert_eq!(memory.iter().map(|entry| entry.content.as_str()).collect::<Vec<_>>(), ["two"]);
}
