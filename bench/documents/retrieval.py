"""Questions whose answers are known, asked of the index.

Usage: retrieval.py ASK PLACE [--half seen|unseen|both] [COLLECTION...]

ASK is the example `ask` of graphloom-retrieval. PLACE is a folder for packages and indexes. Debian packages are fetched with
`apt-get download`. A question is in the seen half if the hash of its text begins with 0 to 7.

foldoc-headwords   500 headwords of dict-foldoc find their entry
foldoc-references  500 sentences around a reference in dict-foldoc find the entry that is referred to
handbook           headings of debian-handbook find their page among the pages of all languages; no page has its headings
notes, pages       nothing is asked: processor seconds to index 10,000 notes of 4 kB, and 3,000 pages of HTML
"""
import argparse, collections, gzip, hashlib, html, math, pathlib, random, re, resource, shutil, subprocess

LANGUAGES = ["en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "ja-JP", "nb-NO", "nl-NL", "pt-BR", "ru-RU", "zh-CN"]


def package(place, name):
    folder = place / name
    if not folder.exists():
        if not list(place.glob(f"{name}_*.deb")):
            subprocess.check_call(["apt-get", "download", name], cwd=place, stdout=subprocess.DEVNULL)
        folder.mkdir()
        subprocess.check_call(["dpkg-deb", "-x", next(place.glob(f"{name}_*.deb")), folder])
    return folder


def entries(place):
    """The entries of FOLDOC: headwords and text."""
    folder = package(place, "dict-foldoc") / "usr/share/dictd"
    text = gzip.decompress((folder / "foldoc.dict.dz").read_bytes()).decode()
    found = []
    for piece in re.split(r"\n(?=\S)", text):
        head, _, body = piece.partition("\n")
        if body.strip() and not head.startswith("00-"):
            found.append((head.strip(), body))
    return found


def foldoc(place):
    folder = place / "foldoc"
    all_entries = entries(place)
    names = {}
    for number, (head, _) in enumerate(all_entries):
        names.setdefault(head.lower(), f"{number}.txt")
    if not folder.exists():
        folder.mkdir()
        for number, (head, body) in enumerate(all_entries):
            (folder / f"{number}.txt").write_text(f"{head}\n\n{body}")
    return folder, all_entries, names


def foldoc_headwords(place):
    folder, all_entries, names = foldoc(place)
    chosen = random.Random(1).sample(sorted(names.items()), 500)
    return folder, [(head, {path}) for head, path in chosen]


def foldoc_references(place):
    folder, all_entries, names = foldoc(place)
    found = []
    for number, (_, body) in enumerate(all_entries):
        flat = " ".join(body.split())
        for match in re.finditer(r"\{([^{}]+)\}", flat):
            target = names.get(match.group(1).lower())
            if target and target != f"{number}.txt":
                middle = (match.start() + match.end()) // 2
                context = flat[max(0, middle - 110):middle + 110]
                found.append((context.replace("{", "").replace("}", ""), {target}, f"{number}.txt"))
    return folder, random.Random(1).sample(found, 500)


def handbook(place):
    source = package(place, "debian-handbook") / "usr/share/doc/debian-handbook/html"
    folder, questions = place / "handbook", []
    english = {}
    for language in LANGUAGES:
        (folder / language).mkdir(parents=True, exist_ok=True)
        for page in sorted((source / language).glob("*.html")):
            text = page.read_text()
            heads = re.findall(r'<h[1-6][^>]*class="title"[^>]*>(.*?)</h[1-6]>', text, re.S)
            plain = lambda piece: " ".join(html.unescape(re.sub(r"<[^>]+>", " ", piece)).replace("\u00a0", " ").split())
            heads = [re.sub(r"^[\d.]+\s*|^\S+\s\d+\.\s*", "", plain(head)) for head in heads]
            bare = re.sub(r"<h[1-6].*?</h[1-6]>|<title.*?</title>|<head.*?</head>", "", text, flags=re.S)
            bare = re.sub(r'<ul class="docnav".*?</ul>|<div class="toc".*?</div>', "", bare, flags=re.S)
            (folder / language / page.name).write_text(bare)
            if page.name == "index.html" or not heads:
                continue
            english.setdefault(page.name, heads[0]) if language == "en-US" else None
            if len(heads[0]) > 3 and (language == "en-US" or heads[0] != english.get(page.name)):
                questions.append((heads[0], {f"{language}/{page.name}"}))
    return folder, questions


def notes(place):
    folder = place / "notes"
    if not folder.exists():
        folder.mkdir()
        text = "\n".join(f"## {head}\n\n{body}" for head, body in entries(place))
        for number in range(10_000):
            start = number * 547 % (len(text) - 4100)
            (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + text[start:start + 4080])
    return folder, []


def pages(place):
    folder = place / "pages"
    if not folder.exists():
        folder.mkdir()
        found = []
        for name in ["python3.11-doc", "sqlite3-doc", "postgresql-doc-15", "debian-handbook"]:
            found += sorted(file for file in package(place, name).rglob("*.html") if file.is_file() and not file.is_symlink())
        for number, file in enumerate(found[:3000]):
            shutil.copy(file, folder / f"{number}.html")
    return folder, []


def ask(program, index, folder, questions):
    shutil.rmtree(index, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = "".join(question.replace("\n", " ") + "\n" for question, *_ in questions)
    done = subprocess.run([program, index, folder], input=text, text=True, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    print(f"  {done.stderr.strip()}; {seconds:.1f} processor s, index {size / 1e6:.1f} MB")
    return [line.split("\t") for line in done.stdout.split("\n")[:len(questions)]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ask", type=pathlib.Path)
    parser.add_argument("place", type=pathlib.Path)
    parser.add_argument("--half", choices=["seen", "unseen", "both"], default="both")
    parser.add_argument("collections", nargs="*")
    chosen = parser.parse_intermixed_args()
    chosen.place.mkdir(parents=True, exist_ok=True)
    place = chosen.place.resolve()
    known = {"foldoc-headwords": foldoc_headwords, "foldoc-references": foldoc_references, "handbook": handbook,
             "notes": notes, "pages": pages}
    for name in chosen.collections or known:
        folder, questions = known[name](place)
        half = lambda question: "seen" if hashlib.sha256(question.encode()).hexdigest()[0] < "8" else "unseen"
        questions = [item for item in questions if chosen.half in (half(item[0]), "both")]
        print(name, len(questions), "questions")
        answers = ask(chosen.ask.resolve(), place / f"index-{name}", folder, questions)
        groups = collections.defaultdict(list)
        for (question, right, *source), found in zip(questions, answers):
            # The text that a question was taken from is no answer.
            found = [path for path in found if path not in source]
            rank = next((at for at, path in enumerate(found, 1) if path in right), None)
            group = next(iter(right)).partition("/")[0] if name == "handbook" else "all"
            for key in {group, "all"}:
                groups[key].append(rank)
        for key, ranks in sorted(groups.items()):
            gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank and rank <= 10) / len(ranks)
            mean = sum(1 / rank for rank in ranks if rank) / len(ranks)
            first = sum(rank == 1 for rank in ranks) / len(ranks)
            deep = sum(bool(rank) for rank in ranks) / len(ranks)
            print(f"  {key}: {len(ranks)}, nDCG@10 {gain:.3f}, MRR {mean:.3f}, first {first:.3f}, among 100 {deep:.3f}")


main()
