// What assistants are called.

import type { Assistant } from "../../api/types.ts";
import { short, visible } from "../../parts/text.ts";

export function nameShown(assistant: Pick<Assistant, "name">): string {
  return assistant.name.trim() === "" ? "without a name" : visible(short(assistant.name, 200));
}

/** Whether the server made it of a graph by itself; runs that name the graph are of it. */
export function isOfServer(assistant: Pick<Assistant, "metadata">): boolean {
  return assistant.metadata.created_by === "system";
}

/** A name with its graph, where it is not the same. */
export function nameAndGraph(assistant: Assistant): string {
  const name = nameShown(assistant);
  return assistant.name === assistant.graph_id ? name : `${name} (${visible(assistant.graph_id)})`;
}
