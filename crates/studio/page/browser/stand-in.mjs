// A server that stands before a real one: it answers for one thread what it was given, and hands on all other requests.

import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { setImmediate } from "node:timers/promises";

/** Starts it; answers its address and how to stop it. */
export async function standIn(served, { record, runs, events, state }) {
  const path = `/threads/${record.thread_id}`;
  const texts = new Texts(state);
  const answers = {
    [`GET ${path}`]: () => JSON.stringify(record),
    [`GET ${path}/runs`]: () => JSON.stringify(runs),
    [`POST ${path}/state/checkpoint`]: ({ select }) => (select === undefined ? texts.of([]) : texts.selected(select)),
  };
  const frames = events.map((event) => [
    event.seq,
    `event: ${event.method}\r\ndata: ${JSON.stringify(event)}\r\nid: ${event.seq}\r\n\r\n`,
  ]);
  const server = createServer(async (request, response) => {
    const what = `${request.method} ${request.url.split("?", 1)[0]}`;
    if (answers[what] !== undefined) {
      const answer = answers[what](await bodyOf(request));
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    } else if (what === `POST ${path}/stream/events`) {
      const { since = 0 } = await bodyOf(request);
      response.writeHead(200, { "content-type": "text/event-stream" });
      await tell(response, frames.filter(([seq]) => seq > since));
    } else {
      const onward = ask(served.url + request.url, { method: request.method, headers: request.headers }, (from) => {
        response.writeHead(from.statusCode, from.headers);
        from.pipe(response);
      });
      onward.on("error", () => response.destroy());
      request.pipe(onward);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

async function bodyOf(request) {
  let body = "";
  for await (const piece of request) body += piece;
  return body === "" ? {} : JSON.parse(body);
}

/** A state and what is in it as texts, which are made beforehand: to make them takes longer than to send them. */
class Texts {
  #state;
  #known = new Map();

  constructor(state) {
    this.#state = state;
    for (const field of Object.keys(state.values)) this.of(["values", field]);
    for (const field of Object.keys(state.values.tree)) this.of(["values", "tree", field]);
  }

  /** The text of what is at a path. */
  of(path) {
    const key = path.join(".");
    if (!this.#known.has(key)) this.#known.set(key, JSON.stringify(path.reduce((of, name) => of?.[name], this.#state)));
    return this.#known.get(key);
  }

  /** The text of the parts that are asked for, by their paths. */
  selected(paths) {
    const inside = (names, path) => {
      const heads = [...new Set(names.map(([head]) => head))];
      const fields = heads.flatMap((head) => {
        const deeper = names.filter(([first]) => first === head).map(([, ...rest]) => rest);
        const at = [...path, head];
        const text = deeper.some((rest) => rest.length === 0) ? this.of(at) : inside(deeper, at);
        return text === undefined ? [] : [`${JSON.stringify(head)}:${text}`];
      });
      return `{${fields.join(",")}}`;
    };
    return inside(paths.map((path) => path.split(".")), []);
  }
}

/** Sends frames as fast as they are taken, some at a time. The stream stays open, as of a thread on which more may run. */
async function tell(response, frames) {
  const SOME = 50;
  const closed = once(response, "close");
  for (let at = 0; at < frames.length && !response.destroyed; at += SOME) {
    const text = frames.slice(at, at + SOME).map(([, frame]) => frame).join("");
    if (!response.write(text)) {
      const drained = new Promise((resolve) => response.once("drain", resolve));
      await Promise.race([drained, closed]);
    }
    // Other requests have their turn.
    await setImmediate();
  }
}
