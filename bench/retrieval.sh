#!/bin/sh
# Search by words and by words and meaning over collections with judged questions: bench/retrieval.sh FROM TO [COLLECTION ...]
# FROM holds what others wrote and labelled (bench/retrieval/data.py says what); TO gets the collections and their indexes.
set -eu
from=$1 to=$2
shift 2
python3 "$(dirname "$0")/retrieval/data.py" "$from" "$to/data"
exec cargo run --release -q -p graphloom-bench-retrieval -- "$to/data" "$to/indexes" "$@"
