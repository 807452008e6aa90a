//! Lists of references that a model put into its text: a report has one list, its program's own.

mod entry;
mod list;
mod names;
mod removal;
mod title;

pub use names::references_title;
pub use removal::{Unlisted, without_reference_lists};

use std::collections::BTreeSet;
use std::ops::Range;

use list::{named_list, unnamed_list};
use title::{lines, title};

/// A list of references in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferenceList {
    /// The bytes of the list with its title.
    pub range: Range<usize>,
    /// How many entries it has.
    pub entries: usize,
    /// The numbers of its entries.
    pub numbers: BTreeSet<u64>,
}

/// The lists of references of a text, in order: a title, a line in bold or a line of its own that names one, in any of many
/// languages, with entries behind it; and entries with numbers in brackets at the end of the text, without any name.
///
/// A part that has such a name and says something is no list: a chapter on sources, or one that ends statements with
/// citations.
///
/// ```
/// use graphloom_text::reference_lists;
///
/// let text = "It is so [1].\n\n## References\n\n[1] Invented, A. Title.\n\n## Sources of error\n\nThe gauge drifts.\n";
/// let found = reference_lists(text);
/// assert_eq!(&text[found[0].range.clone()], "## References\n\n[1] Invented, A. Title.\n\n");
/// assert_eq!((found.len(), found[0].entries), (1, 1));
/// ```
#[must_use]
pub fn reference_lists(text: &str) -> Vec<ReferenceList> {
    let lines = lines(text);
    let mut found: Vec<ReferenceList> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let list = title(&lines, at).and_then(|title| named_list(&lines, at, &title));
        match list {
            Some((list, next)) => {
                found.push(list);
                at = next;
            }
            None => at += 1,
        }
    }
    let end = found.last().map_or(0, |list| list.range.end);
    found.extend(unnamed_list(&lines, end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_model_go_and_real_parts_stay() {
        for (text, rest) in [
            ("A.\n\n## References\n[1] Invented, A. Title.\n[2] B.\n", "A."),
            ("A.\n\n## References\n", "A."),
            ("A.\n\n### 7. Sources & References\n\n1. Smith, J. (2020). T.\n2. https://b.example\n", "A."),
            ("A.\n\nSources:\n- https://a.example\n- https://b.example", "A."),
            ("A.\n\n**Sources**\n\n1. [T](https://a.example)\n", "A."),
            ("A.\n\n**References:**\n- A book\n- Another", "A."),
            ("A.\n\nReferences\n----------\n* A book\n", "A."),
            ("甲。\n\n参考文献\n[1] 作者. 题目. 2020.\n[2] 乙", "甲。"),
            ("甲。\n\n## 参考资料：\n\n【1】题目\n", "甲。"),
            ("Eins.\n\n**Quellen:**\n\n[1] Erfunden, A. (2020)\n", "Eins."),
            ("Un.\n\n## Références\n\n- Dupont (2020), Titre.\n", "Un."),
            ("Один.\n\nСписок литературы:\n1. Иванов И. Книга.\n", "Один."),
            ("A [1], b [2, 1] x[1] `[1]`.\n\n[1]: https://a.example\n[2]: https://b.example\n", "A, b x[1] `[1]`."),
            ("A [^1].\n\n[^1]: Smith, J. (2020). Title.", "A."),
            (
                "A.\n\n---\n\n## References\n\nThese were read:\n\n- [reference:a#1] T\n\n## B\n\nC [1].",
                "A.\n\n## B\n\nC.",
            ),
            ("A.\n\n## References\n\n### Books\n- B\n\n### Web\n- W\n", "A."),
            ("A.\n\nSources: https://a.example, https://b.example", "A."),
            ("A.\n\n## References\n\n[1] Invented, A. Title.\n[2] Inv", "A."),
        ] {
            let without = without_reference_lists(text);
            assert_eq!(without.text, rest, "{text:?}");
            assert!(without.told().is_some(), "{text:?}");
        }
        for text in [
            "## Sources of error\n\nThe gauge drifts [reference:a#1].\n\n- It drifts up.\n",
            "## Sources\n\nThe White Nile rises at the lake [reference:a#1].\n",
            "## Sources\n\n- The White Nile rises at the lake [reference:a#1].\n- The Blue Nile does not.\n",
            "## Sources\n\n- The White Nile\n- The Blue Nile\n",
            "## Sources\n\nThe river (1960) was measured at https://a.example first.\n",
            "Source: World Bank [reference:a#1].\n\nMore.",
            "# References to Homer\n\n- Joyce\n",
            "```\n## References\n[1] x\n```",
            "> ## References\n> [1] x",
            "A [1] is so.\n\n[1] is what it was.",
            "The steps:\n\n1. First\n2. Second\n",
            "",
        ] {
            let without = without_reference_lists(text);
            assert_eq!((without.text.as_str(), without.told()), (text, None), "{text:?}");
        }
    }
}
