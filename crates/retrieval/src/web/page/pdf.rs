//! Readers of pages that are PDF.

#[cfg(feature = "pdf")]
use std::path::PathBuf;
#[cfg(feature = "pdf")]
use std::time::Duration;

#[cfg(feature = "pdf")]
use super::read::{PASSAGE, readable};
#[cfg(feature = "pdf")]
use crate::document::{Format, ReadLimits, UnreadReason, read_file};

/// The most pages of a file that are read.
#[cfg(feature = "pdf")]
const PAGES: usize = 500;
/// The longest that a file is read.
#[cfg(feature = "pdf")]
const TIME: Duration = Duration::from_secs(15);

/// The text of a PDF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfText {
    /// The title that it says it has; empty where it says none.
    pub title: String,
    /// The readable text, paragraphs with an empty line between them.
    pub text: String,
    /// What of the file was not read, such as pages without text.
    pub lost: Option<String>,
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

/// Reads PDF as a [`Corpus`](crate::Corpus) reads it: the first 500 pages, for at most 15 seconds.
#[cfg(feature = "pdf")]
#[derive(Clone, Debug, Default)]
pub struct PdfFiles {
    program: Option<PathBuf>,
}

#[cfg(feature = "pdf")]
impl PdfFiles {
    /// A reader in the process of a program whose `main` begins with [`serve_reader`](crate::serve_reader), so that a file that
    /// fills the memory takes only that process. Without a program files are read in this one.
    #[must_use]
    pub fn new(program: Option<PathBuf>) -> Self {
        Self { program }
    }
}

#[cfg(feature = "pdf")]
impl ReadPdf for PdfFiles {
    fn read(&self, body: &[u8]) -> Result<PdfText, String> {
        let reader = self.program.as_deref();
        let limits = ReadLimits { passage_bytes: PASSAGE, unpacked_bytes: 0, pages: PAGES, time: TIME, reader };
        let refused = |reason| match reason {
            UnreadReason::Mislabelled { .. } => "it is called a PDF and is none".to_owned(),
            UnreadReason::Encrypted => "it is encrypted".to_owned(),
            reason => format!("it {reason}"),
        };
        let (document, note) = read_file(Format::Pdf, "", body, &limits).map_err(refused)?;
        let text = readable(&document.passages);
        Ok(PdfText { title: document.title, text, lost: note })
    }
}
