#!/bin/sh
# Measures the runtime, its Rust peers and LangGraph on the same shapes, one after another on this machine, and prints
# one table of ratios. Python packages go into an environment below the cache directory, nothing into the system.
#
# usage: bench/all.sh [--quick]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${GRAPHLOOM_BENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/graphloom-bench}
out=$cache/results
all=--all
[ "${1:-}" = --quick ] && all=
mkdir -p "$out"
cd "$here/.."

python=$cache/venv/bin/python
if ! "$python" -c 'import langgraph' 2>/dev/null; then
    python3 -m venv "$cache/venv"
    "$python" -m pip install --quiet langgraph==1.2.22 langgraph-checkpoint==4.3.2 \
        langgraph-checkpoint-sqlite==3.1.2 aiosqlite==0.22.1
fi

# Without the rows of documents, so that no search engine is built.
cargo build --release --quiet -p graphloom-bench --no-default-features
target=${CARGO_TARGET_DIR:-target}
(cd bench/peers && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/../target/peers} cargo build --release --quiet --locked)
peers=${CARGO_TARGET_DIR:-target/peers}

"$target/release/graphloom-bench" $all --json "$out/ours.jsonl"

# What a step asks of the disk when each commit survives the loss of power: the difference of a long run and a short
# one, so that making and closing the file do not count.
rm -f "$out/syncs.jsonl"
if command -v strace >/dev/null; then
    place=$(mktemp -d)
    for steps in 50 150; do
        strace -f -y -qq -e trace=fdatasync,fsync -o "$place/$steps.log" \
            "$target/release/graphloom-bench" --full "$place/$steps.db" "$steps" >"$place/$steps"
        grep -c -- '-wal>' "$place/$steps.log" >>"$place/$steps"
    done
    cat "$place/50" "$place/150" | tr '\n' ' ' | awk \
        '{ printf "{\"asked\": %d, \"commits\": %d, \"syncs\": %d}\n", $4 - $1, $5 - $2, $6 - $3 }' >"$out/syncs.jsonl"
    rm -rf "$place"
fi

echo
"$peers/release/graphloom-bench-peers" --json "$out/peers.jsonl"
echo
"$python" "$here/langgraph.py" --json "$out/langgraph.jsonl"
"$python" "$here/table.py" "$out/ours.jsonl" "$out/peers.jsonl" "$out/langgraph.jsonl" "$out/syncs.jsonl"
