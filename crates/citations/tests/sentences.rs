//! Sentences of several languages, around everything that has full stops of its own.

use graphloom_citations::{claims, sentences};
use proptest::prelude::*;

#[test]
fn sentences_end_where_a_reader_ends_them() {
    for (text, expected) in [
        ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
        ("Dr. Gray wrote it, e.g. in 1981. It holds.", vec!["Dr. Gray wrote it, e.g. in 1981.", "It holds."]),
        ("See fig. 3 and J. Gray et al. 1992. Done.", vec!["See fig. 3 and J. Gray et al. 1992.", "Done."]),
        ("The 1. version is approx. right, e.g. here.", vec!["The 1. version is approx. right, e.g. here."]),
        ("The 1.\n   version builds.", vec!["The 1.\n   version builds."]),
        ("Choose option B. Then go.", vec!["Choose option B.", "Then go."]),
        ("It costs 3.5 ms. Version 1.2.3 is out.", vec!["It costs 3.5 ms.", "Version 1.2.3 is out."]),
        ("He said \"stop.\" She did.", vec!["He said \"stop.\"", "She did."]),
        ("Call `a.b(). C` twice. Then stop.", vec!["Call `a.b(). C` twice.", "Then stop."]),
        (
            "See [the page](https://a.example/x. Y) here. Next.",
            vec!["See [the page](https://a.example/x. Y) here.", "Next."],
        ),
        ("See https://a.example/b.html. Next one.", vec!["See https://a.example/b.html.", "Next one."]),
        ("It is so.[citation:1][citation:2] Next.", vec!["It is so.[citation:1][citation:2]", "Next."]),
        ("It is so [citation:1]. Next.", vec!["It is so [citation:1].", "Next."]),
        (
            "First.[checked_citation:0][[1]](https://a.example/c.d) Second.",
            vec!["First.[checked_citation:0][[1]](https://a.example/c.d)", "Second."],
        ),
        ("# Title. Here\nText. More.", vec!["# Title. Here", "Text.", "More."]),
        ("- first item. more\n- second\n\nAfter", vec!["- first item.", "more", "- second", "After"]),
        ("| a. B | c |\n| d | e |", vec!["| a. B | c |", "| d | e |"]),
        ("Before.\n```\nx. Y\n```\nAfter.", vec!["Before.", "```\nx. Y\n```", "After."]),
        (
            "Das gilt z. B. für SQLite. Es ist am 3. Oktober 2021 so und nicht anders.",
            vec!["Das gilt z. B. für SQLite.", "Es ist am 3. Oktober 2021 so und nicht anders."],
        ),
        (
            "Die Datei ist ca. 5 MB groß, d.h. sie ist nicht klein. Und die Seite ist es auch.",
            vec!["Die Datei ist ca. 5 MB groß, d.h. sie ist nicht klein.", "Und die Seite ist es auch."],
        ),
        (
            "数据先写入日志；然后才写入文件。这样就不会丢失。",
            vec!["数据先写入日志；", "然后才写入文件。", "这样就不会丢失。"],
        ),
        (
            "他说：“先写日志。再写文件。”然后离开了。之后没事。",
            vec!["他说：“先写日志。再写文件。”", "然后离开了。", "之后没事。"],
        ),
        ("彼は「書き込む。消す。」と言った。終わり。", vec!["彼は「書き込む。消す。」と言った。", "終わり。"]),
        ("版本3.5.1支持它。对吗？是的！", vec!["版本3.5.1支持它。", "对吗？", "是的！"]),
        ("", vec![]),
        (" \n\n ", vec![]),
    ] {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn claims_carry_the_marks_of_their_sentence() {
    let text = "# Head [citation:0]\n\nOne holds [citation:a1]. Two holds.[citation:b#2][citation:c] Three.\n\n> 1. Four[citation:d]\n\n| x | y [citation:e] |\n|---|---|\n\n```\ncode.[citation:f]\n```\n";
    let found: Vec<(String, usize)> = claims(text).into_iter().map(|claim| (claim.text, claim.marks.len())).collect();
    let expected = [("One holds.", 1), ("Two holds.", 2), ("Three.", 0), ("Four", 1), ("x | y", 1)];
    assert_eq!(found, expected.map(|(text, marks)| (text.to_owned(), marks)));
}

proptest! {
    #[test]
    fn every_visible_character_is_in_exactly_one_sentence(
        text in "(\\PC|[ .\n\r`|#>-]|[A-Z]\\. |e\\.g\\. |\\[citation:1\\]|。|「|」|；|[0-9]\\. ){0,60}"
    ) {
        let mut end = 0;
        for range in sentences(&text) {
            prop_assert!(range.start >= end && range.end > range.start);
            prop_assert!(text[end..range.start].trim().is_empty());
            prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
            end = range.end;
        }
        prop_assert!(text[end..].trim().is_empty());
        // Claims are sentences in order.
        let mut end = 0;
        for claim in claims(&text) {
            prop_assert!(claim.range.start >= end);
            prop_assert!(claim.marks.iter().all(|mark| claim.range.contains(&mark.range.start)));
            end = claim.range.end;
        }
    }
}
