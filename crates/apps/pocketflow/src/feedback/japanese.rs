//! Replies in Japanese. There are no spaces between words, so the longest phrase wins and endings negate.

use super::Reading;

const APPROVE: &[&str] = &[
    "承認",
    "賛成",
    "進めて",
    "続けて",
    "良い",
    "よい",
    "いいです",
    "いいね",
    "問題ありません",
    "大丈夫",
    "了解",
    "ok",
    "okay",
];
const REJECT: &[&str] =
    &["却下", "いいえ", "やり直", "やりなお", "変更", "だめ", "ダメ", "駄目", "違う", "違います", "不承認", "反対"];
/// Approvals in their negated form.
const NEGATED: &[&str] = &["良くな", "よくな", "良くあり", "よくあり", "進めな", "続けな", "いいとは言えな"];
const DOUBT: &[&str] = &[
    "もっと",
    "しかし",
    "でも",
    "けど",
    "けれど",
    "かも",
    "たぶん",
    "多分",
    "未承認",
    "ただし",
    "なら",
    "わからな",
    "分からな",
];
const NEGATIVE_ENDINGS: &[&str] = &["ない", "ません", "ず", "ぬ", "なかった"];
const CANCEL: &[&str] = &["キャンセル", "中止", "やめる", "やめて", "やめます", "終了"];
const SEARCH: &[&str] = &["再検索", "検索し直", "検索をやり直", "新しいクエリ", "別のクエリ"];
const ASKING: &[&str] = &["ですか", "ますか", "でしょうか", "なぜ", "どうして", "どの", "何が", "何を"];
/// A negative ending is looked for in this many characters after a phrase.
const REACH: usize = 8;

/// Reads a reply.
pub(super) fn read(text: &str) -> (Reading, Vec<String>) {
    let text = text.to_lowercase();
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "。、!.！".contains(c));
    if CANCEL.iter().any(|cancel| bare == *cancel || bare.strip_prefix(cancel).is_some_and(is_polite)) {
        return (Reading::Cancel, vec![format!("`{bare}`")]);
    }
    if bare.ends_with(['?', '？']) || ASKING.iter().any(|asking| bare.contains(asking)) || bare.ends_with('か') {
        return (Reading::Question, vec!["it asks".to_owned()]);
    }
    if let Some(search) = SEARCH.iter().find(|phrase| bare.contains(**phrase)) {
        let reading = if negated(bare, search) {
            Reading::Unclear
        } else {
            Reading::Reject { feedback: bare.to_owned(), search: true }
        };
        return (reading, vec![format!("`{search}`")]);
    }
    if let Some(doubt) = DOUBT.iter().find(|doubt| bare.contains(**doubt)) {
        return (Reading::Unclear, vec![format!("`{doubt}` leaves a doubt")]);
    }
    let (mut approve, mut reject, mut unclear) = (false, false, false);
    let mut evidence = Vec::new();
    // What a longer phrase covers is not read again by a shorter one.
    let mut rest = bare.to_owned();
    for phrase in NEGATED.iter().chain(REJECT).copied() {
        if !rest.contains(phrase) {
            continue;
        }
        if REJECT.contains(&phrase) && negated(&rest, phrase) {
            unclear = true;
            evidence.push(format!("a negated `{phrase}`"));
        } else {
            reject = true;
            evidence.push(format!("`{phrase}`"));
        }
        rest = rest.replace(phrase, "、");
    }
    for phrase in APPROVE.iter().copied() {
        if !rest.contains(phrase) {
            continue;
        }
        if negated(&rest, phrase) {
            reject = true;
            evidence.push(format!("a negated `{phrase}`"));
        } else {
            approve = true;
            evidence.push(format!("`{phrase}`"));
        }
    }
    if rest.split(['、', '。', '!', ' ', ',', '.']).any(|clause| clause == "はい" || clause == "うん") {
        approve = true;
        evidence.push("`はい`".to_owned());
    }
    match (approve, reject, unclear) {
        (true, false, false) => (Reading::Approve, evidence),
        (false, true, false) => (Reading::Reject { feedback: reason(bare), search: false }, evidence),
        _ => (Reading::Unclear, evidence),
    }
}

fn is_polite(rest: &str) -> bool {
    ["して", "する", "します", "してください", "ください"].contains(&rest)
}

fn negated(text: &str, phrase: &str) -> bool {
    let Some(at) = text.find(phrase) else { return false };
    let clause = text[at + phrase.len()..].split(['、', '。']).next().unwrap_or_default();
    let after: String = clause.chars().take(REACH).collect();
    NEGATIVE_ENDINGS.iter().any(|ending| after.contains(ending))
}

fn reason(text: &str) -> String {
    let rest =
        ["却下", "いいえ", "不承認"].iter().find_map(|head| text.strip_prefix(head)?.strip_prefix([':', '、', '。']));
    match rest.map(str::trim) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => text.to_owned(),
    }
}
