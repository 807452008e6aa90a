// The tree as a picture that the server draws: tasks inside each other, and arrows to what comes after what.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { told } from "../../../api/http.ts";
import { api } from "../../../connection.ts";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { saveBlob } from "../../../parts/save-blob.ts";
import { usePaced } from "../../thread/use-paced.ts";

/** Between two pictures of a tree that grows, in milliseconds. */
const PACE = 1_000;
const SMALLEST = 0.25;
const LARGEST = 2;

export interface DrawingViewProps {
  thread: string;
  /** The namespace of the graph whose state has the tree. */
  ns: string;
  /** Changes whenever the tree may be another. */
  stand: string;
  tasks: number;
}

export function DrawingView({ thread, ns, stand, tasks }: DrawingViewProps): JSX.Element {
  const svg = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const size = useSignal(0.75);
  usePaced(`${thread} ${ns}`, stand, PACE, async (signal) => {
    try {
      const path = `/threads/${encodeURIComponent(thread)}/picture?checkpoint_ns=${encodeURIComponent(ns)}`;
      svg.value = await (await api.peek().send("GET", path, undefined, signal)).text();
      problem.value = undefined;
    } catch (error) {
      if (!signal.aborted) problem.value = told(error);
    }
  });
  const picture = svg.value;
  const resize = (to: number) => {
    size.value = Math.min(LARGEST, Math.max(SMALLEST, to));
  };
  const scale = (factor: number) => resize(size.peek() * factor);
  /** All of its width is seen. */
  const fit = (box: EventTarget | null) => {
    if (picture === undefined || !(box instanceof HTMLElement)) return;
    resize(box.clientWidth / widthOf(picture));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "+") scale(1.25);
    else if (event.key === "-") scale(0.8);
    else if (event.key === "0") fit(event.currentTarget);
    else return;
    event.preventDefault();
  };
  return (
    <>
      {problem.value !== undefined && <Problem>{problem.value}</Problem>}
      {picture === undefined && problem.value === undefined && <Empty>The tree is being drawn …</Empty>}
      {picture !== undefined && (
        <>
          <div class="row">
            <button type="button" aria-label="Smaller" onClick={() => scale(0.8)}>
              −
            </button>
            <button type="button" aria-label="Larger" onClick={() => scale(1.25)}>
              +
            </button>
            <button
              type="button"
              onClick={() => saveBlob(new Blob([picture], { type: "image/svg+xml" }), "tree.svg")}
            >
              Save as SVG
            </button>
          </div>
          <div class="wh-drawing" role="group" aria-label="Drawing of the tree" tabIndex={0} onKeyDown={onKeyDown}>
            <img
              src={`data:image/svg+xml,${encodeURIComponent(picture)}`}
              alt={`The tree of ${tasks} tasks, with what comes after what. The list has the same tasks as text.`}
              style={{ width: `${Math.round(widthOf(picture) * size.value)}px` }}
            />
          </div>
        </>
      )}
    </>
  );
}

/** The width that a picture states, in CSS pixels. */
function widthOf(svg: string): number {
  return Number(/^<svg[^>]* width="(\d+)"/.exec(svg)?.[1] ?? 600);
}
