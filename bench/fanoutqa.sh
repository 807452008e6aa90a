#!/bin/sh
# Runs the dependency-driven team of DeepSearch in virtual time over the gold decompositions of FanOutQA (its data are
# under CC-BY-SA 4.0 and are fetched, not kept here).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
place=${FANOUTQA_DIR:-$(mktemp -d)}
if [ ! -f "$place/fanoutqa/data/fanout-final-dev.json" ]; then
    python3 -m pip download --quiet --no-deps --dest "$place" fanoutqa==1.1.1
    python3 -m zipfile -e "$place"/fanoutqa-1.1.1-py3-none-any.whl "$place"
fi
file=$(find "$place" -name 'fanout-final-dev.json' | head -n 1)
cd "$here"
exec cargo run --quiet -p graphloom-deepsearch --example fanout_schedules -- "$file"
