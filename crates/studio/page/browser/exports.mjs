// Threads as files: saved from a page, and opened in one.

import { readFileSync } from "node:fs";

/** Saves the thread of a page as a download, since no person is here to choose a file; answers the path of the file. */
export async function saved(page) {
  await page.addInitScript(() => delete window.showSaveFilePicker);
  await page.reload();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  return await (await download).path();
}

/** Opens a file, or bytes, in the view that opens files. */
export async function open(page, file) {
  const buffer = typeof file === "string" ? readFileSync(file) : file;
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "thread.jsonl", mimeType: "application/x-ndjson", buffer });
}
