// A page without a browser, and a component in it that holds a streaming hook.

import { after } from "node:test";
import { JSDOM } from "jsdom";
import { address, until } from "./cases.js";

const page = new JSDOM("<!doctype html>", { url: "http://127.0.0.1:3000/", pretendToBeVisual: true });
globalThis.window = page.window;
globalThis.document = page.window.document;
globalThis.navigator ??= page.window.navigator;
globalThis.IS_REACT_ACT_ENVIRONMENT = false;
const { createElement, useEffect } = await import("react");
const { createRoot } = await import("react-dom/client");
after(() => page.window.close());

// The text of a message of any client.
const textOf = (message) => message.text ?? (Array.isArray(message.content) ? message.content.map((block) => block.text).join("") : message.content);

// Mounts a hook. The body gets what the hook returned at the last rendering, as a function, and the element that shows the messages.
export async function mounted(hook, options, body) {
  const held = {};
  const Probe = () => {
    const stream = hook({ apiUrl: address, ...options });
    // React may render without keeping the rendering: only what it kept counts.
    useEffect(() => void (held.stream = stream));
    return createElement("p", null, stream.messages.map(textOf).join("|"));
  };
  const place = page.window.document.createElement("div");
  page.window.document.body.append(place);
  const root = createRoot(place);
  root.render(createElement(Probe));
  await until(() => held.stream, Boolean);
  try {
    await body(() => held.stream, place);
  } finally {
    await (held.stream.disconnect?.() ?? held.stream.stop()).catch(() => {});
    root.unmount();
  }
}
