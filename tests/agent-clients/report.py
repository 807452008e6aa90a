"""Runs the example of a page that has a report written, and checks the report.

    report.py PAGE ADDRESS DOCUMENTS    the server at ADDRESS searches the folder DOCUMENTS

The example is the block of `python` that names DeepSearch. Its report must cite, each mark must be listed, each listed document
be there, and each citation be supported by words of it. Then the same research is watched while it goes on.
"""

import contextlib
import io
import json
import pathlib
import re
import sys
import time
import urllib.request
import uuid

page, address, folder = sys.argv[1:]
blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", pathlib.Path(page).read_text(), re.M | re.S)
[(example, shown)] = [block for block in blocks if 'RemoteGraph("deepsearch"' in block[0]]
lines = [line for line in example.splitlines() if line.strip()]
assert len(lines) <= 10, f"the example has {len(lines)} lines"

began = time.monotonic()
names, printed = {}, io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(compile(example.replace("http://127.0.0.1:2024", address), page, "exec"), names)
report = printed.getvalue()
took = time.monotonic() - began
# What the page shows of the report is in it: its headings, and what it cites.
for line in shown.splitlines():
    assert line in ("", "…") or line in report.splitlines(), f"{page} shows a line that was not printed: {line}\n{report}"

documents = pathlib.Path(folder)
texts = {f"{documents.name}/{path.relative_to(documents)}": path.read_text() for path in documents.rglob("*.md")}
body, _, listed = report.partition("\n# Reference Articles\n")
cited = set(re.findall(r"\\\[(\d+)\\\]", body))
references = dict(re.findall(r"^\[(\d+)\]\. .*`(.+)`$", listed, re.M))
assert cited and cited == set(references), f"marks {cited}, references {references}"
assert set(references.values()) <= set(texts), f"no such documents: {references}, of {sorted(texts)}"


def words(text):
    """The words of a text, whatever its marks and breaks."""
    return " ".join(re.findall(r"\w+", text))


thread = names["thread"]["configurable"]["thread_id"]
with urllib.request.urlopen(f"{address}/threads/{thread}/artifacts/final_result.json") as answer:
    citations = json.load(answer)["citation_messages"]["data"]
assert {str(citation["reference_index"]) for citation in citations} == cited
for citation in citations:
    assert citation["verdict"] == "supported", citation
    [marked] = re.findall(r"<mark>(.*?)</mark>", citation["content"], re.S)
    assert words(marked) in words(texts[citation["url"]]), f"{citation['url']} does not say: {marked}"
    assert words(marked) in words(body), f"the report does not say: {marked}"

# Watched, the work is told before its end, by whom.
thread = {"configurable": {"thread_id": str(uuid.uuid4())}}
config = {**names["config"], "outline_interaction_enabled": False}
expected, agents = ["outline", "plan_reasoning", "collector_supervisor"], []
stream = names["graph"].stream(
    {"query": "Can a handler have two extractors that consume the body?"},
    thread, context={"config": config}, stream_mode=["values", "custom"], subgraphs=True,
)
for namespace, mode, data in stream:
    if mode == "custom":
        assert namespace, data
        # Counts of calls have no author.
        agent = data["payload"].get("agent")
        if agent in expected and agent not in agents:
            agents.append(agent)
        if agents == expected:
            break
    elif not namespace:
        assert len(data["messages"]) < 2, f"the report was told before {agents}"
assert agents == expected, agents
print(f"{page}: a report with {len(citations)} supported citations of {len(references)} documents in {took:.0f} s")
