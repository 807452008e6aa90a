// The views of the applications: one for each graph that has its own, beside the views that every graph has.

import type { JSX } from "preact";
import type { Thread } from "../../api/types.ts";
import type { Question, RunModel } from "../../run/model.ts";
import { PocketFlowView } from "./pocketflow.tsx";
import { TextView } from "./writehere/view.tsx";
import { DeepSearchView } from "./deepsearch/view.tsx";
import { ObsiusView } from "./obsius/view.tsx";

export interface AppProps {
  thread: string;
  record: Thread;
  model: RunModel;
  /** The open questions. */
  questions: Question[];
}

export interface AppView {
  /** The name of its tab. */
  name: string;
  View: (props: AppProps) => JSX.Element;
}

const VIEWS: Record<string, AppView> = {
  pocketflow: { name: "Research", View: PocketFlowView },
  writehere: { name: "Text", View: TextView },
  deepsearch: { name: "Research", View: DeepSearchView },
  obsius: { name: "Work", View: ObsiusView },
};

/** The view of a graph of this name; most have none. */
export function appOf(graph: string | undefined): AppView | undefined {
  return graph === undefined || !Object.hasOwn(VIEWS, graph) ? undefined : VIEWS[graph];
}
