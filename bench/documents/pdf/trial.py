"""Compares PDF libraries on files that others wrote.

Usage: trial.py PROGRAM [--reader PROGRAM] [--cases DIR] [--clones DIR] [--half seen|unseen|both] [LIBRARY...]

PROGRAM is the program of `trial/`, built with `--release`; that of --reader is the example `read_pdf` of `graphloom-retrieval`,
which is the LIBRARY `graphloom`: what a corpus makes of the file. DIR of --cases is where the files of files.tsv are put: those of
Debian packages are fetched with `apt-get download`, those of repositories are read from clones, which --clones holds as
`owner+name` (a bare clone, or one with `repo` in it).

The reference is `pdftotext` of poppler, with `-layout` and without it; the nearer one counts, because the first reads
across columns and the second takes tables apart. `words` is F1 of the words, `order` F1 of the pairs of neighbouring
words, `hyphens` the words that `pdftotext -raw` has broken at an end of line, and how many of them are broken in the text, by a line
end or by a space behind the hyphen; `seconds` processor time, `MB` the largest memory.
A file is in the seen half if its hash begins with 0 to 7.
"""
import argparse, collections, csv, gzip, hashlib, io, os, pathlib, re, resource, subprocess, sys, tarfile, tempfile, threading

HERE = pathlib.Path(__file__).parent
LIBRARIES = ["pdf-extract", "oxidize-pdf", "pdf_oxide", "unpdf", "graphloom"]
LETTER = "[^\\W\\d_]"
SECONDS, MEMORY = 60, 4 << 30


def fetch(cases, clones):
    rows = list(csv.DictReader(open(HERE / "files.tsv"), delimiter="\t"))
    cases.mkdir(parents=True, exist_ok=True)
    for row in rows:
        row["file"] = cases / (row["sha256"][:16] + ".pdf")
        if row["file"].exists():
            continue
        kind, _, source = row["source"].partition(":")
        if kind == "debian":
            data = of_package(cases, source, row["path"])
        else:
            name, _, commit = source.partition("@")
            clone = clones / name.replace("/", "+")
            clone = clone / "repo" if (clone / "repo").exists() else clone
            data = subprocess.check_output(["git", "-C", clone, "show", f"{commit}:{row['path']}"])
        assert hashlib.sha256(data).hexdigest() == row["sha256"], f"{row['path']} is another file"
        row["file"].write_bytes(data)
    return rows


def of_package(cases, source, path):
    name = source.partition("=")[0]
    held = list(cases.glob(f"{name}_*.deb"))
    if not held:
        subprocess.check_call(["apt-get", "download", source], cwd=cases, stdout=subprocess.DEVNULL)
        held = list(cases.glob(f"{name}_*.deb"))
    tar = subprocess.check_output(["dpkg-deb", "--fsys-tarfile", held[0]])
    data = tarfile.open(fileobj=io.BytesIO(tar)).extractfile("./" + path).read()
    return gzip.decompress(data) if path.endswith(".gz") else data


def run(command):
    """The output, how it ended, processor seconds, and megabytes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors, preexec_fn=limit)
        watch = threading.Timer(4 * SECONDS, process.kill)
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), errors.seek(0)
        text, said = out.read().decode("utf-8", "replace"), errors.read().decode("utf-8", "replace")
    code = process.returncode
    ended = "ok" if code == 0 else "panic" if code == 101 else "killed" if code < 0 else "refused"
    return text, ended, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said.strip().split("\n")[-1][:100]


def words(text):
    text = re.sub(r"(?<=[a-zäöüßéèàçñа-я])[-\u00ad\u2010]\n\s*(?=[a-zäöüßéèàçñа-я])", "", text)
    runs = re.findall(r"[^\W_]+", text.lower())
    found = []
    for word in runs:
        # Scripts without spaces count by character.
        found += re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", word)
    return found


def cut(text, end):
    """The pairs of parts of words between which there is a hyphen and `end`, with the number of each. Between small letters: a
    hyphen before a capital belongs to its word."""
    found = re.findall(rf"({LETTER}+)[-\u00ad\u2010]{end}[ \t]*({LETTER}+)", text)
    return collections.Counter(pair for pair in found if pair[0][-1].islower() and pair[1][0].islower())


def f1(one, other):
    one, other = collections.Counter(one), collections.Counter(other)
    both = sum((one & other).values())
    return 2 * both / max(1, sum(one.values()) + sum(other.values()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--reader")
    parser.add_argument("--cases", type=pathlib.Path, default=pathlib.Path("pdf-cases"))
    parser.add_argument("--clones", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--half", choices=["seen", "unseen", "both"], default="seen")
    parser.add_argument("libraries", nargs="*")
    chosen = parser.parse_intermixed_args()
    totals = collections.defaultdict(list)
    for row in fetch(chosen.cases, chosen.clones):
        half = "seen" if row["sha256"][0] < "8" else "unseen"
        if chosen.half not in (half, "both"):
            continue
        texts = [run(["pdftotext", *how, row["file"], "-"])[0] for how in (["-layout"], [])]
        references = [words(text) for text in texts]
        known_cut = cut(run(["pdftotext", "-raw", row["file"], "-"])[0], r"\n")
        for library in chosen.libraries or LIBRARIES:
            command = [chosen.reader] if library == "graphloom" else [chosen.program, library]
            text, ended, seconds, memory, said = run([*command, row["file"]])
            found = words(text)
            pairs = list(zip(found, found[1:]))
            reached = [(f1(pairs, zip(known, known[1:])), f1(found, known)) for known in references]
            order, bag = max(reached) if len(references[1]) > 1 else (float("nan"), float("nan"))
            broken = sum((cut(text, r"[ \n]") & known_cut).values())
            pages = text.count("\f")
            print(row["kind"], pathlib.Path(row["path"]).name, library, ended, pages, f"{bag:.3f}", f"{order:.3f}", f"{broken}/{sum(known_cut.values())}",
                  f"{seconds:.2f}", f"{memory:.0f}", said, sep="\t", flush=True)
            totals[library].append((ended, bag, order, broken, seconds, memory, sum(known_cut.values())))
    for library, results in totals.items():
        read = [result for result in results if result[1] == result[1]]
        ends = collections.Counter(result[0] for result in results)
        mean = lambda at: sum(result[at] for result in read) / max(1, len(read))
        low = sum(result[2] < 0.8 for result in read)
        print(f"# {library}: {dict(ends)}; words {mean(1):.3f}, order {mean(2):.3f}, below 0.8 in {low} of {len(read)}; "
              f"hyphens {sum(r[3] for r in results)} of {sum(r[6] for r in results)}; {sum(r[4] for r in results):.1f} s; at most {max(r[5] for r in results):.0f} MB")


main()
