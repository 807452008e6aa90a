//! Writes the text of a PDF file as a corpus reads it, and to standard error what of it was lost.
//! `cargo run -p graphloom-retrieval --features web --example read_pdf -- FILE`; `bench/documents` uses it.

use std::error::Error;
use std::io::Write;

use graphloom_retrieval::web::{PdfFiles, ReadPdf};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let read = PdfFiles::default().read(&std::fs::read(file)?)?;
    std::io::stdout().write_all(read.text.as_bytes())?;
    if let Some(lost) = read.lost {
        std::io::stderr().write_all(format!("{lost}\n").as_bytes())?;
    }
    Ok(())
}
