import { basename } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import type { ConvertFile } from "./convert-file.ts";

/**
 * Converts a HEIC image to PNG or JPEG with a program on this machine, because the image library may lack its codec.
 */
export async function convertHeic(
  bytes: Uint8Array,
  convert: ConvertFile,
  signal: AbortSignal,
): Promise<Result<Uint8Array, string>> {
  const converted = await convert(
    {
      programs: ["heif-dec", "heif-convert", "sips", "ffmpeg"],
      args(program, { input, output }) {
        const target = `${output}/picture.png`;
        if (basename(program) === "sips") return ["-s", "format", "png", input, "--out", target];
        if (basename(program) === "ffmpeg")
          return ["-nostdin", "-v", "error", "-i", input, "-frames:v", "1", "-update", "1", target];
        return [input, target];
      },
      input: bytes,
      timeoutMs: 60_000,
      maxOutputBytes: 400_000_000,
    },
    signal,
  );
  const install = "Install heif-convert (Debian: libheif-examples), or export the image as JPEG";
  if (!converted.ok)
    return err(
      converted.error.kind === "missing"
        ? `no program for HEIC is installed. ${install}`
        : `${converted.error.message}. ${install}`,
    );
  const [image] = converted.value.files;
  return image ? ok(image.bytes) : err(`the program wrote no image. ${install}`);
}
