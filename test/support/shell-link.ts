import { streamProgram } from "../../src/base/process/run-program.ts";
import type { Link } from "../../src/environments/remote/link.ts";

/** A backend that is this machine itself: a shell runs each script, with these variables. */
export function shellLink(env: Readonly<Record<string, string>>, shell: readonly string[] = ["sh"]): Link {
  const [program = "sh", ...args] = shell;
  return {
    kind: "shell",
    canHoldInput: true,
    async run(script, streams) {
      const end = await streamProgram({
        program,
        args: [...args, "-c", script],
        env,
        ...streams,
        onErrorOutput: streams.onControl,
      });
      if (end.how === "exit") return { how: "exit", exitCode: end.code };
      if (end.how === "aborted") return end;
      return { how: "broken", message: end.how === "killed" ? `killed by ${end.signal}` : end.message };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
