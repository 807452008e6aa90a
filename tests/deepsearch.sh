#!/usr/bin/env bash
# Runs DeepSearch in both modes over Debian's documentation of Python, SQLite and PostgreSQL, on the embedded model with
# small limits, and checks that every citation resolves to a stored span and carries a verdict.
#
#   tests/deepsearch.sh [DIR]     DIR keeps the documents and the results; a temporary directory otherwise
set -euo pipefail
cd "$(dirname "$0")/.."
place=${1:-$(mktemp -d)}
mkdir -p "$place"
place=$(cd "$place" && pwd)
question="How do Python, SQLite and PostgreSQL differ in what they promise about a transaction after a crash?"

. tests/documents.sh
fetch_documents "$place" python
corpora=()
for folder in "$place"/root/usr/share/doc/python3*/html "$place"/root/usr/share/doc/sqlite3 \
  "$place"/root/usr/share/doc/postgresql-doc-*/html; do
  # A link is the same folder again.
  [ -L "$folder" ] || corpora+=(--corpus "$folder")
done

for mode in parallel dependency_driving; do
  started=$SECONDS
  rm -rf "$place/$mode"
  GRAPHLOOM_HOME="$place/home" cargo run -q --bin deepsearch -- "$question" \
    "${corpora[@]}" --yes --model embedded --out "$place/$mode" --set execution_method=$mode \
    --set outliner_max_section_num=2 --set workflow_max_plan_executed_num=1 --set planner_max_step_num=1 \
    --set info_collector_max_research_loops=1 --set visualization_enable=false >/dev/null
  echo "deepsearch $mode: $((SECONDS - started)) s"
  python3 - "$place/$mode" <<'PY'
import json, re, sys
out = sys.argv[1]
result = json.load(open(f"{out}/final_result.json", encoding="utf-8"))
run = json.load(open(f"{out}/run.json", encoding="utf-8"))
page = open(f"{out}/report.html", encoding="utf-8").read()
citations = {c["id"]: c for c in result["citation_messages"]["data"]}
marks = [int(m) for m in re.findall(r"\[checked_citation:(\d+)\]", result["response_content"])]
assert marks and set(marks) == set(citations), (marks, sorted(citations))
for citation in citations.values():
    assert citation["verdict"] in ("supported", "contradicted", "not_found", "not_checked"), citation
    assert citation["evidence_id"] and citation["content"], citation
    if citation["verdict"] == "supported":
        assert citation["span"] and "<mark>" in citation["content"], citation
assert run["status"] == "done" and len(run["sections"]) >= 1, run
assert "<html" in page and "<script" not in page
print(f'  {run["words"]} words, citations {run["citations"]}, {run["measured"]["spent"]["calls"]} calls')
PY
done
