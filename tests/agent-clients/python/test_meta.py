"""The server's own routes, and what browsers need."""

import pytest


async def test_ok_says_that_the_server_is_up(wire):
    answer = await wire.get("/ok")
    assert answer.status_code == 200
    assert answer.json()["ok"] is True


async def test_ok_can_probe_the_stores(wire):
    answer = await wire.get("/ok", params={"check_db": "1"})
    assert (answer.status_code, answer.json()["ok"]) == (200, True)


async def test_info_names_the_version_and_what_the_server_can_do(wire):
    info = (await wire.get("/info")).json()
    assert info["version"]
    assert info["flags"]["assistants"] is True
    assert info["flags"]["crons"] is True


async def test_info_says_that_strict_resume_is_honoured(wire):
    assert (await wire.get("/info")).json()["flags"]["strict_resume"] is True


async def test_the_root_answers_like_ok(wire):
    answer = await wire.get("/")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)


async def test_metrics_are_prometheus_text(wire):
    answer = await wire.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert "# TYPE" in answer.text


async def test_metrics_are_json_when_asked(wire):
    answer = await wire.get("/metrics", params={"format": "json"})
    assert answer.status_code == 200
    assert isinstance(answer.json(), dict)


async def test_the_open_api_document_lists_the_main_routes(wire):
    document = (await wire.get("/openapi.json")).json()
    assert document["openapi"].startswith("3.")
    for route in ("/assistants/search", "/threads", "/threads/search", "/threads/{thread_id}/runs/stream", "/runs/wait", "/store/items"):
        assert route in document["paths"], route


async def test_the_documentation_is_a_page(wire):
    answer = await wire.get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_a_browser_may_use_every_method(wire, method):
    answer = await wire.options(
        "/threads",
        headers={"Origin": "http://127.0.0.1:3000", "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "x-api-key,content-type"},
    )
    assert answer.status_code == 200
    assert method in answer.headers["access-control-allow-methods"]
    assert "x-api-key" in answer.headers["access-control-allow-headers"].lower()


async def test_a_browser_sees_the_headers_of_pages_and_runs(wire):
    answer = await wire.post("/threads/search", json={"limit": 1}, headers={"Origin": "http://127.0.0.1:3000"})
    exposed = answer.headers["access-control-expose-headers"].lower()
    for header in ("x-pagination-total", "x-pagination-next", "content-location"):
        assert header in exposed


async def test_a_browser_sees_where_a_stream_can_be_taken_up(wire):
    answer = await wire.post("/threads/search", json={"limit": 1}, headers={"Origin": "http://127.0.0.1:3000"})
    exposed = [name.strip() for name in answer.headers["access-control-expose-headers"].lower().split(",")]
    assert "location" in exposed


async def test_a_path_that_is_not_served_is_not_found(wire):
    answer = await wire.get("/no/such/path")
    assert answer.status_code == 404


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/threads"), ("PUT", "/runs/wait"), ("GET", "/assistants/search/x/y")])
async def test_a_wrong_method_or_path_is_refused_without_a_fault(wire, method, path):
    answer = await wire.request(method, path)
    assert answer.status_code in (404, 405, 422)


async def test_a_wrong_method_says_so(wire):
    answer = await wire.delete("/threads")
    assert answer.status_code == 405
    assert answer.text.find("Method Not Allowed") >= 0
