//! What a passage of each format looks like from outside.

use super::place::{TestCorpus, search};
use graphloom_retrieval::{Evidence, Locator};

fn find(place: &TestCorpus, query: &str) -> Evidence {
    search(&place.ready(), query).into_iter().next().unwrap().evidence
}

const GUIDE: &str = "---
title: The guide
tags: [a]
---
# Storage

An introduction with a [link](https://example.org \"Title\") and `code`.

## Write-ahead log

Every change goes to the *log* first,
and only then to the pages.

1. Append the frame.
2. Sync the log.
   - Use `fsync`.

| Mode | Meaning |
|------|---------|
| FULL | sync at each commit |

```sql
PRAGMA journal_mode = WAL;
```

<details><summary>More</summary>Hidden &amp; found.</details>

## Empty
## Checkpoint

The log is moved [[pages|into the pages]].
";

#[test]
fn markdown_is_read_without_its_markup_and_placed_by_lines() {
    let place = TestCorpus::new(&[("guide/storage.md", GUIDE)]);
    let log = find(&place, "append frame sync");
    assert_eq!(log.title, "The guide");
    assert_eq!(log.heading, ["Storage", "Write-ahead log"]);
    assert_eq!(
        log.text,
        "Every change goes to the log first, and only then to the pages.\n\n1. Append the frame.\n2. Sync the log.\n\
         - Use fsync.\n\nMode | Meaning\nFULL | sync at each commit\n\nPRAGMA journal_mode = WAL;\n\nMore\n\n\
         Hidden & found."
    );
    let Locator::Lines { first_line, last_line, start_byte, end_byte } = log.locator else { panic!("no lines") };
    assert_eq!((first_line, last_line), (9, 26));
    assert!(GUIDE[start_byte..end_byte].starts_with("## Write-ahead log"));
    assert!(GUIDE[start_byte..end_byte].ends_with("</details>"));
    assert!(log.place().ends_with("docs/guide/storage.md, lines 9-26"), "{}", log.place());
    assert_eq!(log.content_hash.len(), 64);

    let intro = find(&place, "introduction link");
    assert_eq!(intro.text, "An introduction with a link and code.");
    assert_eq!(find(&place, "Checkpoint moved").text, "The log is moved into the pages.");
    // A heading with nothing below it is still found.
    assert_eq!(find(&place, "empty").heading, ["Storage", "Empty"]);
}

#[test]
fn plain_text_keeps_its_lines() {
    let text = "THE MANUAL\n==========\n\nThe first paragraph\nhas two lines.\r\n\r\nThe zebra runs.\n";
    let place = TestCorpus::new(&[("manual.txt", text)]);
    let found = find(&place, "zebra");
    assert_eq!(found.title, "THE MANUAL");
    assert_eq!(found.locator, Locator::Lines { first_line: 1, last_line: 7, start_byte: 0, end_byte: text.len() - 1 });
}

#[test]
fn an_article_is_taken_out_of_its_page() {
    let sentence = "The zebra of the plains runs, and it eats, and it sleeps, like every other animal there. ";
    let page = format!(
        "<!doctype html><html><head><title>Zebras</title><script>var giraffe = '<p>';</script></head><body>\
         <nav><ul><li><a href=/>Home giraffe</a></li></ul></nav><main><h1>About zebras</h1><p>{0}</p>\
         <h2><a href=#f>¶</a>Food &amp; water</h2><p>Grass, Vec&lt;T&gt; and a_b_c. {0}</p>\
         <dl><dt>Mane</dt><dd>Short hair.</dd></dl></main></body></html>",
        sentence.repeat(8)
    );
    let place = TestCorpus::new(&[("zebra.html", &page)]);
    let food = find(&place, "grass");
    assert_eq!((food.title.as_str(), food.heading.last().unwrap().as_str()), ("Zebras", "Food & water"));
    assert!(food.text.starts_with("Grass, Vec<T> and a_b_c. The zebra"), "{}", food.text);
    assert!(matches!(food.locator, Locator::Passage { .. }));
    assert!(find(&place, "mane hair").text.contains("Mane\n\nShort hair."));
    assert!(search(&place.ready(), "giraffe").is_empty());
}

#[test]
fn a_page_without_an_article_is_read_whole() {
    let rows: String = (0..30).map(|n| format!("<tr><td>animal{n}</td><td>eats food{n}</td></tr>")).collect();
    let place = TestCorpus::new(&[
        ("table.html", &format!("<html><body><table>{rows}</table></body></html>")),
        ("stub.htm", "<p>A short stub about lions"),
        ("broken.html", "<html><p>Open <b>bold <table><div>misplaced tiger</p></table"),
    ]);
    for (query, part) in [("animal17", "food17"), ("lions", "stub"), ("tiger", "misplaced")] {
        assert!(find(&place, query).text.contains(part), "{query}");
    }
}

#[test]
fn characters_that_nobody_sees_are_in_no_passage() {
    let hidden = "a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{f8f0}f\u{fff9}g";
    let place = TestCorpus::new(&[
        ("note.md", &format!("# Title{hidden}\n\nThe heron {hidden} stands.\n")),
        ("text.txt", &format!("Title{hidden}\n\nThe otter {hidden} swims.\n")),
        (
            "page.html",
            &format!("<title>Title{hidden}</title><body><h1>Head{hidden}</h1><p>The lynx {hidden} hunts.</p>"),
        ),
    ]);
    for (query, sentence) in [
        ("heron", "The heron abcdefg stands."),
        ("otter", "The otter abcdefg swims."),
        ("lynx", "The lynx abcdefg hunts."),
    ] {
        let found = find(&place, query);
        assert!(found.text.contains(sentence), "{:?}", found.text);
        assert_eq!(found.title, "Titleabcdefg");
        let whole = serde_json::to_string(&found).unwrap();
        assert!(
            whole.chars().all(|c| graphloom_retrieval::visible_text(c.encode_utf8(&mut [0; 4])).contains(c)),
            "{whole}"
        );
    }
}

#[test]
fn a_tag_of_many_attributes_does_not_hold_up_the_index() {
    let attributes: String = (0..300_000).map(|number| format!(" a{number}=1")).collect();
    let place = TestCorpus::new(&[(
        "bomb.html",
        &format!("<body><p{attributes}>The badger digs.</p><p>The marten climbs.</p>"),
    )]);
    assert!(find(&place, "marten climbs").text.contains("The marten climbs."));
}
