// Namespaces and items by name: in the address, and on the wire.

export type Namespace = readonly string[];

/** A namespace as one text: no label has a slash in it that is not escaped. */
export function written(namespace: Namespace): string {
  return namespace.map(encodeURIComponent).join("/");
}

export function readNamespace(text: string | null): string[] {
  if (text === null || text === "") return [];
  return text.split("/").map((label) => {
    try {
      return decodeURIComponent(label);
    } catch {
      return label;
    }
  });
}

/** A key as it stands in the address, where an empty one would be none. */
export function writtenKey(key: string): string {
  return key === "" || key.startsWith('"') ? JSON.stringify(key) : key;
}

export function readKey(text: string | null): string | undefined {
  if (text === null || text === "") return undefined;
  if (!text.startsWith('"')) return text;
  try {
    const key: unknown = JSON.parse(text);
    return typeof key === "string" ? key : text;
  } catch {
    return text;
  }
}

/**
 * The part of a namespace that a request can name. Nodes of graphs can use labels with a dot, and the wire, which has
 * dots between labels, has no way to name those.
 */
export function nameable(namespace: Namespace): Namespace {
  const dotted = namespace.findIndex((label) => label.includes("."));
  return dotted < 0 ? namespace : namespace.slice(0, dotted);
}

export function isNameable(namespace: Namespace): boolean {
  return nameable(namespace).length === namespace.length;
}

/** A namespace as a person writes it, a label in a line. */
export function labelsOf(text: string): { labels: string[] } | { problem: string } {
  const labels = text.replace(/\n+$/, "").split("\n");
  if (text.trim() === "") return { problem: "At least one label is needed." };
  if (labels.some((label) => label === "")) return { problem: "A line between the labels is empty." };
  const dotted = labels.find((label) => label.includes("."));
  return dotted === undefined ? { labels } : { problem: `A label has no dot in it: ${dotted}` };
}

/** Whether a namespace is another one, or is in it. */
export function isBelow(namespace: Namespace, outer: Namespace): boolean {
  return outer.every((label, at) => namespace[at] === label);
}
