// What the report rests on, as linked columns: statements without a citation, cited statements, sources.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { short, visible } from "../../../parts/text.ts";
import { Opener } from "./opener.tsx";
import { joined, placed, type Provenance } from "./provenance.ts";
import { opened } from "./source.ts";
import { BASES, SIGNS, VERDICTS } from "./verdicts.ts";

/** The height of a node with the gap to the next one, in pixels. */
const ROW = 76;

interface Column {
  name: string;
  nodes: { key: string; words: string; sign: string; kind: string; says: string }[];
}

export function ProvenanceView({ provenance }: { provenance: Provenance }): JSX.Element {
  const columns = useMemo(() => columnsOf(provenance), [provenance]);
  const places = useMemo(() => placesOf(provenance, columns), [provenance, columns]);
  const key = chosenIn(provenance, opened());
  const lit = useMemo(() => (key === undefined ? undefined : joined(provenance, key)), [provenance, key]);
  const height = Math.max(0, ...places.values()) + ROW;
  const isLit = (one: string) => lit === undefined || lit.has(one);
  return (
    <>
      <p class="quiet">
        A press on a statement or a source shows what it is joined with. <Legend />
      </p>
      <div class={`provenance of-${columns.length}`}>
        {columns.map((column, at) => (
          <section key={column.name} aria-label={column.name} class="provenance-column">
            <h3>{column.name}</h3>
            <ul class="provenance-nodes" style={{ "--height": `${height}px` }}>
              {column.nodes.map((node) => (
                <li
                  key={node.key}
                  class={isLit(node.key) ? "" : "is-dim"}
                  style={{ "--top": `${places.get(node.key) ?? 0}px` }}
                >
                  <Opener of={node.key} class={`provenance-node is-${node.kind}`} title={visible(node.words)}>
                    <span class="provenance-sign">{node.sign}</span>
                    <span class="provenance-words">{visible(short(node.words, 220))}</span>
                    <span class="hidden">, {node.says}</span>
                  </Opener>
                </li>
              ))}
            </ul>
            {at < columns.length - 1 && <Lines {...{ provenance, places, column, height, isLit }} />}
          </section>
        ))}
      </div>
    </>
  );
}

interface LinesProps {
  provenance: Provenance;
  places: ReadonlyMap<string, number>;
  column: Column;
  height: number;
  isLit: (key: string) => boolean;
}

/** The lines from the nodes of a column to those of the next. */
function Lines({ provenance, places, column, height, isLit }: LinesProps): JSX.Element {
  const own = new Set(column.nodes.map((node) => node.key));
  const middle = (key: string) => (places.get(key) ?? 0) + (ROW - 8) / 2;
  return (
    <svg
      class="provenance-lines"
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ "--height": `${height}px` }}
    >
      {provenance.edges.map(({ from, to, kind }) => {
        if (!own.has(from)) return null;
        const [y1, y2] = [middle(from), middle(to)];
        return (
          <path
            key={`${from} ${to}`}
            class={`provenance-line is-${kind}${isLit(from) && isLit(to) ? "" : " is-dim"}`}
            d={`M0 ${y1}C50 ${y1} 50 ${y2} 100 ${y2}`}
          />
        );
      })}
    </svg>
  );
}

function Legend(): JSX.Element {
  return (
    <span class="provenance-legend">
      {(Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).map((verdict) => (
        <span key={verdict} class={`verdict is-${verdict}`}>
          <span aria-hidden="true">{SIGNS[verdict]}</span> {VERDICTS[verdict]}
        </span>
      ))}
    </span>
  );
}

function columnsOf({ bare, cited, sources }: Provenance): Column[] {
  const columns: Column[] = [
    {
      name: "Without a citation",
      nodes: bare.map(({ key, statement }) => {
        const sign = statement.basis === "derived" ? "≈" : statement.basis === "contradicted" ? "✗" : "†";
        return { key, words: statement.text, sign, kind: statement.basis, says: BASES[statement.basis] };
      }),
    },
    {
      name: "Cited statements",
      nodes: cited.map(({ key, text, citations, conclusion }) => {
        const count = citations.filter((one) => one.verdict === "supported").length;
        const kind = count > 0 ? "supported" : (citations[0]?.verdict ?? "not_checked");
        const says = `${count} of ${citations.length} citations support it${conclusion ? "; a conclusion" : ""}`;
        return { key, words: text, sign: conclusion === undefined ? SIGNS[kind] : "⇒", kind, says };
      }),
    },
    {
      name: "Sources",
      nodes: sources.map(({ key, reference, title, url, citations }) => {
        const says = `cited ${citations.length} times`;
        return { key, words: title || url, sign: String(reference), kind: "source", says };
      }),
    },
  ];
  return columns.filter((column) => column.nodes.length > 0);
}

/** Cited statements stand in the order of the report, what is joined with them as near as it can. */
function placesOf({ edges }: Provenance, columns: readonly Column[]): Map<string, number> {
  const places = new Map<string, number>();
  const middle = columns.find((column) => column.name === "Cited statements");
  for (const [at, node] of (middle?.nodes ?? []).entries()) places.set(node.key, at * ROW);
  for (const column of columns) {
    if (column === middle) continue;
    const wanted = (key: string) => {
      const others = edges.flatMap((edge) => (edge.from === key ? [edge.to] : edge.to === key ? [edge.from] : []));
      const at = others.flatMap((one) => places.get(one) ?? []);
      return at.length === 0 ? undefined : at.reduce((sum, one) => sum + one, 0) / at.length;
    };
    const keys = column.nodes.map((node) => node.key);
    for (const [key, at] of placed(keys, wanted, ROW)) places.set(key, at);
  }
  return places;
}

/** The node of what is open; a citation is one of its statement, a conclusion is a statement. */
function chosenIn({ bare, cited, sources }: Provenance, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const id = Number(key.slice(1));
  if (key.startsWith("c")) return cited.find((one) => one.citations.some((citation) => citation.id === id))?.key;
  if (key.startsWith("i")) return cited.find((one) => one.conclusion?.id === id)?.key;
  return [...bare, ...cited, ...sources].find((one) => one.key === key)?.key;
}
