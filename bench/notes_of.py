"""Makes a vault of notes out of a folder of HTML pages: a note a page, with headings, paragraphs, lists and code.

usage: notes_of.py FROM TO
"""
import pathlib
import sys
from html.parser import HTMLParser

LEFT_OUT = {"script", "style", "nav", "form", "head"}
BLOCKS = {"p", "div", "li", "dd", "dt", "td", "th", "tr", "table", "ul", "ol", "dl", "blockquote", "section"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.title, self.out, self.line = "", [], ""
        self.skipped, self.in_title, self.prefix, self.code = 0, False, "", False

    def end(self):
        text = self.line.strip() if not self.code else self.line.rstrip()
        if text:
            self.out.append(self.prefix + text if not self.code else "```\n" + text + "\n```")
        self.line, self.prefix = "", ""

    def handle_starttag(self, tag, attributes):
        if tag == "title":
            self.in_title = True
        elif tag in LEFT_OUT:
            self.skipped += 1
        elif tag in BLOCKS or tag == "pre" or (len(tag) == 2 and tag[0] == "h" and tag[1].isdigit()):
            self.end()
            self.code = tag == "pre"
            self.prefix = "- " if tag == "li" else "#" * int(tag[1]) + " " if tag[0] == "h" and tag[1:].isdigit() else ""

    def handle_endtag(self, tag):
        if tag == "title":
            self.in_title = False
        elif tag in LEFT_OUT:
            self.skipped = max(0, self.skipped - 1)
        elif tag in BLOCKS or tag == "pre" or (len(tag) == 2 and tag[0] == "h" and tag[1].isdigit()):
            self.end()
            self.code = False

    def handle_data(self, data):
        if self.in_title:
            self.title += data
        elif not self.skipped:
            self.line += data if self.code else " ".join(data.split()).join([" " * data[:1].isspace(), " " * data[-1:].isspace()])


def main(source, target):
    source, target = pathlib.Path(source), pathlib.Path(target)
    for page in sorted(source.rglob("*.html")):
        parsed = Page()
        parsed.feed(page.read_text(encoding="utf-8", errors="replace"))
        parsed.end()
        note = (target / page.relative_to(source)).with_suffix(".md")
        note.parent.mkdir(parents=True, exist_ok=True)
        title = " ".join(parsed.title.split())
        note.write_text((f"# {title}\n\n" if title else "") + "\n\n".join(parsed.out) + "\n", encoding="utf-8")


main(*sys.argv[1:])
