#!/usr/bin/env bash
# One request to each program on the embedded model, and what a program can tell of the results: no sentence twice, no heading
# or sentence that repeats the request, each part of it answered or named as unanswered. What a reader can tell besides is
# measured by `bench/results.sh`.
#
#   tests/results.sh REPORT DEEPSEARCH     REPORT is what the README's main command wrote, DEEPSEARCH the folder of
#                                          tests/deepsearch.sh
set -euo pipefail
cd "$(dirname "$0")/.."
report=$1 deepsearch=$2
. tests/result_of.sh
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cargo build -q --bin obsius --bin pocketflow --bin graphloom-bench
programs=${CARGO_TARGET_DIR:-target}/debug
export GRAPHLOOM_HOME="${GRAPHLOOM_HOME:-$place/home}"
look() { "$programs/graphloom-bench" --result "$1" "$2"; }
ask() {
  result_of "$1" "$2" docs "$place/$1" "$programs" || { cat "$place/$1.log"; exit 1; }
  look "$2" "$place/$1.md" || { cat "$place/$1.md"; exit 1; }
}

look "$(sed -n 's/^cargo run --bin writehere -- report "\(.*\)" --corpus docs --length 300 .*$/\1/p' README.md)" "$report"
question=$(sed -n 's/^question="\(.*\)"$/\1/p' tests/deepsearch.sh)
for mode in parallel dependency_driving; do look "$question" "$deepsearch/$mode/report.md"; done
ask obsius "What do my notes say about leases and when is an event lost?"
ask pocketflow "I want to study how a durable workflow goes on after its process was killed"
