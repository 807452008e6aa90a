"""Makes collections of documents with judged questions out of files that others wrote and labelled.

usage: data.py FROM TO [COLLECTION ...]

FROM holds, where the collection is wanted: `cran.all.1400`, `cran.qry`, `cranqrel` (Cranfield); `cacm.all`, `query.text`,
`qrels.text` (CACM); `scifact_queries.jsonl`, `scifact_corpus.jsonl` (claims, and the abstracts that 187 of them rest on);
`foldoc.dict.dz`, `foldoc.index` (of the package dict-foldoc); `python`, `sqlite`, `debian`: the HTML folders of the packages
python3.11-doc, sqlite3-doc and debian-faq. A collection in TO is a folder `docs`, a Markdown file for each document, and
`queries.jsonl`: `id`, `text`, `relevant` (document: grade), `set` (several sets of questions may be about the same
documents), `without` (documents that are no answer) and `half`, `tuning` or `held`, by a hash of the id, so that nobody
chose which questions are held out.
"""
import collections
import gzip
import hashlib
import html
import json
import pathlib
import random
import re
import sys
from html.parser import HTMLParser


def half(name):
    return "tuning" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "held"


def escaped(text):
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&$^=:])", r"\\\1", text)


def write(target, name, documents, queries):
    folder = target / name / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    for identity, (title, text) in documents.items():
        paragraphs = [escaped(" ".join(part.split())) for part in re.split(r"\n\s*\n", text) if part.strip()]
        head = f"# {escaped(' '.join(title.split()))}\n\n" if title else ""
        (folder / f"{identity}.md").write_text(head + "\n\n".join(paragraphs) + "\n", encoding="utf-8")
    count = 0
    with open(target / name / "queries.jsonl", "w", encoding="utf-8") as out:
        for identity, text, relevant, *without in queries:
            relevant = {document: grade for document, grade in relevant.items() if document in documents and grade > 0}
            if relevant and text.strip():
                count += 1
                row = {"id": identity, "text": " ".join(text.split()), "relevant": relevant, "set": identity.split()[0] if " " in identity else "",
                    "without": without, "half": half(f"{name.removesuffix('-first')} {identity}")}
                out.write(json.dumps(row) + "\n")
    print(f"{name}: {len(documents)} documents, {count} questions")


def smart(path):
    """The records of a file in SMART's form, by number: field letter to text."""
    records, record, field = {}, None, None
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith(".I "):
            record = records.setdefault(line[3:].strip(), collections.defaultdict(str))
        elif re.fullmatch(r"\.[A-Z]", line.strip()):
            field = line.strip()[1]
        elif record is not None:
            record[field] += line + "\n"
    return records


def cranfield(source, target):
    documents = {}
    for number, record in smart(source / "cran.all.1400").items():
        # The text begins with the title once more.
        title = record["T"]
        text = " ".join(record["W"].split())
        documents[number] = (title, text.removeprefix(" ".join(title.split())))
    relevant = collections.defaultdict(dict)
    for line in (source / "cranqrel").read_text().splitlines():
        query, document, code = line.split()[:3]
        # Code 5 is "of no interest", -1 is unclear.
        relevant[int(query)][document] = {1: 4, 2: 3, 3: 2, 4: 1}.get(int(code), 0)
    # Judgements count the questions from 1 in the order of the file.
    queries = [(str(place), record["W"], relevant[place]) for place, record in enumerate(smart(source / "cran.qry").values(), 1)]
    write(target, "cranfield", documents, queries)


def cacm(source, target):
    documents = {number: (record["T"], record["W"]) for number, record in smart(source / "cacm.all").items()}
    relevant = collections.defaultdict(dict)
    for line in (source / "qrels.text").read_text().splitlines():
        query, document = line.split()[:2]
        relevant[str(int(query))][str(int(document))] = 1
    queries = [(number, record["W"], relevant[number]) for number, record in smart(source / "query.text").items()]
    write(target, "cacm", documents, queries)


def scifact(source, target):
    documents = {}
    for line in open(source / "scifact_corpus.jsonl", encoding="utf-8"):
        row = json.loads(line)
        documents[str(row["doc_id"])] = (row.get("title") or "", row.get("text") or row.get("abstract") or "")
    queries = []
    for line in open(source / "scifact_queries.jsonl", encoding="utf-8"):
        row = json.loads(line)
        cited = row["metadata"]
        # Claims of which every cited abstract is there.
        if cited and all(document in documents for document in cited):
            queries.append((row["_id"], row["text"], {document: 1 for document in cited}))
    write(target, "scifact", documents, queries)


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def number(text):
    value = 0
    for digit in text:
        value = value * 64 + DIGITS.index(digit)
    return value


