import { basename } from "node:path";

import { resolveUserPath } from "../../base/files/path.ts";
import { ok, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { Effect, Place } from "../../contracts/tool/effect.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { realPathOf } from "../files/file-on-disk.ts";

/** The source of a picture or a video, as the caller writes it. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly text: string }
  | { readonly kind: "clipboard" }
  | { readonly kind: "path"; readonly path: string };

export function mediaSource(text: string): MediaSource {
  const word = text.trim();
  if (/^data:/iu.test(word)) return { kind: "data", text: word };
  if (/^https?:\/\//iu.test(word)) return { kind: "url", url: word };
  if (word.toLowerCase() === "clipboard") return { kind: "clipboard" };
  return { kind: "path", path: /^file:\/\//iu.test(word) ? filePath(word) : text };
}

export function mediaEffects(text: string, place: Place): readonly Effect[] {
  const source = mediaSource(text);
  if (source.kind === "url") return [{ kind: "network", url: source.url }];
  if (source.kind === "path") return [{ kind: "read", path: fullPath(source.path, place) }];
  // Reading the clipboard needs approval, because it belongs to the user, who may have copied something else.
  return source.kind === "clipboard" ? [{ kind: "opaque" }] : [];
}

export interface MediaBytes {
  readonly bytes: Uint8Array;
  /** A short name for messages. */
  readonly name: string;
}

/** Returns the bytes of the source. `maxBytes` limits the size of files. */
export async function readMedia(
  text: string,
  maxBytes: number,
  ctx: ToolContext<"pictures" | "environment">,
): Promise<Result<MediaBytes, ToolFailure>> {
  const { pictures, environment, signal, cwd } = ctx;
  const source = mediaSource(text);
  if (source.kind === "data") return readDataUrl(source.text);
  if (source.kind === "path") {
    const path = fullPath(source.path, { cwd, backend: environment.kind });
    const real = await realPathOf(source.path, ctx);
    if (!real.ok) return real;
    const stat = await environment.files.stat(real.value, signal);
    if (!stat.ok) return fail(stat.error.kind === "missing" ? `${path} does not exist.` : stat.error.message);
    if (stat.value.kind !== "file") return fail(`${path} is not a file.`);
    if (stat.value.bytes > maxBytes)
      return fail(`${path} has ${sizeText(stat.value.bytes)}; at most ${sizeText(maxBytes)} are read.`);
    const read = await environment.files.read(real.value, signal, { from: 0, bytes: maxBytes });
    return read.ok ? ok({ bytes: read.value, name: basename(path) }) : fail(`${path}: ${read.error.message}`);
  }
  const read =
    source.kind === "url" ? await pictures.download(source.url, signal) : await pictures.fromClipboard(signal);
  if (!read.ok) return fail(read.error.message);
  return ok({ bytes: read.value, name: source.kind === "url" ? nameOf(source.url) : "The clipboard" });
}

function readDataUrl(text: string): Result<MediaBytes, ToolFailure> {
  const comma = text.indexOf(",");
  if (comma < 0) return fail("The data URL has no data.", "invalid_args");
  const isBase64 = /;base64$/iu.test(text.slice(0, comma));
  const body = text.slice(comma + 1);
  try {
    const bytes = isBase64 ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
    return bytes.length > 0 ? ok({ bytes, name: "The data URL" }) : fail("The data URL is empty.", "invalid_args");
  } catch {
    return fail("The data URL cannot be decoded.", "invalid_args");
  }
}

function nameOf(url: string): string {
  try {
    const { pathname, host } = new URL(url);
    return decodeURIComponent(basename(pathname)) || host;
  } catch {
    return url;
  }
}

function filePath(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return url;
  }
}

function fullPath(path: string, { cwd, backend }: Place): string {
  const full = resolveUserPath(path, backend === "local" ? { cwd, home: homeFolder() } : { cwd });
  return full.ok ? full.value : path;
}
