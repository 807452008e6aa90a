// The drawing of a graph, as the server lays it out, and which of its subgraphs are open.

export interface DrawnNode {
  /** The names of the nodes that lead to it and its own, joined by `:`, as `place` of the model has them. */
  id: string;
  name: string;
  /** `start` and `end` are the marks where a graph begins and ends. */
  kind: "node" | "start" | "end" | "subgraph" | (string & {});
  /** The graph inside. */
  graph?: string | null;
  open?: boolean;
  /** The open subgraph that it is drawn in. */
  parent?: string | null;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface DrawnEdge {
  source: string;
  target: string;
  kind: string;
  label?: string | null;
  points: [x: number, y: number][];
}

export interface Drawing {
  width: number;
  height: number;
  nodes: DrawnNode[];
  edges: DrawnEdge[];
}

/** What stands between two ids in the address; no node has it in its name. */
const BETWEEN = "|";

/** The subgraphs that are open, as the address has them. */
export function openOf(text: string | null): string[] {
  return (text ?? "").split(BETWEEN).filter((id) => id !== "");
}

/** Opens a closed subgraph, and closes an open one with all that is open inside. */
export function toggled(open: readonly string[], id: string): string | undefined {
  const rest = open.includes(id)
    ? open.filter((other) => other !== id && !other.startsWith(`${id}:`))
    : [...open, id].sort();
  return rest.length === 0 ? undefined : rest.join(BETWEEN);
}

/** The path of the drawing on the server. */
export function drawingPath(graph: string, open: readonly string[]): string {
  const query = open.map((id) => `open=${encodeURIComponent(id)}`).join("&");
  return `/assistants/${encodeURIComponent(graph)}/drawing${query === "" ? "" : `?${query}`}`;
}

/** Whether a node is a mark, and has no tasks. */
export function isMark(node: DrawnNode): boolean {
  return node.kind === "start" || node.kind === "end";
}
