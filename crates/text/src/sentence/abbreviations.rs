//! Abbreviations that end with a full stop. The lists hold them in lower case and without that full stop.

use crate::language::Language;

/// Abbreviations that end no sentence.
const OPEN: &[&str] = &[
    "al", "approx", "bzw", "ca", "cf", "ch", "col", "dr", "e.g", "ed", "eds", "eq", "eqs", "fig", "figs", "gen", "i.e",
    "jr", "messrs", "mr", "mrs", "ms", "mt", "nos", "op", "p", "par", "pp", "prof", "ref", "refs", "resp", "rev",
    "sec", "sect", "sr", "st", "tab", "viz", "vol", "vols", "vs", "capt", "gov", "hon", "lt", "maj", "sen", "sgt",
    "abbr", "assoc", "avg", "elev", "excl", "incl", "misc", "orig", "spec", "subsp", "temp", "univ",
];

/// Abbreviations that end a sentence only before a capital letter.
const AMBIGUOUS: &[&str] =
    &["a.m", "co", "corp", "dept", "est", "etc", "inc", "ltd", "no", "p.m", "ph.d", "u.k", "u.s", "min", "max"];

/// German abbreviations that end no sentence. German nouns have capitals, so a capital after an abbreviation says
/// nothing.
const GERMAN_OPEN: &[&str] = &[
    "abb", "abs", "allg", "anm", "art", "aufl", "bd", "bspw", "bzgl", "d.h", "dgl", "dipl", "engl", "evtl", "ff",
    "frl", "gegr", "ggf", "hr", "hrsg", "i.d.r", "ing", "inkl", "jh", "kap", "lat", "mind", "mio", "mrd", "nr", "o.ä",
    "o.g", "rd", "s.o", "s.u", "sog", "str", "tel", "u.a", "ursp", "v.a", "vgl", "z.b", "z.t", "zzgl", "einschl",
    "entspr", "ggfs",
];

/// German abbreviations that often end a sentence.
const GERMAN_AMBIGUOUS: &[&str] = &["usw", "etc", "u.s.w", "usf", "gmbh"];

/// Words after which a single capital letter is no initial of a name.
const LABELS: &[&str] = &[
    "appendix", "case", "class", "figure", "grade", "group", "in", "language", "level", "option", "part", "phase",
    "plan", "section", "step", "table", "type", "vitamin", "anhang", "fall", "klasse", "stufe", "teil", "typ",
];

/// Whether `word`, in lower case and without its last full stop, never ends a sentence.
pub(super) fn is_open(word: &str, language: Language) -> bool {
    OPEN.contains(&word) || (language == Language::German && GERMAN_OPEN.contains(&word))
}

/// Whether `word` ends a sentence only when a capital letter follows.
pub(super) fn is_ambiguous(word: &str, language: Language) -> bool {
    AMBIGUOUS.contains(&word) || (language == Language::German && GERMAN_AMBIGUOUS.contains(&word))
}

/// Whether `word` labels the single letter after it, as `option` does in `option B`.
pub(super) fn is_label(word: &str) -> bool {
    LABELS.contains(&word)
}
