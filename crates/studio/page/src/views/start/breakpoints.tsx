// Nodes before or after which a run is to stop.

import type { JSX } from "preact";
import type { Breakpoints } from "./body.ts";

export function BreakpointTable({
  nodes,
  chosen,
  onChange,
}: {
  nodes: readonly string[];
  chosen: Breakpoints;
  onChange: (chosen: Breakpoints) => void;
}): JSX.Element {
  const turn = (side: keyof Breakpoints, node: string) => {
    const next = new Set(chosen[side]);
    if (!next.delete(node)) next.add(node);
    onChange({ ...chosen, [side]: next });
  };
  return (
    <table class="breakpoints">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Stop before</th>
          <th scope="col">Stop after</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node}>
            <th scope="row">
              <code>{node}</code>
            </th>
            {(["before", "after"] as const).map((side) => (
              <td key={side}>
                <input
                  type="checkbox"
                  aria-label={`Stop ${side} ${node}`}
                  checked={chosen[side].has(node)}
                  onChange={() => turn(side, node)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
