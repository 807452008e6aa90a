// How a case is declared, and what all cases share.

import { test } from "node:test";
import { WebSocket } from "ws";
import { ABSENT, FAILS } from "./reference-fails.js";

export const address = (process.env.AGENT_SERVER ?? "").replace(/\/$/, "");
if (!address.startsWith("http://")) throw new Error("AGENT_SERVER must be the address of the server, such as http://127.0.0.1:2024");

// No client may report anywhere but to the server under test.
process.env.LANGSMITH_TRACING = "false";
for (const key of ["LANGGRAPH_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"]) delete process.env[key];

// Node has one of its own from version 22 on.
globalThis.WebSocket ??= WebSocket;

const reference = process.env.AGENT_SERVER_KIND === "reference";

// Declares a case. On the reference server those that it is known to fail count as open, and what it does not have is left out.
export function it(name, body) {
  const options = { timeout: 60_000 };
  if (reference && FAILS[name]) options.todo = FAILS[name];
  if (reference) options.skip = Object.entries(ABSENT).find(([start]) => name.startsWith(start))?.[1];
  test(name, options, body);
}

// All parts of a stream.
export async function collect(parts) {
  const found = [];
  for await (const part of parts) found.push(part);
  return found;
}

// Asks again until the answer holds; for what no endpoint can wait for.
export async function until(ask, holds, milliseconds = 40_000) {
  const last = Date.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > last) throw new Error(`waited in vain; the last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// The status with which a call is refused.
export async function refusal(call) {
  try {
    await call;
  } catch (error) {
    return error.status ?? Number(/HTTP (\d+)/.exec(error.message)?.[1]) ?? error.message;
  }
  return "taken";
}
