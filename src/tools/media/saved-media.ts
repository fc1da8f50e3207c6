import { isAbsolute, posix } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { ok, type Result } from "../../base/result.ts";
import type { GeneratedMedia, MediaReference } from "../../contracts/media/generate.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { readMedia } from "./media-source.ts";

const { basename, dirname, extname, join } = posix;
const folder = "generated";
const maxReferenceBytes = 50_000_000;

/** Returns the path of a result: the caller's path, or a name derived from the prompt in a folder of the project. */
export function outputPath(given: string | undefined, prompt: string, extension: string, place: Pick<Place, "cwd">) {
  if (given !== undefined) return isAbsolute(given) ? given : join(place.cwd, given);
  const words = prompt
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")
    .slice(0, 40);
  return join(place.cwd, folder, `${words || "result"}-${sha256(prompt).slice(0, 6)}.${extension}`);
}

/** Returns the reference images in a form that services accept: upright, not too large, in a common format. */
export async function readReferences(
  sources: readonly string[],
  ctx: ToolContext<"pictures" | "environment">,
): Promise<Result<readonly MediaReference[], ToolFailure>> {
  const references: MediaReference[] = [];
  for (const source of sources) {
    const read = await readMedia(source, maxReferenceBytes, ctx);
    if (!read.ok) return read;
    const picture = await ctx.pictures.prepare(read.value.bytes, { name: read.value.name }, ctx.signal);
    if (!picture.ok) return fail(picture.error.message);
    const { data, mimeType } = picture.value.content;
    references.push({ base64: data, mimeType });
  }
  return ok(references);
}

export interface SavedMedia {
  readonly path: string;
  readonly mimeType: string;
}

/** Saves the results next to each other and never overwrites a file. Returns their paths. */
export async function saveMedia(
  media: readonly GeneratedMedia[],
  given: string | undefined,
  prompt: string,
  { environment: { files }, cwd, signal, effects }: ToolContext<"environment">,
): Promise<Result<readonly SavedMedia[], ToolFailure>> {
  const saved: SavedMedia[] = [];
  for (const { bytes, mimeType } of media) {
    const extension = extensions[mimeType] ?? mimeType.split("/")[1] ?? "bin";
    // The path that was approved, with the links resolved at that time.
    const judged = effects.find((effect) => effect.kind === "write");
    const base =
      (judged && "path" in judged ? judged.path : undefined) ?? outputPath(given, prompt, extension, { cwd });
    const path = await freeName(join(dirname(base), basename(base, extname(base))), extension);
    const written = await files.write(path, bytes, signal);
    if (!written.ok)
      return fail(
        `The result cannot be saved as ${path}: ${written.error.message}. Call again with another output_path.`,
      );
    saved.push({ path, mimeType });
  }
  return ok(saved);

  async function freeName(stem: string, extension: string): Promise<string> {
    for (let number = 1; ; number++) {
      const path = number === 1 ? `${stem}.${extension}` : `${stem}-${number}.${extension}`;
      const stat = await files.stat(path, signal);
      if ((!stat.ok && stat.error.kind === "missing") || number > 1_000) return path;
    }
  }
}

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "video/quicktime": "mov",
};
