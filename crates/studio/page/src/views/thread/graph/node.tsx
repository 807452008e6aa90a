// A node in the drawing: where it stands, how often it was visited, and how a fan-out is spread.

import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { type DrawnNode, isMark } from "./drawing.ts";
import type { LiveNodes } from "./live.ts";
import { Sign } from "./sign.tsx";
import { type Counts, type NodeTally, total } from "./tally.ts";
import { countWords, isSpread, nodeWords, present } from "./words.ts";

/** What nodes have in common. */
export interface NodeUse {
  live: LiveNodes;
  /** The node whose tasks are listed. */
  chosen: ReadonlySignal<string | undefined>;
  /** The node that the tab key reaches. */
  current: ReadonlySignal<string | undefined>;
  onChoose(id: string): void;
  onToggle(id: string): void;
  /** `byKey` where the focus was not brought by a click. */
  onFocus(id: string, byKey: boolean): void;
}

export function NodeBox({ node, use }: { node: DrawnNode; use: NodeUse }): JSX.Element {
  const at = { left: `${node.x}px`, top: `${node.y}px`, width: `${node.width}px`, height: `${node.height}px` };
  if (isMark(node)) {
    return (
      <li class={`graph-mark is-${node.kind}`} style={at}>
        <span>{node.kind}</span>
      </li>
    );
  }
  return (
    <li class={node.open === true ? "graph-place is-open" : "graph-place"} style={at}>
      <NodeButton node={node} use={use} />
      {node.kind === "subgraph" && <Toggle node={node} use={use} />}
    </li>
  );
}

function NodeButton({ node, use }: { node: DrawnNode; use: NodeUse }): JSX.Element {
  const tally = use.live.node(node.id).value;
  const chosen = useComputed(() => use.chosen.value === node.id).value;
  const current = useComputed(() => use.current.value === node.id).value;
  const status = tally?.status;
  const words = nodeWords(tally);
  const within = node.parent == null ? "" : `, in ${node.parent.replaceAll(":", " › ")}`;
  return (
    <button
      type="button"
      class={`graph-node is-${status ?? "none"}`}
      data-node={node.id}
      aria-pressed={chosen}
      tabIndex={current ? 0 : -1}
      title={`${node.name}: ${words}`}
      onClick={() => use.onChoose(node.id)}
      onFocus={(event) => use.onFocus(node.id, event.currentTarget.matches(":focus-visible"))}
    >
      <span class="graph-pin">
        <Sign status={status} />
      </span>
      <span class="graph-name">
        {node.name}
        <span class="hidden">
          {within}: {words}
        </span>
      </span>
      {tally !== undefined && tally.visits > 1 && (
        <span class="graph-visits" aria-hidden="true">
          ×{tally.visits}
        </span>
      )}
      {tally !== undefined && isSpread(tally) && <Spread counts={tally.counts} />}
      {tally !== undefined && node.open !== true && !isSpread(tally) && <Inside tally={tally} />}
    </button>
  );
}

/** How many tasks run, are done, failed: a bar in proportion, and the numbers with their signs. */
function Spread({ counts }: { counts: Counts }): JSX.Element {
  const parts = present(counts);
  return (
    <>
      <span class="graph-bar">
        {parts.map(([status, count]) => (
          <span key={status} class={`is-${status}`} style={{ flexGrow: String(count) }} />
        ))}
      </span>
      <span class="graph-pill" aria-hidden="true">
        {parts.map(([status, count]) => (
          <span key={status} class={`is-${status}`}>
            <Sign status={status} />
            {count}
          </span>
        ))}
      </span>
    </>
  );
}

/** What goes on in a closed subgraph, where it is more than its own status says. */
function Inside({ tally }: { tally: NodeTally }): JSX.Element | null {
  const { inside } = tally;
  const open = inside.running + inside.asking + inside.waiting + inside.failed;
  if (total(inside) === 0 || open === 0) return null;
  return (
    <span class="graph-pill" aria-hidden="true" title={`inside: ${countWords(inside)}`}>
      inside
      {present(inside).map(([status, count]) => (
        <span key={status} class={`is-${status}`}>
          <Sign status={status} />
          {count}
        </span>
      ))}
    </span>
  );
}

function Toggle({ node, use }: { node: DrawnNode; use: NodeUse }): JSX.Element {
  const current = useComputed(() => use.current.value === node.id).value;
  const open = node.open === true;
  return (
    <button
      type="button"
      class="graph-toggle"
      aria-expanded={open}
      aria-label={`${open ? "Close" : "Open"} the graph inside ${node.name}${node.graph ? `, ${node.graph}` : ""}`}
      title={open ? "Close" : `Open ${node.graph ?? "the graph inside"}`}
      tabIndex={current ? 0 : -1}
      onClick={() => use.onToggle(node.id)}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={open ? "M3 8h10" : "M3 8h10M8 3v10"} />
      </svg>
    </button>
  );
}
