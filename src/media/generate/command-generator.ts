import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import { makeTempFolder } from "../../base/files/temp-folder.ts";
import { type ProgramOutput, runProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { quotedCommand } from "../../base/text/quoted-command.ts";
import { oneLine } from "../../base/text/text.ts";
import type { AspectRatio, ImageWish } from "../../contracts/media/generate.ts";
import { extensions, type MediaLocation } from "./media-service.ts";

/** A program on this machine that writes an image or a video to a file. */
export interface CommandGenerator {
  /**
   * The command with placeholders: prompt_path, prompt, input_path, output_path, aspect_ratio, width, height, model,
   * format.
   */
  readonly command: string;
  readonly model: string;
  readonly format: string;
  readonly timeoutSeconds: number;
}

export interface CommandPlace {
  readonly tempFolder: string;
  readonly env: Variables;
  readonly clock: Clock;
}

const sizes: Readonly<Record<AspectRatio, readonly [width: number, height: number]>> = {
  landscape: [1344, 768],
  square: [1024, 1024],
  portrait: [768, 1344],
};

/** Runs the command in its own folder and returns the file that it wrote. */
export async function runGenerator(
  { command, model, format, timeoutSeconds }: CommandGenerator,
  { prompt, aspectRatio, references: [reference] }: ImageWish,
  place: CommandPlace,
  signal: AbortSignal,
): Promise<Result<MediaLocation>> {
  const folder = makeTempFolder(place.tempFolder, "generate");
  try {
    const [promptPath, outputPath] = [join(folder, "prompt.txt"), join(folder, `output.${format}`)];
    await writeFile(promptPath, prompt);
    let inputPath = "";
    if (reference) {
      inputPath = join(folder, `input.${extensions[reference.mimeType] ?? "png"}`);
      await writeFile(inputPath, Buffer.from(reference.base64, "base64"));
    }
    const [width, height] = sizes[aspectRatio];
    const line = quotedCommand(command, {
      prompt_path: promptPath,
      prompt,
      input_path: inputPath,
      output_path: outputPath,
      aspect_ratio: aspectRatio,
      width: String(width),
      height: String(height),
      model,
      format,
    });
    const timeoutMs = timeoutSeconds * 1000;
    const { env, clock } = place;
    const run = {
      program: "/bin/sh",
      args: ["-c", line],
      cwd: folder,
      env,
      clock,
      timeoutMs,
      signal,
      killsGroup: true,
    };
    const ended = await runProgram(run);
    const fault = faultOf(ended, timeoutSeconds);
    if (fault !== undefined) return err({ message: fault });
    const bytes = await readFile(outputPath);
    return ok({ base64: bytes.toString("base64") });
  } catch (thrown) {
    return err({ message: `The program wrote no file at {output_path}: ${reasonOf(thrown)}` });
  } finally {
    await removeTree(folder).catch(() => undefined);
  }
}

function faultOf(ended: ProgramOutput, timeoutSeconds: number): string | undefined {
  switch (ended.how) {
    case "aborted":
      return "The program was stopped.";
    case "timeout":
      return `The program took longer than ${timeoutSeconds} s and was stopped.`;
    case "unstarted":
      return `The program cannot be started: ${ended.message}`;
    case "exit": {
      if (ended.code === 0) return undefined;
      const reason = oneLine(ended.stderr.trim().split("\n").slice(-3).join(" "), 300);
      return `The program failed (exit code ${ended.code})${reason && `: ${reason}`}`;
    }
  }
}
