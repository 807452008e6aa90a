"""The cases of the tests of the Python package json-repair, as lines of JSON: what is repaired, and what is to come of it.

    pip download json-repair==0.50.0 --no-binary :all: --no-deps    # the last source package that has its tests
    python3 bench/json_repair.py json_repair-0.50.0/tests [WITHOUT] > cases.jsonl
    JSON_REPAIR_CASES=$PWD/cases.jsonl cargo test -p graphloom-llm --lib published_cases -- --ignored --nocapture

A case is `assert repair_json(TEXT) == EXPECTED` with texts that are written out and without options. Those from which no object
and no array is to come are left out: nobody here asks a model for less. WITHOUT is another folder of tests, whose cases are left
out as well.
"""

import ast
import json
import pathlib
import sys


def cases(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert) and (case := case_of(node.test)) is not None:
                found[case[0]] = case[1]
    return found


def case_of(test):
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    call, expected = test.left, test.comparators[0]
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("repair_json", "loads")):
        return None
    options = {keyword.arg: keyword.value for keyword in call.keywords}
    if set(options) - {"return_objects"} or len(call.args) != 1:
        return None
    try:
        text, expected = ast.literal_eval(call.args[0]), ast.literal_eval(expected)
        if call.func.id == "repair_json" and not options:
            expected = json.loads(expected)
    except ValueError:
        return None
    return (text, expected) if isinstance(expected, (dict, list)) else None


without = cases(sys.argv[2]) if len(sys.argv) > 2 else {}
for text, expected in cases(sys.argv[1]).items():
    if text not in without:
        print(json.dumps({"text": text, "expected": expected}))
