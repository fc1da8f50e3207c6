import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { loadSharp } from "../images/load-sharp.ts";

/** How a terminal accepts images. */
export type PictureProtocol = "kitty" | "iterm" | "sixel";

export interface DrawnSize {
  /** The size of the terminal, in cells. */
  readonly columns: number;
  readonly rows: number;
}

/**
 * The picture as bytes for a terminal, followed by a new line. It fills at most the columns and half of the rows, so
 * that it never scrolls away while it is drawn.
 */
export async function drawPicture(
  bytes: Uint8Array,
  protocol: PictureProtocol,
  { columns, rows }: DrawnSize,
): Promise<Result<string>> {
  const loaded = await loadSharp();
  if (!loaded.ok) return err({ message: loaded.error });
  const [width, height] = [Math.min(columns, maxColumns) * cellWidth, Math.max(2, Math.floor(rows / 2)) * cellHeight];
  const fitted = loaded.value(bytes, { limitInputPixels: maxPixels, failOn: "none", autoOrient: true }).resize({
    width,
    height,
    fit: "inside",
    withoutEnlargement: true,
  });
  try {
    if (protocol === "sixel") {
      const { data, info } = await fitted
        .flatten({ background: "#ffffff" })
        .toColourspace("srgb")
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      return ok(`${sixelText(data, info.width, info.height)}\n`);
    }
    const png = await fitted.png().toBuffer();
    return ok(`${protocol === "kitty" ? kittyText(png) : itermText(png)}\n`);
  } catch (thrown) {
    return err({ message: `The picture cannot be drawn: ${reasonOf(thrown)}` });
  }
}

const cellWidth = 8;
const cellHeight = 16;
const maxColumns = 100;
const maxPixels = 250_000_000;

/** Sends chunks of 4096 characters. With `q=2`, the terminal sends no reply, which would look like typing. */
function kittyText(png: Uint8Array): string {
  const data = Buffer.from(png).toString("base64");
  const pieces = data.match(/.{1,4096}/gsu) ?? [];
  return pieces
    .map((piece, index) => {
      const head = index === 0 ? "a=T,f=100,q=2," : "";
      return `\x1b_G${head}m=${index < pieces.length - 1 ? 1 : 0};${piece}\x1b\\`;
    })
    .join("");
}

function itermText(png: Uint8Array): string {
  return `\x1b]1337;File=inline=1;size=${png.length};preserveAspectRatio=1:${Buffer.from(png).toString("base64")}\x07`;
}

/** Six rows at a time, one layer for each of 216 colours that occurs in them. */
function sixelText(data: Uint8Array, width: number, height: number): string {
  const colourAt = (x: number, y: number) => {
    const offset = (y * width + x) * 3;
    const level = (channel: number) => Math.round(((data[offset + channel] ?? 0) * 5) / 255);
    return level(0) * 36 + level(1) * 6 + level(2);
  };
  const percent = (level: number) => level * 20;
  const palette = Array.from(
    { length: 216 },
    (_, index) =>
      `#${index};2;${percent(Math.floor(index / 36))};${percent(Math.floor(index / 6) % 6)};${percent(index % 6)}`,
  ).join("");
  const bands: string[] = [];
  for (let top = 0; top < height; top += 6) {
    const layers = new Map<number, Uint8Array>();
    for (let row = 0; row < Math.min(6, height - top); row++)
      for (let x = 0; x < width; x++) {
        const colour = colourAt(x, top + row);
        const layer = layers.get(colour) ?? new Uint8Array(width);
        layer[x] = (layer[x] ?? 0) | (1 << row);
        layers.set(colour, layer);
      }
    bands.push([...layers].map(([colour, layer]) => `#${colour}${shortened(layer)}`).join("$"));
  }
  return `\x1bP0;1;0q"1;1;${width};${height}${palette}${bands.join("-")}\x1b\\`;
}

/** Repeated characters are written with a count. */
function shortened(layer: Uint8Array): string {
  let text = "";
  for (let start = 0; start < layer.length;) {
    let end = start + 1;
    while (end < layer.length && layer[end] === layer[start]) end++;
    const sign = String.fromCharCode(63 + (layer[start] ?? 0));
    text += end - start > 3 ? `!${end - start}${sign}` : sign.repeat(end - start);
    start = end;
  }
  return text;
}
