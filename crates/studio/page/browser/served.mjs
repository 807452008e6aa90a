// A server of the program that `GRAPHLOOM` names, with the demo graphs, the applications that are asked for, and a data
// folder of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = process.env.GRAPHLOOM;
assert.ok(PROGRAM, "set GRAPHLOOM to the program `graphloom`");

/** After so long, in milliseconds, a program that does not say where it listens or does not end counts as one that hangs. */
const HANGS = 300_000;

/**
 * Starts a server. With `key` it asks for that key, which may read and run. `apps` names applications, with commas between;
 * their model is `model`, or one that answers by the rules of `script` (see `scripted` in crates/llm). `options` are further
 * ones of the command line.
 */
export async function serve({ key, apps = "none", model, script, options: more = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "studio-served-"));
  const options = ["--apps", apps, ...more];
  if (script !== undefined) {
    const file = join(folder, "script.json");
    writeFileSync(file, JSON.stringify(script));
    options.push("--model", `scripted:${file}`);
  } else if (model !== undefined) {
    options.push("--model", model);
  }
  if (key !== undefined) {
    const file = join(folder, "keys");
    writeFileSync(file, `studio read,run ${key}\n`, { mode: 0o600 });
    options.push("--api-key-file", file);
  }
  const served = new Served(folder, options, key);
  await served.start();
  return served;
}

class Served {
  #folder;
  #options;
  #key;
  #process;
  #port = 0;
  #said = "";
  /** The address of the studio, as the program prints it. */
  link = "";

  constructor(folder, options, key) {
    this.#folder = folder;
    this.#options = options;
    this.#key = key;
  }

  /** Its address, without a slash at the end. */
  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The address of a view, such as `#/runs`. */
  studio(view = "") {
    return `${this.url}/studio/${view}`;
  }

  /** Where it keeps what it has. */
  get folder() {
    return this.#folder;
  }

  get pid() {
    return this.#process.pid;
  }

  /** Starts it, the second time on the port of the first and with what it kept. */
  async start() {
    const data = ["--data-dir", join(this.#folder, "data"), "--no-config"];
    const address = ["--port", String(this.#port), "--json"];
    const args = ["serve", "--demo", ...address, ...data, ...this.#options];
    // The built-in model leaves a core to the browser.
    const env = { RAYON_NUM_THREADS: "1", ...process.env };
    const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "pipe"], env });
    this.#process = child;
    child.stderr.on("data", (bytes) => (this.#said = (this.#said + bytes).slice(-4000)));
    const url = await new Promise((resolve, reject) => {
      const fail = (what) => reject(new Error(`${PROGRAM} ${args.join(" ")}: ${what}\n${this.#said}`));
      const timer = setTimeout(() => fail("it did not say where it listens"), HANGS);
      child.once("error", (error) => fail(error.message));
      child.once("exit", (code, signal) => fail(`it ended with ${code ?? signal}`));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const event = JSON.parse(line);
        if (event.event !== "serving") return;
        clearTimeout(timer);
        this.link = event.studio;
        resolve(event.url);
      });
    });
    this.#port = Number(new URL(url).port);
  }

  /** Ends it as a crash would; what it kept stays. */
  kill() {
    return this.#end("SIGKILL");
  }

  /** Stops it and removes what it kept. */
  async stop() {
    await this.#end("SIGTERM");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal) {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), HANGS);
    await ended;
    clearTimeout(late);
  }

  /** Asks the server for JSON. */
  async ask(method, path, body) {
    const headers = this.#key === undefined ? {} : { "x-api-key": this.#key };
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** A new thread; answers its id. */
  async thread() {
    return (await this.ask("POST", "/threads", {})).thread_id;
  }

  /** Runs a graph to its end, or until it asks, on a thread of its own unless one is given; answers the thread's id. */
  async run(graph, input, { thread, ...more } = {}) {
    const on = thread ?? (await this.thread());
    await this.ask("POST", `/threads/${on}/runs/wait`, { assistant_id: graph, input, ...more });
    return on;
  }

  /** Starts a run and does not wait for it; answers the ids of its thread and of itself. */
  async begin(graph, input, { thread, ...more } = {}) {
    const on = thread ?? (await this.thread());
    const { run_id: run } = await this.ask("POST", `/threads/${on}/runs`, { assistant_id: graph, input, ...more });
    return { thread: on, run };
  }

  /** Answers the open question of a thread, and waits until the run asks again or ends, or until it is `begun`. */
  async answer(graph, thread, value, { begun = false } = {}) {
    const { interrupts } = await this.ask("GET", `/threads/${thread}`);
    const [{ id }] = Object.values(interrupts).flat();
    const command = { resume: { [id]: value } };
    await this.ask("POST", `/threads/${thread}/runs${begun ? "" : "/wait"}`, { assistant_id: graph, command });
  }

  state(thread) {
    return this.ask("GET", `/threads/${thread}/state`);
  }

  /** The states of a thread, newest first. */
  history(thread, limit = 100) {
    return this.ask("POST", `/threads/${thread}/history`, { limit });
  }

  /** Waits until a thread is in one of these statuses. */
  async settled(thread, ...statuses) {
    const wanted = statuses.length > 0 ? statuses : ["idle", "interrupted", "error"];
    for (const end = Date.now() + HANGS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { status } = await this.ask("GET", `/threads/${thread}`);
      if (wanted.includes(status)) return status;
      assert.ok(Date.now() < end, `the thread is ${status} and not ${wanted.join(" or ")}`);
    }
  }
}
