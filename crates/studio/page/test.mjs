// Runs the tests of the page's logic: src/**/*.test.ts, bundled one by one.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tests = readdirSync(join(here, "src"), { recursive: true }).filter((path) => path.endsWith(".test.ts"));
if (tests.length === 0) throw new Error("no tests were found");
const out = mkdtempSync(join(tmpdir(), "studio-tests-"));
await build({
  absWorkingDir: here,
  entryPoints: tests.map((path) => join("src", path)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
});
const built = readdirSync(out, { recursive: true }).filter((path) => path.endsWith(".mjs"));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...built.map((path) => join(out, path))], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
