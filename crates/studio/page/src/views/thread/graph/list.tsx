// The nodes as a plain list: for servers that give no drawing, and for who would rather read.

import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { LiveNodes } from "./live.ts";
import { Sign } from "./sign.tsx";
import { nodeWords } from "./words.ts";

interface ListUse {
  live: LiveNodes;
  chosen: ReadonlySignal<string | undefined>;
  onChoose: (id: string) => void;
}

export function NodeList({ ids, ...use }: ListUse & { ids: readonly string[] }): JSX.Element {
  return (
    <ol class="graph-list" aria-label="Nodes">
      {ids.map((id) => (
        <NodeLine key={id} id={id} {...use} />
      ))}
    </ol>
  );
}

function NodeLine({ id, live, chosen, onChoose }: ListUse & { id: string }): JSX.Element {
  const tally = live.node(id).value;
  return (
    <li>
      <button
        type="button"
        class={`graph-line is-${tally?.status ?? "none"}`}
        data-node={id}
        aria-pressed={chosen.value === id}
        onClick={() => onChoose(id)}
      >
        <Sign status={tally?.status} />
        <span class="graph-name">{id.replaceAll(":", " › ")}</span>
        <span class="graph-line-words">{nodeWords(tally)}</span>
      </button>
    </li>
  );
}
