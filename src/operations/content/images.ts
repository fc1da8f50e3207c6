import { open } from "node:fs/promises";
import { resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { userFolder } from "../../config/home.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
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
    needs: ["config"],
    async run({ path }, { config }, { cwd }) {
      const file = resolve(cwd, expandHome(path, userFolder(config.env)));
      const bytes = await imageBytes(file);
      return bytes.ok ? promptImage(bytes.value, file) : bytes;
    },
  }),
};

async function imageBytes(file: string): Promise<Result<Uint8Array, OperationFault>> {
  try {
    await using handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isFile()) return err({ message: `${file} is not a file.`, kind: "input" });
    if (stats.size > maxImageBytes) return err(tooLarge(file));
    return ok(await handle.readFile());
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message, kind: "input" });
  }
}

/** Checks that models accept the image. */
export async function promptImage(bytes: Uint8Array, name: string): Promise<Result<PromptImage, OperationFault>> {
  if (bytes.length > maxImageBytes) return err(tooLarge(name));
  const { imageFacts } = await import("../../base/files/image-facts.ts");
  const facts = imageFacts(bytes);
  if (facts?.mimeType === undefined) {
    const kind = facts ? `a ${facts.format} image` : "not an image";
    return err({ message: `${name} is ${kind}. Models accept PNG, JPEG, GIF and WebP.`, kind: "input" });
  }
  const { format, mimeType, size } = facts;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const pixels = size ? `${size.width}×${size.height}, ` : "";
  return ok({ content: { type: "image", mimeType, data }, label: `${format}, ${pixels}${sizeText(bytes.length)}` });
}

function tooLarge(name: string): OperationFault {
  return { message: `${name} is larger than ${maxImageBytes / 1_000_000} MB.`, kind: "input" };
}

const maxImageBytes = 20_000_000;
