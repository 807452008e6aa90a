//! Indicators and actions in Japanese, told by the characters around them.

use super::words::{is_cjk, is_hiragana, is_kanji};

/// Words of two or more ideographs, which mean what the English indicators mean.
const COMPOUNDS: &[&str] = &["整理", "分析", "調査", "研究", "包括的", "包括", "詳細", "複数", "全部"];

/// Words written in kana.
const KANA: &[&str] = &["すべて", "全て"];

/// Words beginning with the ideograph for "each" that do not mean each one.
const NOT_EACH: &[&str] = &["各地", "各自", "各位", "各国", "各種"];

/// Nouns that become actions with the verb "to do".
const NOUN_ACTIONS: &[&str] = &[
    "作成", "検索", "追加", "更新", "削除", "移動", "編集", "要約", "変更", "修正", "翻訳", "比較", "抽出", "統合",
    "分割", "分類", "生成",
];

/// Stems of verbs, each with what can follow it where it is the verb.
const VERB_ACTIONS: &[(&str, &[&str])] = &[
    ("作", &["って", "り", "る", "れ"]),
    ("書", &["いて", "き", "く"]),
    ("読", &["んで", "み", "む"]),
    ("探", &["して", "し", "す"]),
    ("まとめ", &["て", "る"]),
    ("開", &["いて", "き", "く"]),
    ("付け", &["て", "る"]),
    ("つけ", &["て", "る"]),
];

/// The indicator in a request.
pub(super) fn indicator(request: &str) -> Option<String> {
    let chars: Vec<char> = request.chars().collect();
    let compound = COMPOUNDS.iter().find(|word| places(&chars, word).any(|at| is_whole(&chars, at, word)));
    let kana = || KANA.iter().find(|word| places(&chars, word).any(|at| stands_alone(&chars, at)));
    let each = || has_each(&chars).then_some(&"各");
    compound.or_else(kana).or_else(each).map(|word| (*word).to_owned())
}

/// The actions that a request asks for, in order.
pub(super) fn actions(request: &str) -> Vec<String> {
    let chars: Vec<char> = request.chars().collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for word in NOUN_ACTIONS {
        let does = |at: &usize| matches!(chars.get(at + word.chars().count()), Some('し' | 'す' | 'せ'));
        found.extend(places(&chars, word).filter(does).map(|at| (at, *word)));
    }
    for (stem, ends) in VERB_ACTIONS {
        let is_verb = |at: &usize| {
            let rest = chars.get(at + stem.chars().count()..).unwrap_or_default();
            ends.iter().any(|end| end.chars().enumerate().all(|(i, c)| rest.get(i) == Some(&c)))
        };
        // An ideograph before the stem makes it a part of another word.
        let begins = |at: &usize| at.checked_sub(1).is_none_or(|before| !is_kanji(chars[before]));
        found.extend(places(&chars, stem).filter(is_verb).filter(begins).map(|at| (at, *stem)));
    }
    found.sort_unstable();
    found.into_iter().map(|(_, word)| word.to_owned()).collect()
}

fn places<'a>(chars: &'a [char], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let word: Vec<char> = word.chars().collect();
    (0..chars.len()).filter(move |at| chars[*at..].starts_with(&word))
}

/// Whether a compound stands as a word of its own in its run of ideographs. Compounds are built of words of two
/// ideographs, so that one more ideograph behind makes another word, and so does a negation in front.
fn is_whole(chars: &[char], at: usize, word: &str) -> bool {
    let rest = &chars[at + word.chars().count()..];
    let behind = rest.iter().take_while(|c| is_kanji(**c)).count();
    let negated = at.checked_sub(1).is_some_and(|before| matches!(chars[before], '未' | '非' | '不' | '無'));
    (behind % 2 == 0 || rest.first() == Some(&'的')) && !negated
}

/// Whether a word in kana does not continue another one: only a particle may stand before it.
fn stands_alone(chars: &[char], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| {
        let c = chars[before];
        !is_hiragana(c) || matches!(c, 'の' | 'を' | 'は' | 'が' | 'も' | 'に' | 'と' | 'で' | 'へ')
    })
}

/// "Each" and "all" as prefixes, "per" as a suffix.
fn has_each(chars: &[char]) -> bool {
    let begins = |at: usize| at.checked_sub(1).is_none_or(|before| !is_kanji(chars[before]));
    let prefix = |at: usize| match chars[at] {
        '各' => begins(at) && !NOT_EACH.iter().any(|word| places(chars, word).any(|place| place == at)),
        '全' => begins(at) && chars.get(at + 1).is_some_and(|next| is_cjk(*next) && !is_kanji(*next)),
        _ => false,
    };
    let suffix = |word: &'static str| {
        places(chars, word).any(|at| {
            let after = chars.get(at + word.chars().count());
            at.checked_sub(1).is_some_and(|before| is_cjk(chars[before]) && !is_hiragana(chars[before]))
                && matches!(after, None | Some('に' | 'の' | '、' | '。'))
        })
    };
    (0..chars.len()).any(prefix) || suffix("ごと") || suffix("毎")
}
