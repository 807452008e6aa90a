//! Single replies, and properties over the word lists of all languages.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::words::LANGUAGES;
use super::*;

fn class(text: &str) -> &'static str {
    match read(text).reading {
        Reading::Approve => "approve",
        Reading::Reject { search: false, .. } => "reject",
        Reading::Reject { search: true, .. } => "search",
        Reading::Edit(_) => "edit",
        Reading::Candidate(_) => "candidate",
        Reading::Question => "question",
        Reading::NewTopic { .. } => "new topic",
        Reading::Cancel => "cancel",
        Reading::Queries(_) | Reading::Retry | Reading::Insist => "answer",
        Reading::Unclear => "unclear",
    }
}

const PHRASES: &[(&str, &str)] = &[
    ("approved", "approve"),
    ("yes", "approve"),
    ("banana", "unclear"),
    ("not good, redo", "reject"),
    ("I disapprove", "reject"),
    ("looks bad", "reject"),
    ("token", "unclear"),
    ("please book more", "unclear"),
    ("I know", "unclear"),
    ("good morning", "unclear"),
    ("abnormal", "unclear"),
    ("not what I want, redo", "reject"),
    ("not bad", "candidate"),
    ("no objections", "candidate"),
    ("問題ないです", "candidate"),
    ("没什么问题", "candidate"),
    ("возражений нет", "candidate"),
    ("", "unclear"),
    ("Looks good!", "approve"),
    ("OK, go ahead.", "approve"),
    ("👍", "approve"),
    ("👎", "reject"),
    ("LGTM", "approve"),
    ("no", "reject"),
    ("nope", "reject"),
    ("no good", "reject"),
    ("do not proceed", "reject"),
    ("don't continue", "reject"),
    ("I can't approve this", "reject"),
    ("never approve this", "reject"),
    ("yes and no", "unclear"),
    ("not sure", "candidate"),
    ("maybe good", "candidate"),
    ("reject: too broad", "reject"),
    ("new queries please", "search"),
    ("redo the search", "search"),
    ("is that ok?", "candidate"),
    ("\"looks good\"", "candidate"),
    ("ok...", "candidate"),
    ("why these queries?", "question"),
    ("what does the second one mean", "question"),
    ("Könntest du die zweite erklären?", "question"),
    ("что значит второй?", "question"),
    ("cancel", "cancel"),
    ("please stop", "cancel"),
    ("never mind", "cancel"),
    ("new topic: tides", "new topic"),
    ("remove 2", "edit"),
    ("edit 1: spring tides; add: neap tides", "edit"),
    ("/approve", "approve"),
    ("/reject too broad", "reject"),
    ("/edit 1 spring tides", "edit"),
    ("/cancel", "cancel"),
    ("/new tides", "new topic"),
    ("/fly", "unclear"),
    ("承認", "approve"),
    ("はい、進めてください", "approve"),
    ("却下", "reject"),
    ("やり直してください", "reject"),
    ("承認しません", "reject"),
    ("承認を拒否します", "reject"),
    ("不承認", "reject"),
    ("なぜですか", "question"),
    ("中止", "cancel"),
    ("新しいトピック：潮汐", "new topic"),
    ("2を削除", "edit"),
    ("猫が好き", "unclear"),
    ("可以", "approve"),
    ("不行", "reject"),
    ("да, хорошо", "approve"),
    ("d’accord, merci", "approve"),
    ("네, 좋아요", "approve"),
    ("einverstanden", "approve"),
    ("sí, adelante", "approve"),
    ("pode seguir, obrigado", "approve"),
    ("va benissimo, procedi", "approve"),
    ("helemaal goed, ga maar door", "approve"),
    ("no, looks great", "approve"),
    ("nein, sieht super aus", "approve"),
    ("no, yes", "candidate"),
    ("no, stop, looks great", "reject"),
    ("no good", "reject"),
    ("i have to show it to my supervisor first", "unclear"),
    ("hold on a second", "unclear"),
    ("stop, do not search the network", "candidate"),
];

#[test]
fn replies_one_by_one() {
    for (text, expected) in PHRASES {
        assert_eq!(class(text), *expected, "{text:?}: {:?}", read(text));
    }
}

