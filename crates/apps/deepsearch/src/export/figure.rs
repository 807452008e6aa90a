//! A chart with its caption and its data as one figure.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

/// What of a figure was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FigurePart {
    Drawing,
    Caption,
    Data,
}

/// Gathers the blocks of a figure: a drawing, then a caption that begins in bold, then a table.
#[derive(Debug, Default)]
pub(super) struct Figures {
    open: Option<FigurePart>,
    /// The block of the figure that is being written.
    within: Option<FigurePart>,
}

impl Figures {
    /// Begins a figure with its drawing.
    pub(super) fn begin(&mut self, drawing: &str, out: &mut Vec<Event<'_>>) {
        self.end(out);
        out.push(raw(format!("<figure class=\"chart\"><div class=\"drawing\" tabindex=\"0\">{drawing}</div>\n")));
        self.open = Some(FigurePart::Drawing);
    }

    /// Ends a figure that is open.
    pub(super) fn end(&mut self, out: &mut Vec<Event<'_>>) {
        if self.open.take().is_some() {
            out.push(raw("</figure>\n".to_owned()));
        }
    }

    /// Takes an event that opens or closes a block of a figure, or ends the figure where another block begins. `next` is
    /// the event behind it. Whether the event was written.
    pub(super) fn takes(&mut self, event: &Event<'_>, next: Option<&Event<'_>>, out: &mut Vec<Event<'_>>) -> bool {
        match (self.open, self.within, event) {
            (Some(FigurePart::Drawing), None, Event::Start(Tag::Paragraph))
                if matches!(next, Some(Event::Start(Tag::Strong))) =>
            {
                self.within = Some(FigurePart::Caption);
                out.push(raw("<figcaption>".to_owned()));
                true
            }
            (Some(_), Some(FigurePart::Caption), Event::End(TagEnd::Paragraph)) => {
                self.within = None;
                self.open = Some(FigurePart::Caption);
                out.push(raw("</figcaption>\n".to_owned()));
                true
            }
            (Some(FigurePart::Drawing | FigurePart::Caption), None, Event::Start(Tag::Table(_))) => {
                self.within = Some(FigurePart::Data);
                false
            }
            (Some(_), Some(FigurePart::Data), Event::End(TagEnd::Table)) => {
                out.push(Event::End(TagEnd::Table));
                self.within = None;
                self.end(out);
                true
            }
            (Some(_), None, _) => {
                self.end(out);
                false
            }
            _ => false,
        }
    }
}

fn raw(text: String) -> Event<'static> {
    Event::Html(CowStr::from(text))
}
