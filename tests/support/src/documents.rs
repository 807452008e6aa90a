//! Small documents of the kinds that are no text, made on the spot.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A PDF file with one page for each list of lines.
pub fn pdf(pages: &[&[&str]]) -> Vec<u8> {
    let contents = pages.iter().map(|lines| {
        let mut content = "BT /F1 12 Tf 16 TL 72 720 Td".to_owned();
        for line in *lines {
            let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
            let _ = write!(content, " ({line}) Tj T*");
        }
        (String::new(), (content + " ET").into_bytes())
    });
    pdf_of_streams(contents.collect())
}

/// A PDF file with one page for each content stream, which comes with more entries of its dictionary.
pub fn pdf_of_streams(streams: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    let kids: Vec<String> = (0..streams.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", streams.len(), kids.join(" ")).into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    for (page, (entries, stream)) in streams.into_iter().enumerate() {
        let content = 5 + 2 * page;
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R \
                 /Resources << /Font << /F1 3 0 R >> >> >>"
            )
            .into_bytes(),
        );
        let mut object = format!("<< /Length {} {entries} >>\nstream\n", stream.len()).into_bytes();
        object.extend(stream);
        object.extend(b"\nendstream");
        objects.push(object);
    }
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", number + 1).into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (size, table) = (objects.len() + 1, file.len());
    let mut end = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(end, "{place:010} 00000 n ");
    }
    let _ = write!(end, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n");
    file.extend(end.into_bytes());
    file
}

/// A text at a place of a page, in points from its lower left corner.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where it begins.
    pub x: f32,
    /// The line that its letters stand on.
    pub y: f32,
    /// The height of its letters.
    pub size: f32,
    /// The text, of letters of ASCII and soft hyphens.
    pub text: String,
}

/// A PDF file with one page for each list of texts, in Helvetica, each drawn where it stands.
pub fn pdf_of_placed(pages: &[Vec<Placed>]) -> Vec<u8> {
    let stream = |page: &Vec<Placed>| {
        let mut content = "BT".to_owned();
        for Placed { x, y, size, text } in page {
            let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)").replace('\u{ad}', "\\255");
            let _ = write!(content, " /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj");
        }
        (String::new(), (content + " ET").into_bytes())
    };
    pdf_of_streams(pages.iter().map(stream).collect())
}

/// How wide a text of ASCII is in Helvetica, in points.
pub fn helvetica_width(text: &str, size: f32) -> f32 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' => 222,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | 'f' | 't' | 'I' => 278,
        '(' | ')' | '-' | '\u{ad}' | 'r' => 333,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        'F' | 'T' | 'Z' => 611,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' => 667,
        'w' | 'C' | 'D' | 'H' | 'N' | 'R' | 'U' => 722,
        'G' | 'O' | 'Q' => 778,
        'm' | 'M' => 833,
        'W' => 944,
        _ => 556,
    };
    text.chars().map(|c| width(c) as f32).sum::<f32>() * size / 1000.0
}

/// Deflated spaces in the form of zlib without its end: so many MiB of them, in a thousandth of that.
pub fn spaces(mebibytes: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(4096);
    let mut packer = flate2::Compress::new(flate2::Compression::best(), false);
    packer.compress_vec(&vec![b' '; 1 << 20], &mut block, flate2::FlushCompress::Full).expect("spaces are packed");
    [[0x78, 0x9c].as_slice(), &block.repeat(mebibytes)].concat()
}

/// An archive of parts.
pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = SimpleFileOptions::default();
        // What says of a book that it is one stands at the beginning as it is (EPUB 3.3, section 4.3.3).
        let plain = options.compression_method(zip::CompressionMethod::Stored);
        writer.start_file(*name, if *name == "mimetype" { plain } else { options }).expect("a part begins");
        writer.write_all(content).expect("a part is written");
    }
    writer.finish().expect("an archive is whole").into_inner()
}

/// A DOCX file: the XML inside of its body, with the styles `Heading1`, `Heading2`, `Title` and `Secret`, which is hidden, and
/// the lists 1, of bullets, and 2, of numbers.
pub fn docx(body: &str) -> Vec<u8> {
    let space = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#;
    let head = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
    let document = format!("{head}<w:document {space}><w:body>{body}</w:body></w:document>");
    let style = |id: &str, name: &str, more: &str| {
        format!(r#"<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{more}</w:style>"#)
    };
    let styles = [
        style("Heading1", "heading 1", r#"<w:pPr><w:outlineLvl w:val="0"/></w:pPr>"#),
        style("Heading2", "heading 2", ""),
        style("Title", "Title", ""),
        style("Secret", "secret", "<w:rPr><w:vanish/></w:rPr>"),
    ];
    let styles = format!("{head}<w:styles {space}>{}</w:styles>", styles.concat());
    let list = |id: u8, kind: &str| {
        let level = format!(r#"<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{kind}"/></w:lvl>"#);
        format!(r#"<w:abstractNum w:abstractNumId="{id}">{level}</w:abstractNum>"#)
    };
    let number = |id: u8| format!(r#"<w:num w:numId="{id}"><w:abstractNumId w:val="{id}"/></w:num>"#);
    let lists = [list(1, "bullet"), list(2, "decimal"), number(1), number(2)].concat();
    let numbering = format!("{head}<w:numbering {space}>{lists}</w:numbering>");
    archive(&[
        ("[Content_Types].xml", b"<Types/>".as_slice()),
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("word/numbering.xml", numbering.as_bytes()),
    ])
}

/// A paragraph of a DOCX file in a style.
pub fn docx_paragraph(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

/// An EPUB book with a title and the XHTML of its chapters.
pub fn epub(title: &str, chapters: &[&str]) -> Vec<u8> {
    let container = r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;
    let (mut items, mut spine) = (String::new(), String::new());
    let names: Vec<String> = (1..=chapters.len()).map(|number| format!("OEBPS/text/chapter {number}.xhtml")).collect();
    for number in 1..=chapters.len() {
        let _ = write!(items, r#"<item id="c{number}" href="text/chapter%20{number}.xhtml"/>"#);
        let _ = write!(spine, r#"<itemref idref="c{number}"/>"#);
    }
    let package = format!(
        "<package><metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    );
    let mut parts = vec![
        ("mimetype", b"application/epub+zip".as_slice()),
        ("META-INF/container.xml", container.as_bytes()),
        ("OEBPS/book.opf", package.as_bytes()),
    ];
    parts.extend(names.iter().map(String::as_str).zip(chapters.iter().map(|chapter| chapter.as_bytes())));
    archive(&parts)
}

/// A notebook with a cell of prose and a cell of code.
pub fn notebook(prose: &str, code: &str) -> Vec<u8> {
    let notebook = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "python"}},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": prose},
            {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": null},
        ],
    });
    notebook.to_string().into_bytes()
}

/// A message.
pub fn message(subject: &str, text: &str) -> Vec<u8> {
    format!(
        "From: Ada <ada@example.org>\r\nTo: Ben <ben@example.org>\r\nDate: Tue, 3 Mar 2026 10:00:00 +0000\r\n\
         Subject: {subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
    )
    .into_bytes()
}
