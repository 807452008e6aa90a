#!/usr/bin/env bash
# Makes a report with charts, provenance and every kind of verdict on a scripted model, and looks at its page in Chromium:
# light, dark, on a phone and in print. Needs `chromium` and `chromedriver` (Debian: chromium, chromium-driver), and
# installs nothing.
#
#   tests/page.sh [DIR]     DIR keeps the report and the screenshots; a temporary directory otherwise
set -euo pipefail
cd "$(dirname "$0")/.."
kept=${1:-}
place=${kept:-$(mktemp -d)}
mkdir -p "$place"
place=$(cd "$place" && pwd)
[ -n "$kept" ] || trap 'rm -rf "$place"' EXIT
for program in "${CHROMIUM:-chromium}" "${CHROMEDRIVER:-chromedriver}" python3; do
  command -v "$program" >/dev/null || { echo "tests/page.sh needs \`$program\`" >&2; exit 1; }
done

# The model is a script, so that the report is the same every time.
GRAPHLOOM_HOME="$place/home" ${PAGE_CARGO:-cargo} run -q --bin deepsearch -- \
  "How does a log keep a transaction safe when the power fails?" --corpus tests/page/corpus \
  --model scripted:tests/page/script.jsonl --yes --out "$place/report" --set outliner_max_section_num=2 \
  --set workflow_max_plan_executed_num=1 --set planner_max_step_num=1 --set info_collector_max_research_loops=1 \
  --set info_collector_initial_search_query_count=1 >/dev/null

python3 tests/page/check.py "$place/report" "$place/screenshots"
