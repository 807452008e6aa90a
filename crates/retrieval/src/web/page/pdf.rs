//! Where a reader of PDF is put in.

/// The text of a PDF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfText {
    /// The title that it says it has; empty where it says none.
    pub title: String,
    /// The readable text, paragraphs with an empty line between them.
    pub text: String,
}

/// Something that reads PDF. [`Pages`](super::Pages) give it the body of a page that is one, on a thread for blocking work;
/// the body has passed the bound on bytes.
pub trait ReadPdf: Send + Sync + 'static {
    /// The text.
    ///
    /// # Errors
    /// Why there is none, as in `it is encrypted`.
    fn read(&self, body: &[u8]) -> Result<PdfText, String>;
}
