//! Documents in several languages in one corpus.

use super::place::{TestCorpus, paths};

#[test]
fn words_are_found_in_the_forms_of_their_languages() {
    let place = TestCorpus::new(&[
        ("en.md", "# Houses\n\nThe committee of the city decides where new houses are built and when."),
        ("de.md", "# Häuser\n\nDie Stadt entscheidet, wo neue Häuser gebaut werden und wann sie fertig sind."),
        ("fr.md", "# Maisons\n\nLa ville décide où les nouvelles maisons sont construites et quand elles sont prêtes."),
        ("ru.md", "# Дома\n\nГород решает, где будут построены новые дома и когда они будут готовы."),
        ("ja.md", "# 家\n\n市はどこに新しい家を建てるかを決めます。"),
    ]);
    let corpus = place.ready();
    for (question, first) in [
        ("house committees", "en.md"),
        ("Haus", "de.md"),
        ("entscheiden", "de.md"),
        ("Wer entscheidet über ein neues Haus?", "de.md"),
        ("maison construite", "fr.md"),
        ("prêt", "fr.md"),
        ("новый дом", "ru.md"),
        ("города", "ru.md"),
        ("新しい家", "ja.md"),
    ] {
        assert_eq!(paths(&corpus, question).first().map(String::as_str), Some(first), "{question}");
    }
}

#[test]
fn a_text_that_is_not_written_yet_is_found_in_its_language() {
    use graphloom_retrieval::{PendingDocument, SearchOptions};
    let place = TestCorpus::new(&[("en.md", "The committee decides where new houses are built.")]);
    let text = "Die Stadt entscheidet, wo neue Häuser gebaut werden und wann sie fertig sind.";
    let pending = [PendingDocument { path: "de.md", text }];
    let corpus = place.ready();
    let hits = corpus.search_with("entscheiden", &SearchOptions::default(), &|_| true, &pending).unwrap();
    assert_eq!(hits.len(), 1);
    place.write("de.md", text);
    corpus.refresh().unwrap();
    let written = corpus.search("entscheiden", &SearchOptions::default()).unwrap();
    assert_eq!((written[0].evidence.id.as_str(), written[0].score), (hits[0].evidence.id.as_str(), hits[0].score));
}
