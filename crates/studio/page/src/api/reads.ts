// Which requests only read: all others change something.

/** The ends of paths that are asked with a body, and change nothing all the same. */
const ASKED = /\/(search|count|history|namespaces|versions|subgraphs|state\/checkpoint|stream\/events)$/;

export function reads(method: string, path: string): boolean {
  if (method === "GET" || method === "HEAD") return true;
  return method === "POST" && ASKED.test(path.split("?", 1)[0] ?? "");
}
