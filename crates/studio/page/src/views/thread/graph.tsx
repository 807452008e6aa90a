// The graph of a thread while it runs: nodes and edges, where each node stands, and the tasks of the chosen one.

import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Empty, Problem } from "../../parts/basics.tsx";
import { choose, route } from "../../route.ts";
import type { RunModel } from "../../run/model.ts";
import { Canvas } from "./graph/canvas.tsx";
import { isMark, openOf, toggled } from "./graph/drawing.ts";
import { inReadingOrder } from "./graph/geometry.ts";
import { Legend } from "./graph/legend.tsx";
import { NodeList } from "./graph/list.tsx";
import { LiveEdges, LiveNodes } from "./graph/live.ts";
import { useDrawing } from "./graph/load.ts";
import { NodeTasks } from "./graph/tasks.tsx";

export function GraphView({
  graph,
  model,
  onTask,
}: {
  graph: string;
  model: RunModel;
  onTask: (id: string) => void;
}): JSX.Element {
  const query = route.value.query;
  const openText = query.get("open");
  const open = useMemo(() => openOf(openText), [openText]);
  const run = model.runs.find((run) => run.id === query.get("run"))?.index;
  const { drawing, names, problem, loading, again } = useDrawing(graph, open);
  const chosen = useComputed(() => route.value.query.get("node") ?? undefined);
  const follow = useSignal(false);

  // The lists of a model grow in place; other lists are another thread's.
  const nodes = useMemo(() => new LiveNodes(run), [run, model.byId]);
  const edges = useMemo(() => drawing && new LiveEdges(drawing, run), [drawing, run, model.byId]);
  nodes.take(model);
  useLayoutEffect(() => {
    nodes.tell();
    edges?.update(model);
  }, [nodes, edges, model]);

  const section = useRef<HTMLElement>(null);
  const byHand = useRef(false);
  const use = useMemo(
    () => ({
      onChoose: (id: string) => {
        byHand.current = true;
        choose({ node: chosen.peek() === id ? undefined : id }, true);
      },
      onToggle: (id: string) => choose({ open: toggled(openOf(route.peek().query.get("open")), id) }),
    }),
    [],
  );

  const asList = drawing === undefined || query.get("as") === "list";
  const drawn = useMemo(
    () => drawing && inReadingOrder(drawing.nodes).filter((node) => !isMark(node)).map((node) => node.id),
    [drawing],
  );
  const listed = drawn ?? [...new Set([...(names ?? []), ...nodes.tally.reached()])];
  const picked = chosen.value;
  return (
    <section ref={section} class="graph" aria-label={`Graph ${graph}`}>
      <div class="row graph-controls">
        {drawing && (
          <label class="row">
            <input
              type="checkbox"
              checked={asList}
              onChange={(event) => choose({ as: event.currentTarget.checked ? "list" : undefined }, true)}
            />
            as a list
          </label>
        )}
        {!asList && (
          <label class="row">
            <input
              type="checkbox"
              role="switch"
              checked={follow.value}
              onChange={(event) => (follow.value = event.currentTarget.checked)}
            />
            follow what runs
          </label>
        )}
        {!asList && <Legend />}
      </div>
      {problem !== undefined && names !== undefined && (
        <p class="notice" role="status">
          This server gives no drawing of {graph}; its nodes are listed. It said: {problem}
        </p>
      )}
      {problem !== undefined && names === undefined && (
        <Problem>
          The drawing of {graph} cannot be had: {problem}{" "}
          <button type="button" onClick={again}>
            Try again
          </button>{" "}
          {open.length > 0 && (
            <button type="button" onClick={() => choose({ open: undefined })}>
              Close all subgraphs
            </button>
          )}
        </Problem>
      )}
      <div class="graph-parts">
        {drawing && edges && !asList ? (
          <Canvas {...{ drawing, nodes, edges, chosen, follow }} {...use} />
        ) : loading && drawing === undefined ? (
          <Empty>Loading the drawing …</Empty>
        ) : (
          <NodeList ids={listed} live={nodes} chosen={chosen} onChoose={use.onChoose} />
        )}
        {picked !== undefined && (
          <NodeTasks
            key={picked}
            id={picked}
            tasks={nodes.tally.tasks(picked)}
            tally={nodes.node(picked).value}
            byHand={byHand.current}
            onTask={onTask}
            onClose={() => {
              choose({ node: undefined }, true);
              section.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(picked)}"]`)?.focus();
            }}
          />
        )}
      </div>
    </section>
  );
}
