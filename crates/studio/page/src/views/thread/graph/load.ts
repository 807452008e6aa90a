// The drawing of a graph, asked for anew whenever a subgraph is opened or closed. Until it comes, the one before stays.

import { useEffect, useState } from "preact/hooks";
import { first } from "../../../api/first.ts";
import { ApiError, told } from "../../../api/http.ts";
import { api } from "../../../connection.ts";
import { type Drawing, drawingPath } from "./drawing.ts";

export interface Loaded {
  /** The graph that was asked for. */
  graph: string;
  drawing: Drawing | undefined;
  /** The nodes by name, of a server that gives no drawing. */
  names: string[] | undefined;
  /** What the server said instead of a drawing. */
  problem: string | undefined;
  loading: boolean;
}

function nothing(graph: string): Loaded {
  return { graph, drawing: undefined, names: undefined, problem: undefined, loading: true };
}

export function useDrawing(graph: string, open: readonly string[]): Loaded & { again: () => void } {
  const [loaded, setLoaded] = useState(() => nothing(graph));
  const [tries, setTries] = useState(0);
  const path = drawingPath(graph, open);
  const server = api.value;
  useEffect(() => {
    const stop = new AbortController();
    setLoaded((before) => (before.graph === graph ? { ...before, loading: true } : nothing(graph)));
    const load = async () => {
      try {
        const drawing = await first(server.get<Drawing>(path, stop.signal));
        setLoaded({ graph, drawing, names: undefined, problem: undefined, loading: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        const names = error instanceof ApiError && error.status === 404 ? await namesOf(graph, stop.signal) : undefined;
        if (stop.signal.aborted) return;
        setLoaded((before) => ({
          graph,
          drawing: names === undefined ? before.drawing : undefined,
          names,
          problem: told(error),
          loading: false,
        }));
      }
    };
    void load();
    return () => stop.abort();
  }, [server, path, tries]);
  return { ...(loaded.graph === graph ? loaded : nothing(graph)), again: () => setTries((before) => before + 1) };
}

/** The names of the nodes, those inside subgraphs as well. Every server has this list, without places. */
async function namesOf(graph: string, signal: AbortSignal): Promise<string[]> {
  try {
    const path = `/assistants/${encodeURIComponent(graph)}/graph?xray=true`;
    const { nodes } = await api.peek().get<{ nodes: { id: string | number }[] }>(path, signal);
    const ids = nodes.map((node) => String(node.id)).filter((id) => id !== "__start__" && id !== "__end__");
    // Subgraphs themselves are not in it: they stand before the first node inside.
    return [...new Set(ids.flatMap((id) => id.split(":").map((_, at, names) => names.slice(0, at + 1).join(":"))))];
  } catch {
    // Nodes that had tasks are known without it.
    return [];
  }
}
