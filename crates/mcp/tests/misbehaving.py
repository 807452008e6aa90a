"""An MCP server for tests that behaves as badly as its first argument says. It is no server that anybody would use."""

import json
import os
import signal
import subprocess
import sys
import time

HOW = sys.argv[1]
# A file in which it writes down what the client said.
HEARD = sys.argv[2] if len(sys.argv) > 2 else os.devnull
OBJECT = {"type": "object", "properties": {}}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def heard(line):
    with open(HEARD, "a") as file:
        file.write(line + "\n")


def tool(name, **more):
    return {"name": name, "description": name, "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}, **more}


def tools():
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    found = [
        tool("fine"), tool("exit"), tool("raise"), tool("hang"), tool("gone"), tool("gone_result"), tool("grow"),
        tool("nothing"), tool("wait"), tool("notice"),
        tool("huge", inputSchema={**number, "required": []}),
        tool("lie", outputSchema=number), tool("mute", outputSchema=number),
        tool("strict", inputSchema=number),
        tool("silent_about_risk", annotations=None),
    ]
    if HOW == "schemas":
        found = [
            tool("broken", inputSchema={"type": "object", "properties": {"a": {"type": 12}}}),
            tool("list", inputSchema={"type": "array"}),
            tool("odd", inputSchema={"type": "object", "properties": {"file name": {"type": "string"}},
                                     "required": ["file name"]}),
            tool("a/name that.no provider: takes " + "x" * 100),
            tool("fine"), tool("fine"),
            tool("hidden", description="Reads.\U000e0041\U000e0042"),
        ]
    if os.path.exists(HEARD) and "grown" in open(HEARD).read():
        found.append(tool("grown"))
    return found


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def called(identifier, name, arguments):
    answer = lambda result: send({"id": identifier, "result": result})
    if name in ("fine", "strict", "silent_about_risk"):
        answer(text("fine"))
    elif name == "odd":
        answer(text("got " + json.dumps(arguments)))
    elif name == "exit":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    elif name == "raise":
        raise RuntimeError("a bug of this server")
    elif name == "hang":
        heard("hang")
    elif name == "wait":
        heard("begin")
        if "together" in arguments:
            # It ends once so many calls have begun, of whichever server that writes into this file.
            while open(HEARD).read().count("begin") < arguments["together"]:
                time.sleep(0.01)
        else:
            # As long as a call takes that another one would overlap.
            time.sleep(0.3)
        heard("end")
        answer(text("waited"))
    elif name == "gone":
        send({"id": identifier, "error": {"code": -32602, "message": "tool not found"}})
    elif name == "gone_result":
        answer({**text("MCP error -32602: Tool gone_result not found"), "isError": True})
    elif name == "huge":
        answer(text("x" * arguments.get("n", 50_000_000)))
    elif name == "lie":
        answer({**text("{}"), "structuredContent": {"n": "three"}})
    elif name == "mute":
        answer(text("no data"))
    elif name == "nothing":
        answer({})
    elif name == "notice":
        sys.stdout.write("this line is no message\n")
        print("\x1b[31mred\x1b[0m words", file=sys.stderr, flush=True)
        send({"method": "notifications/message", "params": {"level": "info", "data": "a line of the log"}})
        answer(text("noticed"))
    elif name == "grow":
        heard("grown")
        send({"method": "notifications/tools/list_changed"})
        answer(text("grown"))
    else:
        answer({**text("there is no such thing"), "isError": True})


def main():
    if HOW == "dies":
        print("no licence found", file=sys.stderr, flush=True)
        sys.exit(7)
    if HOW == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import signal, time\n"
                                  "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        heard(f"{os.getpid()} {child.pid}")
    if HOW == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    heard("env " + " ".join(sorted(os.environ)))
    for line in sys.stdin:
        message = json.loads(line)
        method, identifier = message.get("method"), message.get("id")
        if HOW == "mute":
            continue
        if method == "initialize":
            send({"id": identifier, "result": {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "misbehaving", "version": "1"}}})
        elif method == "tools/list" and HOW == "pages":
            send({"id": identifier, "result": {"tools": [tool(f"t{identifier}")], "nextCursor": f"more{identifier}"}})
        elif method == "tools/list":
            send({"id": identifier, "result": {"tools": tools()}})
        elif method == "tools/call":
            called(identifier, message["params"]["name"], message["params"].get("arguments", {}))
        elif method == "notifications/cancelled":
            heard("cancelled")
        elif identifier is not None:
            send({"id": identifier, "result": {}})
    if HOW == "stubborn":
        time.sleep(600)


main()
