// A server between the page and the program, for what the demo graphs do not say by themselves: it changes the JSON of
// answers and of events on their way to the page. All else passes as it is.

import { once } from "node:events";
import { createServer, request } from "node:http";

/**
 * `change` gets every JSON value that the program answers and the path that was asked, and answers what the page is to see.
 */
export async function between(served, change) {
  const { hostname, port } = new URL(served.url);
  const changed = (text, path) => {
    try {
      return JSON.stringify(change(JSON.parse(text), path));
    } catch {
      return text;
    }
  };
  const server = createServer((asked, answer) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers };
    delete headers["accept-encoding"];
    const further = request({ hostname, port, path, method, headers }, (given) => {
      const type = given.headers["content-type"] ?? "";
      if (!/json|event-stream/.test(type)) {
        answer.writeHead(given.statusCode, given.headers);
        given.pipe(answer);
        return;
      }
      const { "content-length": _, ...kept } = given.headers;
      answer.writeHead(given.statusCode, kept);
      given.setEncoding("utf8");
      let rest = "";
      const isStream = type.includes("event-stream");
      given.on("data", (text) => {
        rest += text;
        if (!isStream) return;
        const lines = rest.split("\n");
        rest = lines.pop();
        for (const line of lines)
          answer.write(`${line.replace(/^data: ?(.*)$/s, (_, data) => `data: ${changed(data, path)}`)}\n`);
      });
      given.on("end", () => answer.end(isStream ? rest : changed(rest, path)));
      given.on("error", () => answer.destroy());
    });
    further.on("error", () => answer.destroy());
    answer.on("close", () => further.destroy());
    asked.pipe(further);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    studio: (view = "") => `${url}/studio/${view}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A change of every object in a JSON value, from the inside out. */
export function everywhere(value, change) {
  if (Array.isArray(value)) return value.map((item) => everywhere(item, change));
  if (value === null || typeof value !== "object") return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, everywhere(inner, change)])));
}
