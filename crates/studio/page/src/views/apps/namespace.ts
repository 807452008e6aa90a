// The namespace of an application's own graph in the graph around it.

import { namespaceKey, type RunModel } from "../../run/model.ts";

/** The namespace of the newest call of the subgraph that this node is; empty where there was none. */
export function namespaceOf(model: RunModel, node: string): string {
  const call = model.calls.findLast(({ namespace: [first, ...deeper] }) => {
    return deeper.length === 0 && first?.startsWith(`${node}:`) === true;
  });
  return call === undefined ? "" : namespaceKey(call.namespace);
}
