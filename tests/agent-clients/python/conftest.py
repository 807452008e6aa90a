"""What all cases share: the server's address, its clients, and the list of what the reference gets wrong."""

import fnmatch
import os

import httpx
import pytest
from langgraph_sdk import get_client

import reference_fails

ADDRESS = os.environ.get("AGENT_SERVER", "")
KIND = os.environ.get("AGENT_SERVER_KIND", "")

# No client may report anywhere but to the server under test.
os.environ["LANGSMITH_TRACING"] = "false"
for key in ("LANGGRAPH_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"):
    os.environ.pop(key, None)


def pytest_configure(config):
    if not ADDRESS.startswith("http://"):
        pytest.exit("AGENT_SERVER must be the address of the server, such as http://127.0.0.1:2024", returncode=2)


def pytest_collection_modifyitems(items):
    if KIND != "reference":
        return
    unused = set(reference_fails.FAILS)
    for item in items:
        name = f"{item.path.stem}::{item.name}"
        for pattern, reason in reference_fails.ABSENT.items():
            if fnmatch.fnmatchcase(name, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))
        if name in reference_fails.SOMETIMES:
            item.add_marker(pytest.mark.xfail(reason=reference_fails.SOMETIMES[name], strict=False))
        if name in reference_fails.FAILS:
            unused.discard(name)
            item.add_marker(pytest.mark.xfail(reason=reference_fails.FAILS[name], strict=True))
    files = {item.path.stem for item in items}
    gone = sorted(name for name in unused if name.split("::")[0] in files)
    whole = not any(mark in " ".join(os.sys.argv) for mark in ("::", " -k", " -m", "alone"))
    if gone and whole:
        raise pytest.UsageError(f"reference_fails.py names cases that do not exist: {', '.join(gone)}")


@pytest.fixture(scope="session")
def address():
    """The server's address, without a slash at its end."""
    return ADDRESS.rstrip("/")


@pytest.fixture(scope="session")
async def client(address):
    """The Python client of LangGraph."""
    async with get_client(url=address, api_key=None) as client:
        yield client


@pytest.fixture(scope="session")
async def wire(address):
    """A plain HTTP client, for what the typed clients hide or refuse to send."""
    async with httpx.AsyncClient(base_url=address, timeout=45) as wire:
        yield wire


@pytest.fixture
async def thread(client):
    """The id of a new thread."""
    return (await client.threads.create())["thread_id"]
