import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { cut } from "../../base/text/text.ts";
import type { Environment } from "../../contracts/environment/environment.ts";

/** Runs POSIX shell scripts on the machine with the files, independent of the session's shell. */
export interface RemoteShell {
  /** The output, split at `mark` (the first argument, `$1`). An exit code other than 0 is a failure. */
  run(
    script: string,
    args: readonly string[],
    signal: AbortSignal,
    stdin?: Uint8Array,
  ): Promise<Result<readonly Buffer[]>>;
}

export function createRemoteShell(environment: Pick<Environment, "exec">): RemoteShell {
  return {
    async run(script, args, signal, stdin) {
      const mark = `hermes-${randomHex(8)}`;
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      const command = ["command sh -c", quoteForShell(script), "sh", ...[mark, ...args].map(quoteForShell)].join(" ");
      const ran = await environment.exec(command, {
        signal,
        timeoutMs,
        carry: false,
        ...(stdin && { stdin }),
        onOutput(chunk) {
          bytes += chunk.length;
          if (bytes <= maxBytes) chunks.push(chunk);
        },
      });
      if (!ran.ok) return err({ message: ran.error.message });
      const output = Buffer.concat(chunks);
      if (bytes > maxBytes) return err({ message: `more than ${maxBytes} bytes came from ${ran.value.backend}` });
      const { ended, exitCode, fault } = ran.value;
      if (ended !== "exit" || exitCode !== 0) {
        const text = cut(output.toString().trim().slice(-300), 300);
        return err({
          message: fault ?? `recording on ${ran.value.backend} failed (${ended} ${exitCode ?? ""}): ${text}`,
        });
      }
      return ok(parts(output, Buffer.from(`\n${mark}\n`)));
    },
  };
}

const timeoutMs = 110_000;
const maxBytes = 64_000_000;

/** Splits NUL-terminated strings. */
export function untilNul(bytes: Buffer): readonly string[] {
  const texts = bytes.toString().split("\0");
  return texts.slice(0, -1);
}

function parts(output: Buffer, mark: Buffer): readonly Buffer[] {
  const matches: Buffer[] = [];
  let start = 0;
  for (let index = output.indexOf(mark); index >= 0; index = output.indexOf(mark, start)) {
    matches.push(output.subarray(start, index));
    start = index + mark.length;
  }
  return [...matches, output.subarray(start)];
}
