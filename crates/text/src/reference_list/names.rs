//! What lists of references are called.

use crate::Language;

/// What a list of references is called in a report of a language.
///
/// ```
/// use graphloom_text::{Language, references_title};
///
/// assert_eq!(references_title(Language::Chinese), "参考文献");
/// ```
#[must_use]
pub fn references_title(language: Language) -> &'static str {
    match language {
        Language::English => "References",
        Language::German => "Quellen",
        Language::Chinese | Language::Japanese => "参考文献",
        Language::Arabic => "المراجع",
        Language::Danish => "Referencer",
        Language::Dutch => "Referenties",
        Language::Finnish => "Lähteet",
        Language::French => "Références",
        Language::Greek => "Αναφορές",
        Language::Hungarian => "Hivatkozások",
        Language::Italian => "Riferimenti",
        Language::Norwegian => "Referanser",
        Language::Portuguese => "Referências",
        Language::Romanian => "Referințe",
        Language::Russian => "Источники",
        Language::Spanish => "Referencias",
        Language::Swedish => "Referenser",
        Language::Tamil => "மேற்கோள்கள்",
        Language::Turkish => "Kaynaklar",
    }
}

/// Names that lists of references have and hardly anything else.
const SURE: &[&str] = &[
    "references",
    "reference",
    "reference list",
    "list of references",
    "references cited",
    "cited references",
    "reference articles",
    "bibliography",
    "works cited",
    "literature cited",
    "citations",
    "literaturverzeichnis",
    "quellenverzeichnis",
    "quellenangaben",
    "referenzen",
    "einzelnachweise",
    "bibliografie",
    "bibliographie",
    "références",
    "références bibliographiques",
    "referencias",
    "referencias bibliográficas",
    "bibliografía",
    "riferimenti",
    "riferimenti bibliografici",
    "bibliografia",
    "referências",
    "referências bibliográficas",
    "literatuurlijst",
    "bronvermelding",
    "referenties",
    "referencer",
    "litteraturliste",
    "referenser",
    "referenslista",
    "källförteckning",
    "litteraturförteckning",
    "referanser",
    "lähdeluettelo",
    "viitteet",
    "hivatkozások",
    "irodalomjegyzék",
    "referințe",
    "bibliografie selectivă",
    "список литературы",
    "список источников",
    "библиография",
    "βιβλιογραφία",
    "αναφορές",
    "kaynakça",
    "المراجع",
    "قائمة المراجع",
    "மேற்கோள்கள்",
    "参考文献",
    "参考文章",
    "参考资料",
    "參考文獻",
    "參考資料",
    "参考文献一覧",
    "引用文献",
    "引用文献一覧",
    "参考資料",
    "참고문헌",
    "참고 문헌",
    "přílohy a zdroje",
    "список використаних джерел",
    "бібліографія",
    "tài liệu tham khảo",
    "daftar pustaka",
    "संदर्भ",
    "संदर्भ सूची",
];
/// Names that a part with sentences of its own may have as well.
const UNSURE: &[&str] = &[
    "sources",
    "source",
    "sources cited",
    "cited sources",
    "sources used",
    "further reading",
    "footnotes",
    "endnotes",
    "notes",
    "quellen",
    "quelle",
    "literatur",
    "fußnoten",
    "weiterführende literatur",
    "sources citées",
    "notes et références",
    "fuentes",
    "notas",
    "fonti",
    "note",
    "fontes",
    "bronnen",
    "kilder",
    "källor",
    "lähteet",
    "források",
    "surse",
    "источники",
    "литература",
    "ссылки",
    "πηγές",
    "kaynaklar",
    "المصادر",
    "引用",
    "资料来源",
    "資料來源",
    "来源",
    "出典",
    "参照",
    "출처",
    "źródła",
    "zdroje",
    "literatura",
    "джерела",
    "література",
    "nguồn",
    "sumber",
    "referensi",
];

/// How sure a name tells that a list of references follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    Sure,
    Unsure,
}

/// Reads a title or a line without its signs of Markdown: `7. Sources & References:` is one.
pub(super) fn named(title: &str) -> Option<Certainty> {
    // A sign of some scripts that belongs to a letter is no letter; all of them stand below U+2000.
    let is_sign =
        |c: char| !c.is_alphanumeric() && (c.is_ascii() || c >= '\u{2000}') && !matches!(c, '(' | ')' | '（' | '）');
    let name = title.trim_matches(is_sign).to_lowercase();
    // A remark in brackets, as on the style of the entries.
    let name = name.split(['(', '（']).next().unwrap_or_default();
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '、' | ' '));
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() || name.chars().count() > 60 {
        return None;
    }
    let joined = [" and ", " und ", " et ", " y ", " e ", "和", "与", "及", " & "]
        .into_iter()
        .fold(name.clone(), |name, word| name.replace(word, "/"));
    let part = |part: &str| {
        let part = part.trim();
        if SURE.contains(&part) { Some(Certainty::Sure) } else { UNSURE.contains(&part).then_some(Certainty::Unsure) }
    };
    part(&name).or_else(|| {
        let parts: Option<Vec<Certainty>> = joined.split(['/', '|']).map(part).collect();
        parts.map(|parts| if parts.contains(&Certainty::Sure) { Certainty::Sure } else { Certainty::Unsure })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_whole_of_a_title() {
        for (title, found) in [
            ("References", Some(Certainty::Sure)),
            ("7. Sources & References:", Some(Certainty::Sure)),
            ("参考文章/References", Some(Certainty::Sure)),
            ("📚 References (APA)", Some(Certainty::Sure)),
            ("Quellen", Some(Certainty::Unsure)),
            ("Sources of error", None),
            ("References to Homer", None),
            ("", None),
            ("2024", None),
        ] {
            assert_eq!(named(title), found, "{title}");
        }
        for language in Language::ALL {
            assert!(named(references_title(language)).is_some(), "{language:?}");
        }
    }
}
