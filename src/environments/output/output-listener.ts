import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { ExecOptions } from "../../contracts/environment/environment.ts";

/** Passes copies, because the buffer is reused. A listener that throws is not called again. */
export function outputListener(onOutput: ExecOptions["onOutput"], log: Logger): (chunk: Uint8Array) => void {
  let listener = onOutput;
  return (chunk) => {
    try {
      listener?.(Uint8Array.from(chunk));
    } catch (thrown) {
      listener = undefined;
      log.error("exec.listener.failed", { error: reasonOf(thrown) });
    }
  };
}