def foldoc(source, target):
    """Two sets of questions about the same entries: a headword and its entry, and the text around a cross reference and the
    entry that it names. The reference itself is taken out of the text, and the entry that the text is from
    is no answer."""
    data = gzip.decompress((source / "foldoc.dict.dz").read_bytes())
    places, names = {}, collections.defaultdict(list)
    for line in (source / "foldoc.index").read_text(encoding="utf-8").splitlines():
        word, start, length = line.split("\t")
        if not word.startswith("00-database"):
            places.setdefault((number(start), number(length)), f"e{number(start)}")
            names[word.lower()].append(places[(number(start), number(length))])
    documents, bodies = {}, {}
    for (start, length), identity in places.items():
        lines = data[start:start + length].decode("utf-8", "replace").strip("\n").split("\n")
        body = re.sub(r"[{}]", "", "\n".join(lines[1:]))
        documents[identity] = (lines[0].strip(), body)
        bodies[identity] = "\n".join(lines[1:])
    queries = []
    draw = random.Random(1)
    words = sorted(word for word, entries in names.items() if len(set(entries)) == 1)
    queries += [(f"headword {word}", word, {names[word][0]: 1}) for word in draw.sample(words, 500)]
    references = []
    for identity, body in sorted(bodies.items()):
        for found in re.finditer(r"\{([^{}]+)\}", body):
            entries = set(names.get(" ".join(found.group(1).lower().split()), []))
            if len(entries) == 1 and entries != {identity}:
                references.append((identity, found.start(), found.end(), entries.pop(), body))
    for place, (identity, start, end, entry, body) in enumerate(draw.sample(references, 500)):
        around = body[max(0, start - 110):start] + " " + body[end:end + 110]
        queries.append((f"context {place}", re.sub(r"[{}]", "", around), {entry: 1}, identity))
    write(target, "foldoc", documents, queries)


class Sections(HTMLParser):
    """The headings of a page with the text below each, in order."""

    LEFT_OUT = {"script", "style", "nav", "form", "head"}
    BLOCKS = {"p", "div", "li", "dd", "dt", "td", "tr", "table", "ul", "ol", "pre", "blockquote", "section"}

    def __init__(self, is_heading):
        super().__init__()
        self.is_heading, self.out, self.skipped, self.inside = is_heading, [["", ""]], 0, None

    def handle_starttag(self, tag, attributes):
        if tag in self.LEFT_OUT or ("class", "toc") in attributes or ("class", "headerlink") in attributes:
            self.skipped += 1
            self.opened = getattr(self, "opened", []) + [tag]
        elif self.is_heading(tag, dict(attributes)):
            self.out.append(["", ""])
            self.inside = tag
        elif tag in self.BLOCKS:
            self.out[-1][1] += "\n\n"

    def handle_endtag(self, tag):
        if self.skipped and tag == self.opened[-1]:
            self.opened.pop()
            self.skipped -= 1
        elif tag == self.inside:
            self.inside = None

    def handle_data(self, text):
        if not self.skipped:
            self.out[-1][0 if self.inside else 1] += text


def sections(path, is_heading):
    parser = Sections(is_heading)
    parser.feed(path.read_text(encoding="utf-8", errors="replace"))
    return [(" ".join(title.replace("\u00b6", "").split()), text.strip()) for title, text in parser.out]


# `howto` and `reference` beside it make the collection twice as large.
FOLDERS = ("tutorial",)


def faq(source, target):
    """Questions of three FAQs. Their answers, without the questions, are documents among sections of Python's tutorial and of
    SQLite's pages about the language and the file; the pages of the FAQs themselves
    are taken out."""
    documents, queries = {}, []
    is_title = lambda tag, _: tag in ("h1", "h2", "h3")
    answers = []
    for page in sorted((source / "python" / "faq").glob("*.html")):
        answers += [("python", title, text) for title, text in sections(page, is_title)]
    for page in sorted((source / "debian").glob("*.en.html")):
        answers += [("debian", re.sub(r"^[\d. ]+", "", title), text) for title, text in sections(page, is_title)]
    text = (source / "sqlite" / "faq.html").read_text(encoding="utf-8", errors="replace")
    for title, body in re.findall(r"<p><b>\(\d+\)\s*(.*?)</b></p>(.*?)(?=<a name=|$)", text, re.S):
        plain = re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:p|blockquote|pre|li)\b[^>]*>", "\n\n", body))
        answers.append(("sqlite", " ".join(re.sub(r"<[^>]+>", "", html.unescape(title)).split()), html.unescape(plain)))
    for place, (origin, question, answer) in enumerate(answers):
        # "See the next question." is no answer.
        if question.endswith("?") and len(answer.split()) >= 15:
            identity = f"answer-{origin}-{place}"
            documents[identity] = ("", answer)
            queries.append((identity, question, {identity: 1}))
    # The first answers by their names and nothing else: small enough for the embedded model on a busy machine.
    first = {identity: documents[identity] for identity in sorted(documents, key=lambda name: f"{name}.md")[:163]}
    write(target, "faq-first", first, queries)
    pages = [page for folder in FOLDERS for page in sorted((source / "python" / folder).glob("*.html"))]
    pages += [source / "sqlite" / f"{name}.html" for name in ("lang_createtable", "lang_select", "lang_transaction", "datatype3",
        "autoinc", "foreignkeys", "isolation", "lockingv3", "wal", "limits", "quirks", "nulls", "pragma", "cli", "threadsafe",
        "howtocorrupt", "whentouse", "different", "lang_altertable", "lang_insert", "lang_vacuum", "floatingpoint", "selfcontained")]
    for page in pages:
        if page.exists():
            for place, (title, text) in enumerate(sections(page, is_title)):
                if len(text.split()) >= 15:
                    documents[f"page-{page.parent.name}-{page.stem}-{place}"] = (title, text)
    write(target, "faq", documents, queries)


def main(source, target, *wanted):
    source, target = pathlib.Path(source), pathlib.Path(target)
    for make in (cranfield, cacm, scifact, foldoc, faq):
        if not wanted or make.__name__ in wanted:
            make(source, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
