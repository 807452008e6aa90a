// Hands bytes to the browser as a file that it saves.

/** How long the browser may take to begin reading, in milliseconds. */
const KEPT = 60_000;

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}
