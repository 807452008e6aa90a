// Bundles the page into ../bundle, or into the folder that is given. The same sources and packages give the same bytes.
import { build } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "bundle");
mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.tsx", style: "src/style.css" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));
copyFileSync(join(here, "src", "icon.svg"), join(out, "icon.svg"));
