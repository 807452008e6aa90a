//! What stands in the text of a report besides its words: headings, marks of citations and of sources, charts, links of
//! conclusions, the list of references. Every room reads it here.

mod chart_block;
mod citation;
mod escape;
mod headings;
mod missing;
mod offset;
mod references;
mod trace_mark;
mod uncited;
mod unlinked;

pub use citation::{citation, cited};
pub use escape::{escape, safe_href};
pub use headings::renumber;
pub use offset::Unit;
pub use references::without_references;
pub use trace_mark::{TraceMark, trace_mark, trace_marks};
pub use unlinked::{Cleaned, clean, plain};

pub(crate) use chart_block::{ChartBlock, chart_blocks, in_chart, written};
pub(crate) use citation::{only_known, replace_citations, unread};
pub(crate) use headings::{heading, lines, without_number};
pub(crate) use missing::MISSING;
pub(crate) use uncited::{placed, uncited};
