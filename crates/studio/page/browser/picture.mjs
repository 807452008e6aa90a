// Pictures as files, in WebP, and how much two of them differ. The browser reads and writes them.

/** A picture that a page took, as WebP. Letters stay readable, and a file has a third of the bytes of a PNG. */
export function webpOf(page, png) {
  return page.evaluate(async (source) => {
    const image = await createImageBitmap(await (await fetch(source)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.6 });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
  }, addressOf("png", png)).then((text) => Buffer.from(text, "base64"));
}

/**
 * The share of two pictures that differs, from 0 to 1. They are compared in squares of `side` pixels by their mean colour, so
 * that another digit in a number is no difference, and a part that is moved, missing or of another colour is one.
 */
export function difference(page, one, other, side = 8) {
  return page.evaluate(
    async ([sources, side]) => {
      const SEEN = 10;
      const images = await Promise.all(sources.map(async (one) => createImageBitmap(await (await fetch(one)).blob())));
      const [{ width, height }, second] = images;
      if (second.width !== width || second.height !== height) return 1;
      const [first, then] = images.map((image) => {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, width, height).data;
      });
      const mean = (data, left, top, colour) => {
        let sum = 0;
        for (let y = top; y < top + side; y += 1) {
          for (let x = left; x < left + side; x += 1) sum += data[4 * (y * width + x) + colour];
        }
        return sum / (side * side);
      };
      let squares = 0;
      let differ = 0;
      for (let top = 0; top + side <= height; top += side) {
        for (let left = 0; left + side <= width; left += side) {
          squares += 1;
          const by = [0, 1, 2].map((colour) => Math.abs(mean(first, left, top, colour) - mean(then, left, top, colour)));
          if (Math.max(...by) > SEEN) differ += 1;
        }
      }
      return differ / squares;
    },
    [[addressOf("webp", one), addressOf("webp", other)], side],
  );
}

/** How wide a line of letters is on this machine, in pixels: with other letters no picture is the same. */
export function letters(page) {
  return page.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    const width = (font) => {
      context.font = `16px ${font}`;
      return context.measureText("The quick brown fox jumps over 1234567890 lazy dogs").width.toFixed(2);
    };
    return ["system-ui", "ui-monospace, monospace"].map(width).join(" ");
  });
}

const addressOf = (kind, bytes) => `data:image/${kind};base64,${bytes.toString("base64")}`;
