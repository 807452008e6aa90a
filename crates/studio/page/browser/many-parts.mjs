// A text of thousands of tasks, made of a real one of tens: its parts, and all that was told of them, many times over.
//
// A server answers what it holds, and a stand-in what is made of that: the page is measured, and not how fast a server writes.

/** What a server holds of a text: the record, the runs, the events and the newest state of WriteHERE's own graph. */
export async function heldText(served, thread) {
  const path = `/threads/${thread}`;
  const record = await served.ask("GET", path);
  const runs = await served.ask("GET", `${path}/runs`);
  const events = await told(served, thread);
  const [{ params }] = events.filter(({ params }) => params.namespace.length === 1);
  const checkpoint = { checkpoint_ns: params.namespace[0] };
  const state = await served.ask("POST", `${path}/state/checkpoint`, { checkpoint });
  return { record, runs, events, state };
}

/** The events of a thread whose only run has ended. */
async function told(served, thread) {
  const channels = ["lifecycle", "tasks", "messages", "tools", "custom", "checkpoints", "input", "trace"];
  const ended = new AbortController();
  const response = await fetch(`${served.url}/threads/${thread}/stream/events`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ channels }),
    signal: ended.signal,
  });
  const events = [];
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\r\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) events.push(JSON.parse(line.slice(6)));
    const last = events.at(-1);
    if (last?.method === "lifecycle" && last.params.namespace.length === 0 && last.params.data.event !== "running") break;
  }
  ended.abort();
  return events;
}

/** The same text with `times` as many parts. */
export function manyParts({ record, runs, events, state }, times) {
  const values = { ...state.values, tree: tree(state.values.tree, times), calls: [] };
  const parts = state.values.tree.nodes.root.inner.nodes.length;
  for (let copy = 0; copy < times; copy += 1) {
    values.calls.push(...state.values.calls.map((call) => ({ ...call, node: moved(call.node, copy, parts) })));
  }
  const { finished } = state.values;
  values.finished = { ...finished, text: repeated(finished.text, times), words: finished.words * times };
  return { record, runs, events: tellings(events, times, parts), state: { ...state, values } };
}

/** The key of a task in a copy: the parts of the whole count on. */
function moved(key, copy, parts) {
  return key === "root" ? key : key.replace(/^\d+/, (part) => String(Number(part) + copy * parts));
}

function repeated(text, times) {
  return Array(times).fill(text).join("\n\n");
}

function tree({ nodes: { root, ...rest }, log, ...more }, times) {
  const parts = root.inner.nodes.length;
  const nodes = { root: structuredClone(root) };
  const { inner, payload } = nodes.root;
  [inner.nodes, inner.batches] = [[], []];
  payload.results.final_aggregate.text = repeated(payload.results.final_aggregate.text, times);
  const changes = [];
  for (let copy = 0; copy < times; copy += 1) {
    const move = (key) => moved(key, copy, parts);
    inner.nodes.push(...root.inner.nodes.map(move));
    inner.batches.push(...root.inner.batches.map((batch) => batch.map(move)));
    for (const node of Object.values(rest)) {
      const { nodes: inside, batches } = node.inner;
      nodes[move(node.key)] = {
        ...node,
        key: move(node.key),
        parents: node.parents.map(move),
        dependents: node.dependents.map(move),
        inner: { nodes: inside.map(move), batches: batches.map((batch) => batch.map(move)) },
      };
    }
    changes.push(...log.map((change) => ({ ...change, node: move(change.node) })));
  }
  return { ...more, nodes, log: changes };
}

const ID = /[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g;

/** Whether a task begins that is about no part: it plans or puts together the whole, or begins or ends all. */
function isOfWhole({ method, params: { data } }) {
  return method === "tasks" && "input" in data && (data.input?.node ?? "root") === "root";
}

/** The events, those of WriteHERE's own graph about its parts `times` over: each time by other tasks, on other commits, and later. */
function tellings(events, times, parts) {
  const isInside = ({ params, method }) => params.namespace.length > 0 && method !== "lifecycle";
  const first = events.findIndex(isInside);
  const last = events.findLastIndex(isInside);
  const ofWhole = new Set(events.filter(isOfWhole).map(({ params }) => params.task));
  const inside = events.slice(first, last + 1).filter((event) => isInside(event) && !ofWhole.has(event.params.task));
  const took = events[last].params.timestamp - events[first].params.timestamp;
  // Events of one entry of the server's log have numbers that differ in their last twelve bits only.
  const entry = ({ seq }) => Math.floor(seq / 4096);
  const span = (entry(events[last]) - entry(events[first]) + 1) * 4096;
  const all = events.slice(0, last + 1);
  for (let copy = 1; copy < times; copy += 1) {
    const id = (first) => ((Number.parseInt(first, 16) + copy) >>> 0).toString(16).padStart(8, "0");
    for (const event of inside) {
      const { namespace, timestamp, data, ...more } = event.params;
      const changed = JSON.parse(JSON.stringify({ data, ...more }).replace(ID, id));
      const params = { namespace, timestamp: timestamp + copy * took, ...changed };
      const { node } = params.data.input ?? {};
      if (typeof node === "string") params.data.input.node = moved(node, copy, parts);
      all.push({ ...event, event_id: `${event.event_id}-${copy}`, seq: event.seq + copy * span, params });
    }
  }
  const rest = events.slice(last + 1).map(({ seq, params, ...more }) => {
    const timestamp = params.timestamp + (times - 1) * took;
    return { ...more, seq: seq + (times - 1) * span, params: { ...params, timestamp } };
  });
  return [...all, ...rest];
}
