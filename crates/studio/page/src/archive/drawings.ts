// The drawings of a graph: closed, and with its subgraphs opened in every way.

import type { Drawing } from "../views/thread/graph/drawing.ts";

/** Drawings of one graph that are saved. Of one with more, the closed one, each subgraph alone, and all open are. */
const MOST = 32;

/** Asks for the drawings one by one, from the closed one on. */
export async function* drawings(
  ask: (open: string[]) => Promise<Drawing>,
  most = MOST,
): AsyncGenerator<{ open: string[]; drawing: Drawing }> {
  const known = new Set<string>();
  const waiting: string[][] = [[]];
  const every = new Set<string>();
  let given = 0;
  for (let open = waiting.shift(); open !== undefined && given < most; open = waiting.shift()) {
    const drawing = await ask(open);
    given += 1;
    yield { open, drawing };
    for (const id of closed(drawing)) {
      every.add(id);
      const more = [...open, id].sort();
      const key = JSON.stringify(more);
      if (known.has(key)) continue;
      known.add(key);
      waiting.push(more);
    }
  }
  if (given < most) return;
  // All open: what is inside of a subgraph is known when it is.
  let open = [...every].sort();
  for (;;) {
    const drawing = await ask(open);
    const more = closed(drawing).filter((id) => !open.includes(id));
    if (more.length === 0) {
      yield { open, drawing };
      return;
    }
    open = [...open, ...more].sort();
  }
}

/** The subgraphs that are drawn closed. */
function closed(drawing: Drawing): string[] {
  return drawing.nodes.filter((node) => node.kind === "subgraph" && node.open !== true).map((node) => node.id);
}
