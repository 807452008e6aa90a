// What the signs and lines of the drawing mean. It can be folded away.

import type { JSX } from "preact";
import { EDGE_WORDS } from "./edge.tsx";
import { headOf, pathOf, type Point } from "./geometry.ts";
import { Sign } from "./sign.tsx";
import { NOT_REACHED, SKIPPED, STATUS_WORDS, statusWord } from "./words.ts";

const LINE: Point[] = [
  [2, 8],
  [46, 8],
];

const LINES: [kind: string, taken: boolean, words: string][] = [
  ["always", true, "taken"],
  ["always", false, "not taken, as far as is known"],
  ["conditional", false, `${EDGE_WORDS.conditional}: a router decides`],
  ["goto", false, `${EDGE_WORDS.goto}: the node decides`],
  ["send", false, `${EDGE_WORDS.send}: a task for each`],
  ["join", false, `${EDGE_WORDS.join}: waits for all`],
];

export function Legend(): JSX.Element {
  return (
    <details class="graph-legend">
      <summary>Legend</summary>
      <ul>
        {STATUS_WORDS.map(([status]) => (
          <li key={status} class={`is-${status}`}>
            <Sign status={status} /> {statusWord(status)}
          </li>
        ))}
        <li class="is-skipped">
          <Sign status="skipped" /> {SKIPPED}: the run has ended without it
        </li>
        <li class="is-none">
          <Sign status={undefined} /> {NOT_REACHED}
        </li>
        <li>
          <span class="graph-visits">×3</span> three tasks of the node
        </li>
      </ul>
      <ul>
        {LINES.map(([kind, taken, words]) => (
          <li key={words}>
            <svg class="graph-edges" width="48" height="16" aria-hidden="true">
              <g class={`graph-edge is-${kind}${taken ? " taken" : ""}`}>
                <path class="line" d={pathOf(LINE)} />
                <path class="head" d={headOf(LINE)} />
              </g>
            </svg>{" "}
            {words}
          </li>
        ))}
      </ul>
    </details>
  );
}
