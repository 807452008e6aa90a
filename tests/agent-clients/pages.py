"""Runs the examples of a page against a server, and compares what they print with what the page says.

    pages.py PAGE ADDRESS PYTHON PACKAGES    PACKAGES is a folder of node with the clients

A block of `sh`, `python` or `js` that names the address http://127.0.0.1:2024 is run with ADDRESS in its place. A block of `text`
right behind it is what it prints. Blocks that name an application are left to `report.py`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

page, address, python, packages = sys.argv[1:]
blocks = re.findall(r"^```(\w+)\n(.*?)^```\n(?=(\n```text\n(.*?)^```)?)", pathlib.Path(page).read_text(), re.M | re.S)
run = failed = 0
for language, text, _, expected in blocks:
    if language not in ("sh", "python", "js") or "http://127.0.0.1:2024" not in text:
        continue
    # The applications have a server of their own; `report.py` runs what needs one.
    if "deepsearch" in text:
        continue
    run += 1
    text = text.replace("http://127.0.0.1:2024", address)
    if language == "sh":
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60)
    elif language == "python":
        done = subprocess.run([python, "-c", text], capture_output=True, text=True, timeout=60)
    else:
        # The page names the package as everybody does; here both lines of it are installed under names of their own.
        text = text.replace("@langchain/langgraph-sdk", "langgraph-sdk-1")
        with tempfile.NamedTemporaryFile("w", suffix=".mjs", dir=packages) as file:
            file.write(text)
            file.flush()
            done = subprocess.run(["node", file.name], capture_output=True, text=True, timeout=60)
    if done.returncode or (expected and done.stdout.strip() != expected.strip()):
        failed += 1
        print(f"--- of {page}:\n{text}--- printed:\n{done.stdout}{done.stderr}--- the page says:\n{expected}")
print(f"{page}: {run - failed} of {run} examples do what the page says")
sys.exit(1 if failed or not run else 0)
