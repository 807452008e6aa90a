#!/usr/bin/env bash
# Runs the twenty requests of bench/src/results/requests.tsv on the embedded model, five for each program, over Debian's
# documents of SQLite and PostgreSQL; prints what a program can tell of the results, and writes a sheet for a reader.
#
#   bench/results.sh [DIR] [NUMBER]...     DIR keeps documents and results; NUMBER runs those requests only
set -euo pipefail
cd "$(dirname "$0")/.."
place=${1:-$(mktemp -d)}
mkdir -p "$place/results"
place=$(cd "$place" && pwd)
shift || true
. tests/documents.sh
. tests/result_of.sh
fetch_documents "$place"
cargo build --release -q -p graphloom-writehere-cli -p graphloom-deepsearch-cli -p graphloom-obsius-cli -p graphloom-pocketflow-cli -p graphloom-bench
programs=${CARGO_TARGET_DIR:-target}/release
export GRAPHLOOM_HOME="${GRAPHLOOM_HOME:-$place/home}"
number=0
while IFS=$'\t' read -r program corpus request; do
  number=$((number + 1))
  if [ $# -gt 0 ] && [[ " $* " != *" $number "* ]]; then continue; fi
  started=$SECONDS
  id=$(printf %02d "$number")
  case $corpus in
    sqlite) folder=$(echo "$place"/root/usr/share/doc/sqlite3) ;;
    postgresql) folder=$(echo "$place"/root/usr/share/doc/postgresql-doc-[0-9]*/html) ;;
    *) echo "request $number: there is no corpus $corpus"; exit 1 ;;
  esac
  if ! result_of "$program" "$request" "$folder" "$place/results/$id" "$programs" </dev/null; then
    echo "$id $program: it failed, see $place/results/$id.log"
    : >"$place/results/$id.md"
  fi
  echo "$id $program: $((SECONDS - started)) s"
done <bench/src/results/requests.tsv
"$programs/graphloom-bench" --results "$place/results"
