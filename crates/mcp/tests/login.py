"""An MCP server at an address of this machine that asks for a login, and the one who gives it: for what the published
example does not show, tokens that are exchanged and taken back. It is no server that anybody would use.

    login.py FILE [HOW...]

It prints its port, and writes down each request with its authorization into FILE. HOW:
one      a new token ends those before it
secret   a client is given a secret, and is known by it alone
deny     nobody is logged in
plain    it publishes that tokens are given over plain http at another host
silent   it asks for a login and publishes nothing about one
"""

import base64
import hashlib
import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

FILE, HOW = sys.argv[1], sys.argv[2:]
clients, codes, tokens, renewals = {}, {}, set(), set()


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def heard(self, body):
        with open(FILE, "a") as file:
            line = {"path": self.path, "authorization": self.headers.get("authorization"), "body": body}
            file.write(json.dumps(line) + "\n")

    def do_DELETE(self):
        self.answer(200)

    def do_GET(self):
        self.heard("")
        address = urlsplit(self.path)
        here = f"http://127.0.0.1:{self.server.server_port}"
        if address.path == "/.well-known/oauth-protected-resource/mcp" and "silent" not in HOW:
            self.answer(200, {"resource": f"{here}/mcp", "authorization_servers": [here], "scopes_supported": ["notes"]})
        elif address.path == "/.well-known/oauth-authorization-server" and "silent" not in HOW:
            token = "http://login.invalid/token" if "plain" in HOW else f"{here}/token"
            self.answer(200, {
                "issuer": here, "authorization_endpoint": f"{here}/authorize", "token_endpoint": token,
                "registration_endpoint": f"{here}/register", "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            })
        elif address.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(address.query).items()}
            back = {"state": asked["state"]}
            if "deny" in HOW:
                back |= {"error": "access_denied", "error_description": "not today"}
            else:
                back["code"] = uuid.uuid4().hex
                codes[back["code"]] = asked
            self.answer(302, location=f"{asked['redirect_uri']}?{urlencode(back)}")
        elif address.path == "/end":
            tokens.clear()
            renewals.clear()
            self.answer(200)
        else:
            self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        self.heard(body)
        if self.path == "/register" and "silent" not in HOW:
            client = json.loads(body) | {"client_id": uuid.uuid4().hex}
            if "secret" in HOW:
                client["client_secret"] = uuid.uuid4().hex
            clients[client["client_id"]] = client
            self.answer(201, client)
        elif self.path == "/token":
            self.token({name: values[0] for name, values in parse_qs(body).items()})
        elif self.path == "/mcp":
            self.mcp(json.loads(body))
        else:
            self.answer(404)

    def token(self, asked):
        if "secret" in HOW:
            word, _, pair = self.headers.get("authorization", "").partition(" ")
            name, _, secret = base64.b64decode(pair).decode().partition(":") if word == "Basic" else ("", "", "")
            if clients.get(name, {}).get("client_secret") != secret:
                return self.answer(401, {"error": "invalid_client"})
        if asked["grant_type"] == "authorization_code":
            code = codes.pop(asked["code"], None)
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if code is None or code["code_challenge"] != challenge or code["redirect_uri"] != asked["redirect_uri"]:
                return self.answer(400, {"error": "invalid_grant"})
            if code.get("resource") != f"http://127.0.0.1:{self.server.server_port}/mcp":
                return self.answer(400, {"error": "invalid_target"})
        elif asked["refresh_token"] in renewals:
            # One that was used once is worth nothing.
            renewals.remove(asked["refresh_token"])
        else:
            return self.answer(400, {"error": "invalid_grant"})
        token, renewal = "t-" + uuid.uuid4().hex, "r-" + uuid.uuid4().hex
        if "one" in HOW:
            tokens.clear()
        tokens.add(token)
        renewals.add(renewal)
        self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": renewal,
                          "scope": "notes"})

    def mcp(self, message):
        word, _, token = self.headers.get("authorization", "").partition(" ")
        if word != "Bearer" or token not in tokens:
            return self.answer(401, {"error": "invalid_token"}, www_authenticate='Bearer error="invalid_token"')
        if "id" not in message:
            return self.answer(202)
        tool = {"name": "note", "description": "A note.", "inputSchema": {"type": "object", "properties": {}},
                "annotations": {"readOnlyHint": True}}
        result = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "login", "version": "1"}},
            "tools/list": {"tools": [tool]},
            "tools/call": {"content": [{"type": "text", "text": "high tide at ten"}]},
        }.get(message["method"])
        if result is None:
            error = {"code": -32601, "message": "no such method"}
            return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
print(server.server_port, flush=True)
server.serve_forever()