#[test]
fn the_reason_of_a_rejection_is_kept() {
    let reason = |text: &str| match read(text).reading {
        Reading::Reject { feedback, .. } => feedback,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(reason("reject: too broad"), "too broad");
    assert_eq!(reason("/reject too broad"), "too broad");
    assert_eq!(reason("No, I want newer work"), "I want newer work");
    assert_eq!(reason("却下：範囲が広すぎる"), "範囲が広すぎる");
    for bare in ["not good, redo", "no"] {
        assert_eq!(reason(bare), "", "{bare}: there is none");
    }
}

#[test]
fn changes_inside_sentences() {
    let shown = ReviewedItems::queries(["naps", "recall", "sleep", "ageing"]);
    let edits = |text: &str| match read_shown(text, &shown).reading {
        Reading::Candidate(Candidate::Edit(edits)) => edits.iter().map(Edit::to_string).collect::<Vec<_>>().join(", "),
        other => format!("{other:?}"),
    };
    for (text, expected) in [
        ("ok, drop the third one", "take out number 3"),
        ("approve; remove 2", "take out number 2"),
        ("keep all but 2", "take out number 2"),
        ("only 1 and 3", "take out number 2, take out number 4"),
        ("the last two are not needed", "take out number 3, take out number 4"),
        ("please swap 1 and 4", "swap numbers 1 and 4"),
        ("merge the second and the third", "make one of numbers 2 and 3"),
        ("can you change 4 to children?", "make number 4 “children”"),
        ("drop the first and add one about caffeine", "take out number 1, add “caffeine”"),
        ("remove 2-4", "take out number 2, take out number 3, take out number 4"),
        ("la 2 fuera, por favor", "take out number 2"),
        ("2番は削除してください", "take out number 2"),
        ("删掉第三个", "take out number 3"),
        ("убери второй", "take out number 2"),
        ("세 번째는 빼 주세요", "take out number 3"),
    ] {
        assert_eq!(edits(text), expected, "{text}");
    }
    let shown = ReviewedItems::proposal(["Background", "Method"]);
    let reading = read_shown("make the method shorter", &shown).reading;
    let rework = Edit::Rework { at: Some(2), how: "make the method shorter".to_owned() };
    assert_eq!(reading, Reading::Candidate(Candidate::Edit(vec![rework])));
}

#[test]
fn a_long_message_is_not_read_by_rules_for_short_ones() {
    let long = format!("yes {}", "word ".repeat(100));
    assert_eq!((class(&long), read(&long).language), ("unclear", Language::Long));
}

fn model(intent: Intent, words: &str, confidence: f32) -> ModelReading {
    ModelReading { intent, edits: Vec::new(), detail: "too broad".to_owned(), words: words.to_owned(), confidence }
}

#[test]
fn a_model_is_believed_only_when_it_is_sure_and_quotes_the_reply() {
    let shown = ReviewedItems::queries(["naps", "recall"]);
    let say = "I can live with that";
    let adopted =
        |message: &str, model: &ModelReading| adopt(read_shown(message, &shown), message, &shown, model).reading;
    let candidate = Reading::Candidate(Candidate::Approve);
    assert_eq!(adopted(say, &model(Intent::Approve, "live with  That", 0.9)), candidate, "it is asked back");
    for confidence in [0.69, 0.0, f32::NAN] {
        assert_eq!(adopted(say, &model(Intent::Approve, "live with that", confidence)), Reading::Unclear);
    }
    for words in ["", "yes, go ahead"] {
        assert_eq!(
            adopted(say, &model(Intent::Approve, words, 1.0)),
            Reading::Unclear,
            "{words:?} is not in the reply"
        );
    }
    let mut edit = model(Intent::Edit, "spare me the naps", 0.9);
    edit.edits = vec![ModelEdit { what: EditKind::Remove, number: 1, other: 0, text: String::new() }];
    let removed = Reading::Candidate(Candidate::Edit(vec![Edit::Remove(1)]));
    assert_eq!(adopted("spare me the naps", &edit), removed);
    edit.intent = Intent::Approve;
    assert_eq!(adopted("spare me the naps", &edit), removed, "an approval with edits is an edit");
    edit.edits[0].number = 3;
    assert_eq!(adopted("spare me the naps", &edit), Reading::Unclear, "there is no third");
    assert!(matches!(adopted("no", &model(Intent::Approve, "no", 1.0)), Reading::Reject { .. }), "rules come first");
}

/// Examples of the phrases of a list, of every language.
fn phrases(list: &str) -> Vec<String> {
    LANGUAGES.iter().flat_map(|words| words.phrases(list)).collect()
}

#[test]
fn the_files_have_only_lists_that_are_read() {
    let known = [
        "approve",
        "filler",
        "nearly",
        "weak",
        "no",
        "cancel",
        "cancels",
        "asks",
        "asks_end",
        "search",
        "reject",
        "remove",
        "keep",
        "except",
        "change",
        "add",
        "swap",
        "merge",
        "move",
        "front",
        "end",
        "before",
        "into",
        "instead",
        "how",
        "all",
        "rest",
        "skip",
        "and",
        "blocks",
        "hangs",
        "remark",
        "self",
        "denial",
        "praise",
        "bad",
        "not",
        "but",
        "offer",
        "offer_end",
        "again",
        "insist",
        "hold",
        "strong",
    ];
    for words in LANGUAGES.iter() {
        let names: BTreeSet<&str> = words.names().collect();
        for name in &names {
            let numbered = ["place ", "section ", "count "].iter().any(|kind| name.starts_with(kind));
            assert!(numbered || known.contains(name), "{:?}: [{name}]", words.language);
        }
        for name in known.iter().filter(|name| **name != "asks_end") {
            assert!(names.contains(name), "{:?} has no [{name}]", words.language);
        }
    }
}

#[test]
fn no_word_of_a_rejection_is_one_of_an_approval() {
    for words in LANGUAGES.iter() {
        let approvals: BTreeSet<String> = words.phrases("approve").into_iter().chain(words.phrases("filler")).collect();
        for list in ["no", "cancel", "weak"] {
            let both: Vec<_> = words.phrases(list).into_iter().filter(|phrase| approvals.contains(phrase)).collect();
            assert!(both.is_empty(), "{:?} [{list}]: {both:?}", words.language);
        }
    }
}

#[test]
fn what_rejects_or_ends_in_one_language_approves_in_none() {
    let lists = ["no", "cancel", "cancels", "except", "reject", "search"];
    let wrong: Vec<String> = lists
        .iter()
        .flat_map(|list| phrases(list))
        .flat_map(|phrase| [phrase.clone(), format!("ok {phrase}"), format!("{phrase} ok")])
        .filter(|message| read(message).reading == Reading::Approve)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_change_whose_words_are_a_yes_and_a_small_word_approves_in_no_company() {
    for message in ["let's gooo passen an", "ja, passen an", "passen an ja", "super, passen an!"] {
        assert_ne!(read(message).reading, Reading::Approve, "{message}");
    }
}

/// Words that no list of approvals covers: phrases of other lists, words of topics, and random letters.
fn content() -> impl Strategy<Value = String> {
    let lists = ["no", "cancel", "weak", "reject", "remove", "change", "asks", "except", "place 2", "section method"];
    let known: BTreeSet<String> =
        phrases("approve").into_iter().chain(phrases("filler")).chain(phrases("nearly")).collect();
    let others: Vec<String> =
        lists.iter().flat_map(|list| phrases(list)).filter(|word| !known.contains(word)).collect();
    let topics = [
        "tides",
        "caffeine",
        "not",
        "but",
        "if",
        "潮汐",
        "睡眠",
        "カフェイン",
        "猫",
        "Schlaf",
        "aber",
        "sommeil",
        "mais",
        "sueño",
        "pero",
        "сон",
        "но",
        "수면",
        "하지만",
        "sono",
    ];
    prop_oneof![
        3 => select(others),
        2 => select(topics.to_vec()).prop_map(str::to_owned),
        1 => "[a-z]{5,9}", 1 => "[а-я]{6,9}", 1 => "[가-힣]{4,6}", 1 => "[\u{4e00}-\u{9fff}]{3,5}",
    ]
}

/// Whether the lists of approvals of some language cover a text.
fn covered(word: &str) -> bool {
    matches!(
        whole::read(&Text::new(&format!("ok {word}")), &ReviewedItems::default()),
        Some((WholeMessage::Approve, _))
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_approval_and_any_other_word_never_approve(
        mut words in proptest::collection::vec(select(phrases("approve")), 1..4),
        fillers in proptest::collection::vec(select(phrases("filler")), 0..3),
        other in content().prop_filter("a word of approvals", |word| !covered(word)),
        order in any::<prop::sample::Index>(),
        joint in select(vec![" ", ", ", ". ", "; ", "! ", "、"]),
    ) {
        words.extend(fillers);
        words.insert(order.index(words.len() + 1), other);
        let message = words.join(joint);
        prop_assert_ne!(read(&message).reading, Reading::Approve, "{}", message);
    }

    #[test]
    fn a_digit_never_approves(
        words in proptest::collection::vec(select(phrases("approve")), 1..4),
        digit in select(vec!["1", "2", "3.", "42", "２", "③", "½", "٣"]),
        order in any::<prop::sample::Index>(),
    ) {
        let mut words = words;
        words.insert(order.index(words.len() + 1), digit.to_owned());
        let message = words.join(" ");
        prop_assert_ne!(read(&message).reading, Reading::Approve, "{}", message);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let shown = ReviewedItems::queries(["naps", "recall", "sleep"]);
        let proposal = ReviewedItems::proposal(["Background", "Method"]);
        prop_assert_eq!(read_shown(&text, &shown).reading == Reading::Approve, read_shown(&text, &proposal).reading == Reading::Approve);
    }
}

#[test]
fn what_reject_begins_is_a_rejection_whatever_its_reason_names() {
    let shown = ReviewedItems::queries(["spring tides", "neap tides"]);
    for message in ["reject: say what it costs [1]", "Reject: drop the second one", "却下：2番を削除"] {
        let reading = read_shown(message, &shown).reading;
        assert!(matches!(reading, Reading::Reject { search: false, .. }), "{message}: {reading:?}");
    }
}
