//! Byte ranges of a text, in order.

use std::ops::Range;

/// Ranges in order, those that touch made one.
pub(crate) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| range.start);
    let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match whole.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => whole.push(range),
        }
    }
    whole
}

/// Whether any of the ordered ranges overlaps this one.
pub(crate) fn touches(ranges: &[Range<usize>], span: &Range<usize>) -> bool {
    holding(ranges, span).is_some()
}

/// The first of the ordered ranges that overlaps this one.
pub(crate) fn holding<'r>(ranges: &'r [Range<usize>], span: &Range<usize>) -> Option<&'r Range<usize>> {
    let next = ranges.partition_point(|range| range.end <= span.start);
    ranges.get(next).filter(|range| range.start < span.end)
}
