import { parsedObject } from "../../../base/json.ts";
import { err, reasonOf, type Result } from "../../../base/result.ts";
import { type AwsFault, type LentKeys, readLentKeys } from "./ask-aws.ts";

/** Runs the `credential_process` of a profile, which prints keys as JSON. */
export async function runForKeys(
  name: string,
  command: string,
  signal: AbortSignal,
): Promise<Result<LentKeys, AwsFault>> {
  const { exec } = process.getBuiltinModule("node:child_process");
  const fail = (why: string) => err({ message: `AWS profile ${name}: its credential_process ${why}` });
  return new Promise((resolve) => {
    try {
      const options = { signal, timeout: longestMs, maxBuffer: 1_000_000, windowsHide: true };
      const child = exec(command, options, (failure, stdout, stderr) => {
        const words = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
        if (signal.aborted) resolve(err({ message: "interrupted" }));
        else if (failure?.killed) resolve(fail(`did not answer within ${longestMs / 1000} seconds`));
        else if (failure) resolve(fail(`failed${words === "" ? "" : `: ${words}`}`));
        else resolve(readLentKeys(parsedObject(stdout), `AWS profile ${name}: its credential_process`));
      });
      child.stdin?.end();
    } catch (thrown) {
      resolve(fail(`cannot be run: ${reasonOf(thrown)}`));
    }
  });
}

const longestMs = 60_000;
