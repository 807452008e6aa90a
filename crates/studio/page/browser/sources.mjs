// The page as its sources are now, in place of the one inside the program.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let folder;

/** Bundles the sources, once for all pages. */
function bundled() {
  if (folder !== undefined) return folder;
  const to = mkdtempSync(join(tmpdir(), "studio-sources-"));
  process.once("exit", () => rmSync(to, { recursive: true, force: true }));
  const build = join(dirname(fileURLToPath(import.meta.url)), "..", "build.mjs");
  const { status } = spawnSync(process.execPath, [build, to], { stdio: "inherit" });
  if (status !== 0) throw new Error("the sources cannot be bundled");
  folder = to;
  return to;
}

/** Answers a page's requests for the files of the studio from its sources; the headers stay those of the server. */
export async function fromSources(page) {
  const of = bundled();
  const client = await page.context().newCDPSession(page);
  client.on("Fetch.requestPaused", async ({ requestId, request, responseStatusCode, responseHeaders }) => {
    // A server that is away has no file, nor has the page any.
    if (responseHeaders === undefined) {
      await client.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
      return;
    }
    const name = basename(new URL(request.url).pathname.replace(/\/$/, "/index.html"));
    const body = readFileSync(join(of, name)).toString("base64");
    const headers = responseHeaders.filter(({ name }) => !/^(content-length|etag)$/i.test(name));
    const answer = { requestId, responseCode: responseStatusCode, responseHeaders: headers, body };
    await client.send("Fetch.fulfillRequest", answer).catch(() => undefined);
  });
  await client.send("Fetch.enable", { patterns: [{ urlPattern: "*/studio/*", requestStage: "Response" }] });
}
