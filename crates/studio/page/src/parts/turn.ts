// Long work in pieces: between them the page has its turn, with input, painting and other answers.

/** Work goes on for so long at most before the page has its turn, in milliseconds. */
const SLICE = 8;

/** Resolves when the page had its turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Gives the page its turn when work went on for long enough, and resolves at once when it did not. */
export class Turns {
  private began = performance.now();

  async due(): Promise<void> {
    if (performance.now() - this.began < SLICE) return;
    await turn();
    this.began = performance.now();
  }
}
