// Serves the page while it is written, and builds it anew whenever a file changes. The page speaks with the server that its
// address names: http://127.0.0.1:5173/?server=http://127.0.0.1:2024
import { context } from "esbuild";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "studio-"));
for (const name of ["index.html", "icon.svg"]) copyFileSync(join(here, "src", name), join(out, name));
const watched = await context({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.tsx", style: "src/style.css" },
  outdir: out,
  bundle: true,
  format: "esm",
  sourcemap: "inline",
  jsx: "automatic",
  jsxImportSource: "preact",
});
await watched.watch();
const { port } = await watched.serve({ servedir: out, host: "127.0.0.1", port: Number(process.argv[2] ?? 5173) });
console.log(`http://127.0.0.1:${port}/`);
