//! The list of references at the end of a text.

use graphloom_text::reference_lists;

/// The text without a list of references at its end.
pub fn without_references(text: &str) -> String {
    let last = reference_lists(text).pop().filter(|list| text[list.range.end..].trim().is_empty());
    let end = last.map_or(text.len(), |list| list.range.start);
    text[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_at_the_end_is_cut_and_one_in_the_middle_stays() {
        assert_eq!(without_references("# A\ntext\n\n## References\n1. x\n"), "# A\ntext");
        assert_eq!(without_references("# A\ntext\n# 参考文章/References\n[1] x"), "# A\ntext");
        assert_eq!(without_references("# A\n## Sources\nx\n## More\ny"), "# A\n## Sources\nx\n## More\ny");
        assert_eq!(without_references("# A\n## Sources\nIt rises."), "# A\n## Sources\nIt rises.");
        assert_eq!(without_references("```\n# References\n```"), "```\n# References\n```");
        assert_eq!(without_references(""), "");
    }
}
