import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { restoreMachine } from "./open-machine.ts";
import type { ShellStart, StartCode } from "./remote-shell.ts";
import { clearedAgain, maxAttempts, type RunDeps, sendCodeByInput } from "./run-remote.ts";
import { environmentError, runScript } from "./run-script.ts";

/**
 * All that a command needs over there before a terminal is opened for it: the connection, its folder, the files with the
 * state. What goes wrong in a terminal would be seen by nobody.
 */
export async function checkStart(
  command: string,
  start: ShellStart,
  deps: RunDeps,
  signal: AbortSignal,
): Promise<Result<StartCode | { readonly missingLevels: number }, EnvironmentError>> {
  const { link, shell, orphans } = deps;
  const cleared = await orphans.end(signal);
  if (!cleared.ok) return cleared;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const made = shell.start("", start);
    const code = await sendCodeByInput(made, randomHex(8), deps, signal);
    if (!code.ok) return code;
    const { input } = code.value;
    const script = `${code.value.text}\nprepare\n[ -r ${quoteForShell(made.variables)} ] && [ -r ${quoteForShell(shell.machine.tree)} ] || exit 40
n=0; p=${quoteForShell(start.cwd)}
while ! cd "$p" 2>/dev/null; do [ "$p" = / ] && break; p=\${p%/*}; p=\${p:-/}; n=$((n + 1)); done
printf '%s\\n' $n
exit 0`;
    const ran = await runScript(link, script, { signal, ...(input && { stdin: input }) });
    if (!ran.ok) return err(environmentError(ran.error));
    if (ran.value.exitCode === 0) {
      made.arrived();
      const missingLevels = Number(ran.value.out.toString());
      return ok(missingLevels > 0 ? { missingLevels } : shell.start(command, start));
    }
    shell.forgetSent();
    const restored = await restoreMachine(link, shell.machine, signal);
    if (!restored.ok) return restored;
  }
  return err(clearedAgain(deps));
}
