// A program with `--studio`, beside the program that `GRAPHLOOM` names.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** After so long, in milliseconds, a program that shows no link counts as one that hangs. */
const HANGS = 300_000;

/** Starts `pocketflow` with these arguments and a model that answers by rules, and waits for its link. */
export async function talking(args, script) {
  const folder = mkdtempSync(join(tmpdir(), "studio-talking-"));
  const rules = join(folder, "script.json");
  writeFileSync(rules, JSON.stringify(script));
  const options = ["--studio", "--model", `scripted:${rules}`, "--data-dir", join(folder, "data"), "--no-config"];
  const program = join(dirname(process.env.GRAPHLOOM), "pocketflow");
  const child = spawn(program, [...args, ...options], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let said = "";
  child.stderr.on("data", (bytes) => (said += bytes));
  const end = async (signal) => {
    child.kill(signal);
    const [status] = await ended;
    rmSync(folder, { recursive: true, force: true });
    return status;
  };
  for (const late = Date.now() + HANGS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const link = /^studio: (\S+)$/m.exec(said)?.[1];
    if (link !== undefined) return { link, said: () => said, interrupted: () => end("SIGINT") };
    if (child.exitCode !== null || Date.now() > late) {
      await end("SIGKILL");
      throw new Error(`${program} shows no studio:\n${said}`);
    }
  }
}
