import { hermes } from "./fake-terminal.ts";
import type { Ran } from "./run-program.ts";

/** Of output that is not a terminal. */
const columns = Number.POSITIVE_INFINITY;

/**
 * Runs one command line in this process. It costs a tenth of a start of the built program, which is enough where the
 * process is not the point of the test.
 */
export async function runHere(
  { work, env }: { readonly work: string; readonly env: Readonly<Record<string, string>> & { HERMES_HOME: string } },
  args: readonly string[],
  input = "",
): Promise<Ran> {
  const { code, out, err } = await hermes(args, { home: env.HERMES_HOME, env, cwd: work, input, columns });
  return { code, stdout: out, stderr: err };
}
