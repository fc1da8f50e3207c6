import { parsedJson } from "../../base/json.ts";
import { streamProgram } from "../../base/process/run-program.ts";

export interface SvgFacts {
  readonly width: number;
  readonly height: number;
  readonly density?: number;
}

export interface SvgWish {
  readonly density: number;
  readonly crop?: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly maxPixels: number;
}

/**
 * Draws SVG images in a process of its own, because a hostile drawing can keep the image library busy for hours, and
 * only the end of the process stops it. Rejects with the reason if the drawing is damaged or takes too long.
 */
export interface SvgDrawing {
  facts(): Promise<SvgFacts>;
  /** The drawing, or the part of it, as a PNG. */
  draw(wish: SvgWish): Promise<Uint8Array>;
}

export function createSvgDrawing(svg: Uint8Array, signal: AbortSignal, maxMs = defaultMaxMs): SvgDrawing {
  async function run(task: object): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let errors = "";
    const late = AbortSignal.timeout(maxMs);
    const end = await streamProgram({
      program: process.execPath,
      args: ["-e", drawingProgram, import.meta.resolve("sharp"), JSON.stringify(task)],
      env: {},
      stdin: svg,
      signal: AbortSignal.any([signal, late]),
      onOutput: (chunk) => chunks.push(Uint8Array.from(chunk)) > 0,
      resume: async () => {},
      onErrorOutput: (chunk) => void (errors = `${errors}${Buffer.from(chunk).toString()}`.slice(-maxErrorChars)),
    });
    if (end.how === "exit" && end.code === 0) return Buffer.concat(chunks);
    if (end.how === "aborted" && late.aborted) throw new Error(`it takes longer than ${maxMs / 1000} s to draw`);
    throw new Error(errors.trim().split("\n").at(-1) || "the image library ended early");
  }

  return {
    // The cast is safe: the program below writes these fields.
    facts: async () => parsedJson((await run({})).toString()) as SvgFacts,
    draw: async (wish) => run(wish),
  };
}

const defaultMaxMs = 30_000;
const maxErrorChars = 2_000;

const drawingProgram = `(async () => {
  const { default: sharp } = await import(process.argv[1]);
  const { density, crop, maxPixels } = JSON.parse(process.argv[2]);
  const input = require("node:fs").readFileSync(0);
  if (density === undefined) {
    const { width, height, density } = await sharp(input, { limitInputPixels: false }).metadata();
    process.stdout.write(JSON.stringify({ width, height, density }));
    return;
  }
  const whole = sharp(input, { density, failOn: "error", limitInputPixels: maxPixels });
  process.stdout.write(await (crop ? whole.extract(crop) : whole).png({ compressionLevel: 1 }).toBuffer());
})().catch((thrown) => {
  console.error(String(thrown.message).split("\\n", 1)[0]);
  process.exitCode = 1;
});`;
