import type { RunOperation } from "../../../../operations/run-operation.ts";
import { consentText } from "../../commands/plugins/hooks.ts";

/** Asks about each shell hook that the user has not accepted in its current form. */
export async function offerHooks(
  run: RunOperation,
  confirm: (question: string) => Promise<boolean>,
  print: (text: string) => void,
): Promise<void> {
  const listed = await run("hooks.list", {});
  for (const hook of listed.ok ? listed.value.hooks : []) {
    // The chat can end before the user answers, so nothing waits for the answer.
    const ask = async () => confirm(`${consentText(hook)} Run it from now on?`).catch(() => false);
    if (hook.state === "accepted" || !(await ask())) continue;
    const accepted = await run("hooks.accept", { command: hook.command });
    print(accepted.ok ? "Accepted. `hermes hooks revoke` revokes the consent.\n" : `${accepted.error.message}\n`);
  }
}
