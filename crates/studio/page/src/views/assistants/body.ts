// What the server is asked for to make an assistant or its next version.

import type { Assistant, Json, JsonObject } from "../../api/types.ts";
import { equal } from "../../parts/json-values.ts";
import { visible } from "../../parts/text.ts";

/** An assistant as it is written. */
export interface Written {
  graph: string;
  name: string;
  description: string;
  context: JsonObject;
  metadata: JsonObject;
  config: JsonObject;
}

/** Its configuration without `configurable`, which the server keeps the same as the context. */
export function configOf(assistant: Pick<Assistant, "config">): JsonObject {
  return Object.fromEntries(Object.entries(assistant.config).filter(([key]) => key !== "configurable"));
}

export function writtenOf(assistant: Assistant): Written {
  return {
    graph: assistant.graph_id,
    name: assistant.name,
    description: assistant.description ?? "",
    context: assistant.context,
    metadata: assistant.metadata,
    config: configOf(assistant),
  };
}

/** The body that makes one; what is empty is left to the server. */
export function bodyOfNew(written: Written): JsonObject {
  const body: JsonObject = { graph_id: written.graph };
  if (written.name.trim() !== "") body.name = written.name.trim();
  if (written.description.trim() !== "") body.description = written.description;
  for (const part of ["context", "metadata", "config"] as const) {
    if (Object.keys(written[part]).length > 0) body[part] = written[part];
  }
  return body;
}

/** The body that makes the next version: what differs from the current one. */
export function bodyOfChange(before: Assistant, written: Written): JsonObject {
  const was = writtenOf(before);
  const body: JsonObject = {};
  if (written.name !== was.name) body.name = written.name;
  if (written.description !== was.description) body.description = written.description;
  if (!equal(written.context, was.context)) body.context = written.context;
  if (!equal(written.config, was.config)) body.config = written.config;
  const metadata = metadataChange(was.metadata, written.metadata);
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return body;
}


/** The keys of metadata that differ. */
export function metadataChange(before: JsonObject, after: JsonObject): JsonObject {
  const isSame = (key: string, value: Json) => Object.hasOwn(before, key) && equal(value, before[key] ?? null);
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => !isSame(key, value)));
}

/** What is wrong with metadata that leaves keys out, in words. */
export function stayingKeys(before: JsonObject, after: JsonObject): string | undefined {
  const keys = keysThatStay(before, after).map((key) => `\`${visible(key)}\``);
  if (keys.length === 0) return undefined;
  const them = keys.length === 1 ? "it" : "them";
  return `The server takes no key of metadata away: ${keys.join(", ")} would stay. Set ${them} to null.`;
}

/** Keys of metadata that are left out; the server puts keys over those there are, and takes none away. */
export function keysThatStay(before: JsonObject, after: JsonObject): string[] {
  return Object.keys(before).filter((key) => !Object.hasOwn(after, key));
}
