//! Which rules of writing a text follows.

use serde::{Deserialize, Serialize};

use crate::script::{is_ideographic, is_katakana};

/// Whose rules end a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Language {
    /// English, and any language written with spaces that is not named here.
    #[default]
    English,
    /// German: ordinals are digits with a full stop, and nouns are written with a capital.
    German,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
}

const GERMAN: &[&str] = &[
    "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "von", "mit", "auf", "für", "wird", "werden", "sich",
    "dem", "den", "zu", "bei", "auch", "am", "im", "sind", "wurde",
];

impl Language {
    /// The language a text looks like, by its script and, for German, its small words.
    ///
    /// ```
    /// use graphloom_text::Language;
    ///
    /// assert_eq!(Language::detect("Die Datei wird nicht geschrieben."), Language::German);
    /// assert_eq!(Language::detect("データは書き込まれる。"), Language::Japanese);
    /// ```
    #[must_use]
    pub fn detect(text: &str) -> Self {
        let (mut han, mut kana, mut other) = (0_usize, 0_usize, 0_usize);
        for c in text.chars() {
            match c {
                '\u{3040}'..='\u{309f}' => kana += 1,
                c if is_katakana(c) => kana += 1,
                c if is_ideographic(c) => han += 1,
                c if c.is_alphabetic() => other += 1,
                _ => {}
            }
        }
        // An ideograph says about as much as a short word.
        if (han + kana) * 4 > other {
            return if kana * 10 > han { Self::Japanese } else { Self::Chinese };
        }
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let (mut german, mut all) = (0_usize, 0_usize);
        for word in words.take(400) {
            all += 1;
            german += usize::from(GERMAN.contains(&word.to_lowercase().as_str()));
        }
        if german * 8 > all && german >= 2 { Self::German } else { Self::English }
    }

    /// Whether words stand without spaces.
    #[must_use]
    pub fn is_unspaced(self) -> bool {
        matches!(self, Self::Chinese | Self::Japanese)
    }
}
