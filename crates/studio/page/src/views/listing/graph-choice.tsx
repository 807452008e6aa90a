// The choice of a graph, in the filters of a list.

import type { JSX } from "preact";
import { choose } from "../../route.ts";

/** The graph that a list is narrowed down to, as the address has it. */
export function GraphChoice({ graph, known }: { graph: string | undefined; known: readonly string[] }): JSX.Element {
  return (
    <label>
      <span>Graph</span>
      <select value={graph ?? ""} onChange={(event) => choose({ graph: event.currentTarget.value }, true)}>
        <option value="">any</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
