// An edge: solid where it is always followed, dashed in its own way where something decides, strong where it was taken.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { DrawnEdge } from "./drawing.ts";
import { headOf, middleOf, pathOf } from "./geometry.ts";
import type { LiveEdges } from "./live.ts";

/** What edges of a kind are called; those that are always followed have no word. */
export const EDGE_WORDS: Record<string, string> = { conditional: "if", goto: "goto", send: "send", join: "join" };

export function Edge({ edge, at, live }: { edge: DrawnEdge; at: number; live: LiveEdges }): JSX.Element {
  const taken = live.edge(at).value;
  const shape = useMemo(() => {
    const [x, y] = middleOf(edge.points);
    return { path: pathOf(edge.points), head: headOf(edge.points), x, y };
  }, [edge]);
  const label = edge.label || EDGE_WORDS[edge.kind];
  return (
    <g class={`graph-edge is-${edge.kind}${taken ? " taken" : ""}`}>
      <path class="line" d={shape.path} />
      <path class="head" d={shape.head} />
      {label !== undefined && (
        <text x={shape.x} y={shape.y} text-anchor="middle" dominant-baseline="central">
          {label}
        </text>
      )}
    </g>
  );
}
