// The window onto the drawing. The nodes in it are an ordered list, whichever way they are placed.

import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { around, brought, fitted, type Sight, zoomed } from "../../../parts/zoom.ts";
import { type Drawing, type DrawnNode, isMark } from "./drawing.ts";
import { Edge } from "./edge.tsx";
import { type Direction, inReadingOrder, nextIn } from "./geometry.ts";
import type { LiveEdges, LiveNodes } from "./live.ts";
import { NodeBox, type NodeUse } from "./node.tsx";
import { FACTOR, sizeOf, usePan } from "./pan.ts";

const DIRECTIONS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

const HELP = "Drawing of the graph. The arrow keys move it, plus and minus change its size, 0 shows all of it.";

export interface CanvasProps {
  drawing: Drawing;
  nodes: LiveNodes;
  edges: LiveEdges;
  chosen: ReadonlySignal<string | undefined>;
  follow: Signal<boolean>;
  onChoose(id: string): void;
  onToggle(id: string): void;
}

export function Canvas({ drawing, nodes, edges, chosen, follow, onChoose, onToggle }: CanvasProps): JSX.Element {
  const window = useRef<HTMLDivElement>(null);
  const plane = useRef<HTMLDivElement>(null);
  const sight = useSignal<Sight>({ x: 0, y: 0, k: 1 });
  const current = useSignal<string | undefined>(undefined);
  /** Whether all of the drawing is shown, also when the window or the drawing changes its size. */
  const isFitted = useRef(true);
  /** The node that was opened or closed: it stays where it is seen. */
  const anchor = useRef<string | undefined>(undefined);
  const shown = useRef(drawing);

  const see = (to: Sight, glide: boolean) => {
    plane.current?.classList.toggle("glides", glide);
    sight.value = to;
  };
  const fit = (glide: boolean) => {
    isFitted.current = true;
    see(fitted({ x: 0, y: 0, ...shown.current }, sizeOf(window.current)), glide);
  };
  const byHand = () => {
    isFitted.current = false;
    follow.value = false;
    plane.current?.classList.remove("glides");
  };
  const zoom = (factor: number) => {
    const { width, height } = sizeOf(window.current);
    isFitted.current = false;
    see(zoomed(sight.peek(), factor, width / 2, height / 2), true);
  };
  const bring = (boxes: DrawnNode[]) => {
    const box = around(boxes);
    if (box === undefined) return;
    const to = brought(box, sight.peek(), sizeOf(window.current));
    const { x, y, k } = sight.peek();
    if (to.x === x && to.y === y && to.k === k) return;
    isFitted.current = false;
    see(to, true);
  };

  usePan({ window, sight, plane: () => shown.current, onFit: () => fit(true), onMove: byHand });

  useSignalEffect(() => {
    const { x, y, k } = sight.value;
    if (plane.current) plane.current.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
    window.current?.classList.toggle("far", k < 0.45);
  });

  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = drawing;
    const find = (of: Drawing) => of.nodes.find((node) => node.id === anchor.current);
    const [was, is] = [find(before), find(drawing)];
    anchor.current = undefined;
    if (isFitted.current || was === undefined || is === undefined) {
      if (isFitted.current) fit(false);
    } else {
      const { x, y, k } = sight.peek();
      see({ x: x + (was.x - is.x) * k, y: y + (was.y - is.y) * k, k }, false);
    }
    if (drawing.nodes.every((node) => node.id !== current.peek())) {
      current.value = inReadingOrder(drawing.nodes).find((node) => !isMark(node))?.id;
    }
  }, [drawing]);

  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isFitted.current) fit(false);
    });
    if (window.current) observer.observe(window.current);
    return () => observer.disconnect();
  }, []);

  useSignalEffect(() => {
    const running = nodes.running.value;
    if (!follow.value || running.size === 0) return;
    const placed = shown.current.nodes.filter((node) => running.has(node.id));
    // Of a subgraph that is open, what runs inside is looked at.
    bring(placed.filter((node) => !placed.some((other) => other.parent === node.id)));
  });

  const use: NodeUse = useMemo(
    () => ({
      live: nodes,
      chosen,
      current,
      onChoose,
      onToggle: (id) => {
        anchor.current = id;
        onToggle(id);
      },
      onFocus: (id, byKey) => {
        current.value = id;
        // A node that moves between the press of a button and its release is not clicked.
        if (!byKey) return;
        const node = shown.current.nodes.find((node) => node.id === id);
        if (node !== undefined) bring([node.open === true ? { ...node, height: Math.min(node.height, 40) } : node]);
      },
    }),
    [nodes],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    const id = event.target instanceof HTMLElement ? event.target.dataset.node : undefined;
    const from = drawing.nodes.find((node) => node.id === id);
    if (direction === undefined || from === undefined) return;
    event.preventDefault();
    const next = nextIn(direction, from, drawing.nodes.filter((node) => !isMark(node)));
    const button = next && window.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next.id)}"]`);
    button?.focus({ preventScroll: true });
  };

  // None of these is drawn anew when a run goes on: each node and edge looks at its own signal.
  const list = useMemo(
    () => inReadingOrder(drawing.nodes).map((node) => <NodeBox key={node.id} node={node} use={use} />),
    [drawing, use],
  );
  const lines = useMemo(
    () => drawing.edges.map((edge, at) => <Edge key={at} edge={edge} at={at} live={edges} />),
    [drawing, edges],
  );
  const frames = useMemo(
    () =>
      drawing.nodes
        .filter((node) => node.open === true)
        .map(({ id, ...box }) => (
          <rect key={id} class="graph-frame" x={box.x} y={box.y} width={box.width} height={box.height} rx={8} />
        )),
    [drawing],
  );

  return (
    <div class="graph-view">
      <div
        ref={window}
        class="graph-window"
        style={{ height: `clamp(15rem, ${drawing.height + 40}px, 65vh)` }}
        tabIndex={0}
        role="group"
        aria-label={HELP}
        onKeyDown={onKeyDown}
      >
        <div ref={plane} class="graph-plane" style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}>
          <svg class="graph-edges" width={drawing.width} height={drawing.height} aria-hidden="true">
            {frames}
            {lines}
          </svg>
          <ol class="graph-nodes" aria-label="Nodes">
            {list}
          </ol>
        </div>
      </div>
      <div class="graph-zoom row" role="group" aria-label="Size of the drawing">
        <button type="button" aria-label="Smaller" onClick={() => zoom(1 / FACTOR)}>
          −
        </button>
        <Percent sight={sight} />
        <button type="button" aria-label="Larger" onClick={() => zoom(FACTOR)}>
          +
        </button>
        <button type="button" onClick={() => fit(true)}>
          Fit
        </button>
      </div>
    </div>
  );
}

function Percent({ sight }: { sight: ReadonlySignal<Sight> }): JSX.Element {
  return <span class="graph-percent">{Math.round(sight.value.k * 100)} %</span>;
}
