// Namespaces as a tree, and the rows of it that are seen.

import { type Namespace, written } from "./names.ts";

interface Branch {
  label: string;
  path: Namespace;
  inside: Map<string, Branch>;
}

export interface TreeRow {
  /** Its namespace as one text. */
  id: string;
  label: string;
  path: Namespace;
  /** From 1 on. */
  level: number;
  /** Its place among those beside it, and how many they are. */
  position: number;
  beside: number;
  /** Nothing where nothing is inside. */
  isOpen: boolean | undefined;
}

export class NamespaceTree {
  private readonly root: Branch = { label: "", path: [], inside: new Map() };

  constructor(namespaces: readonly Namespace[]) {
    for (const namespace of namespaces) {
      let branch = this.root;
      for (const [at, label] of namespace.entries()) {
        let inner = branch.inside.get(label);
        if (inner === undefined) {
          inner = { label, path: namespace.slice(0, at + 1), inside: new Map() };
          branch.inside.set(label, inner);
        }
        branch = inner;
      }
    }
  }

  /** The rows that are seen while the namespaces of `open` are open. */
  rows(open: ReadonlySet<string>): TreeRow[] {
    const rows: TreeRow[] = [];
    const visit = (branch: Branch, level: number) => {
      let position = 0;
      for (const inner of branch.inside.values()) {
        position += 1;
        const id = written(inner.path);
        const isOpen = inner.inside.size === 0 ? undefined : open.has(id);
        rows.push({ id, label: inner.label, path: inner.path, level, position, beside: branch.inside.size, isOpen });
        if (isOpen === true) visit(inner, level + 1);
      }
    };
    visit(this.root, 1);
    return rows;
  }
}

/** The namespaces around one, as texts: they are open so that it is seen. */
export function around(namespace: Namespace): string[] {
  return namespace.slice(0, -1).map((_, at) => written(namespace.slice(0, at + 1)));
}
