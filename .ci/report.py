"""Checks what the README's main command wrote below `out`: a report that is done, long enough, and whose citations resolve."""
import json, re, sys
text = open("out/report.md", encoding="utf-8").read()
run = json.load(open("out/run.json", encoding="utf-8"))
body, _, listed = text.partition("\n## References")
cited = set(re.findall(r"\[(\d+)\]", body))
known = set(re.findall(r"^\[(\d+)\]", listed, re.M))
problems = []
if run["status"] != "done":
    problems.append(f"the run is {run['status']}: {run['explanation']}")
if len(body.split()) < 100:
    problems.append(f"the report has only {len(body.split())} words")
if not cited:
    problems.append("the report cites nothing")
if cited - known:
    problems.append(f"citations without a reference: {sorted(cited - known)}")
if "[reference:" in text:
    problems.append("a mark was never numbered")
if problems:
    sys.exit("\n".join(problems))
print(f"report: {len(body.split())} words, {len(known)} references, {run['calls']} calls")
