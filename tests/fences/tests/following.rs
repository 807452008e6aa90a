//! The check finds what is not fenced, wherever it flows, and refuses what it does not follow.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use graphloom_fences::{Files, look_through};

fn shown(source: &str) -> Vec<String> {
    let own = Files::from([("t", source), ("_part", "{{ inside }}{{ document.title }}")]);
    let found = look_through(&own, &Files::default()).unwrap();
    found.shown.into_iter().map(|shown| shown.variable).collect()
}

#[test]
fn what_is_not_fenced_is_found_wherever_it_flows() {
    for (source, expected) in [
        ("{{ a }}", vec!["a"]),
        ("{{ a|fenced(b) }}", vec![]),
        ("{{ a|trim|fenced(\"x\") }}", vec![]),
        ("{{ a|fenced(\"x\")|upper ~ b }}", vec!["b"]),
        ("{% for document in documents %}{{ document.title }}{% endfor %}", vec!["documents[].title"]),
        ("{% for x in a %}{% for y in x.parts %}{{ y }}{% endfor %}{% endfor %}", vec!["a[].parts[]"]),
        ("{% if a %}{{ b }}{% elif c %}{{ d if e else f }}{% else %}{{ g }}{% endif %}", vec!["b", "d", "f", "g"]),
        ("{% set x %}{{ a }}{% endset %}{{ x|fenced(\"x\") }}", vec![]),
        ("{% set x %}{{ a }}{% endset %}{{ x }}", vec!["a"]),
        ("{% set x = a ~ b %}{{ x[:3] }}", vec!["a", "b"]),
        ("{% filter fenced(\"x\") %}{{ a }}{% endfilter %}{% filter upper %}{{ b }}{% endfilter %}", vec!["b"]),
        ("{% for document in documents %}{% include \"_part\" %}{% endfor %}", vec!["documents[].title", "inside"]),
        ("{{ a|join(b) }}{{ c|length }}{{ not d }}{% for e in f %}{{ loop.index }}{% endfor %}", vec!["a", "b"]),
        ("{{ a|fenced_example(\"x\") }}", vec!["a"]),
        ("{% filter fenced_example(\"x\") %}{{ a }}{% endfilter %}", vec!["a"]),
    ] {
        assert_eq!(shown(source), expected, "{source}");
    }
}

#[test]
fn a_part_that_nothing_includes_is_told() {
    let own = Files::from([("t", "a"), ("_part", "b")]);
    assert!(look_through(&own, &Files::default()).unwrap().unused_parts.contains("_part"));
}

#[test]
fn what_is_not_followed_is_an_error() {
    for source in ["{% macro m() %}{% endmacro %}", "{{ f(a) }}", "{% include a %}", "{% include \"_none\" %}", "{{ a "]
    {
        let error = look_through(&Files::from([("t", source)]), &Files::default()).unwrap_err();
        assert!(error.to_string().starts_with("`t` uses what this check does not follow"), "{error}");
    }
}
