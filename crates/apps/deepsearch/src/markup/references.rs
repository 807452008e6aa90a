//! The list of references at the end of a text.

use super::headings::{heading, lines, without_number};

/// What lists of references are called at the end of a text.
const NAMES: [&str; 9] = [
    "references",
    "reference",
    "reference articles",
    "sources",
    "bibliography",
    "参考文章",
    "参考文献",
    "参考资料",
    "引用",
];

/// The text without a list of references at its end.
pub fn without_references(text: &str) -> String {
    let mut cut = None;
    let mut at = 0;
    for (line, plain) in lines(text) {
        if let Some((_, name)) = heading(line).filter(|_| plain) {
            let name = without_number(name).trim_matches(['*', ':', '：', ' ']).to_lowercase();
            let is_list = name.split('/').all(|part| NAMES.contains(&part.trim()));
            cut = is_list.then_some(at);
        }
        at += line.len() + 1;
    }
    let end = cut.map_or(text.len(), |cut| cut.min(text.len()));
    text.get(..end).unwrap_or(text).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_at_the_end_is_cut_and_one_in_the_middle_stays() {
        assert_eq!(without_references("# A\ntext\n\n## References\n1. x\n"), "# A\ntext");
        assert_eq!(without_references("# A\ntext\n# 参考文章/References\n[1] x"), "# A\ntext");
        assert_eq!(without_references("# A\n## Sources\nx\n## More\ny"), "# A\n## Sources\nx\n## More\ny");
        assert_eq!(without_references("```\n# References\n```"), "```\n# References\n```");
        assert_eq!(without_references(""), "");
    }
}
