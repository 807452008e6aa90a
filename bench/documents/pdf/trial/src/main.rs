//! Writes the text of a PDF by one of the libraries under trial, each page followed by a form feed.
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (library, file) = (arguments.next().ok_or("which library?")?, arguments.next().ok_or("which file?")?);
    let bytes = std::fs::read(file)?;
    let pages: Vec<String> = match library.as_str() {
        #[cfg(feature = "pdf-extract")]
        "pdf-extract" => pdf_extract::extract_text_from_mem_by_pages(&bytes)?,
        #[cfg(feature = "oxidize-pdf")]
        "oxidize-pdf" => oxidize(bytes)?,
        #[cfg(feature = "pdf_oxide")]
        "pdf_oxide" => oxide(bytes)?,
        #[cfg(feature = "unpdf")]
        "unpdf" => unpdf(&bytes)?,
        _ => return Err("no such library".into()),
    };
    let mut out = std::io::stdout().lock();
    for page in pages {
        write!(out, "{page}\u{c}")?;
    }
    Ok(())
}

#[cfg(feature = "oxidize-pdf")]
fn oxidize(bytes: Vec<u8>) -> Result<Vec<String>, Box<dyn Error>> {
    let reader = oxidize_pdf::parser::PdfReader::new(std::io::Cursor::new(bytes))?;
    let document = oxidize_pdf::parser::PdfDocument::new(reader);
    Ok(document.extract_text()?.into_iter().map(|page| page.text).collect())
}

#[cfg(feature = "pdf_oxide")]
fn oxide(bytes: Vec<u8>) -> Result<Vec<String>, Box<dyn Error>> {
    let document = pdf_oxide::PdfDocument::from_bytes(bytes)?;
    (0..document.page_count()?).map(|page| Ok(document.extract_text(page)?)).collect()
}

#[cfg(feature = "unpdf")]
fn unpdf(bytes: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
    let options = unpdf::ParseOptions::new().sequential();
    let document = unpdf::parse_bytes_with_options(bytes, options)?;
    Ok(document.pages.iter().map(unpdf::model::Page::plain_text).collect())
}
