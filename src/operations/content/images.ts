import { open } from "node:fs/promises";
import { resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { userFolder } from "../../config/home.ts";
import { integer, object, oneOf, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { Pictures } from "../../contracts/media/pictures.ts";
import type { ImagePart } from "../../contracts/model/message.ts";
import { readOperation } from "../operation.ts";

/** An image for a prompt. `label`: format, dimensions and size, for people. */
export interface PromptImage {
  readonly content: ImagePart;
  readonly label: string;
}

export const operations = {
  read: readOperation({
    summary: "Read an image file of this machine as content for a prompt",
    input: object({ path: string("the file, absolute or relative to the folder of the caller") }),
    needs: ["config", "pictures"],
    async run({ path }, { config, pictures }, { cwd, signal }) {
      const file = resolve(cwd, expandHome(path, userFolder(config.env)));
      const bytes = await imageBytes(file);
      return bytes.ok ? promptImage(bytes.value, file, pictures, signal) : bytes;
    },
  }),
  draw: readOperation({
    summary: "Draw an image file of this machine with the picture protocol of a terminal",
    input: object({
      path: string("the file, absolute or relative to the folder of the caller"),
      protocol: oneOf("how the terminal takes pictures", ["kitty", "iterm", "sixel"]),
      columns: integer("width of the terminal in cells", { minimum: 1 }),
      rows: integer("height of the terminal in cells", { minimum: 1 }),
    }),
    needs: ["config"],
    async run({ path, protocol, columns, rows }, { config }, { cwd }) {
      const bytes = await imageBytes(resolve(cwd, expandHome(path, userFolder(config.env))));
      if (!bytes.ok) return bytes;
      const { drawPicture } = await import("../../media/terminal/draw-picture.ts");
      const drawn = await drawPicture(bytes.value, protocol, { columns, rows });
      return drawn.ok ? ok({ text: drawn.value }) : err({ message: drawn.error.message });
    },
  }),
};

async function imageBytes(file: string): Promise<Result<Uint8Array, OperationFault>> {
  try {
    await using handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isFile()) return err({ message: `${file} is not a file.`, kind: "input" });
    if (stats.size > maxImageBytes)
      return err({ message: `${file} is larger than ${sizeText(maxImageBytes)}.`, kind: "input" });
    return ok(await handle.readFile());
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message, kind: "input" });
  }
}

/** The image in the form that models accept: scaled down, upright, without metadata. */
export async function promptImage(
  bytes: Uint8Array,
  name: string,
  pictures: Pick<Pictures, "prepare">,
  signal: AbortSignal,
): Promise<Result<PromptImage, OperationFault>> {
  const picture = await pictures.prepare(bytes, { name }, signal);
  if (!picture.ok) return err({ message: picture.error.message, kind: "input" });
  const { content, format, original, shown } = picture.value;
  const sent = Buffer.byteLength(content.data, "base64");
  const scale = shown.width === original.width ? "" : `, sent as ${shown.width}×${shown.height}`;
  return ok({ content, label: `${format}, ${original.width}×${original.height}${scale}, ${sizeText(sent)}` });
}

const maxImageBytes = 50_000_000;
