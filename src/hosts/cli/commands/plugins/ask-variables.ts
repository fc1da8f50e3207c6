import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { secretAskerAt } from "../../questions/ask-secret.ts";

/** Asks a person for the variables that are not set, without showing them, and stores them in `.env`. */
export async function askVariables(variables: OutputOf<"plugins.info">["variables"], ctx: CliContext): Promise<void> {
  const asker = ctx.json ? undefined : secretAskerAt(ctx.io);
  for (const { name, prompt, url, isSet } of variables) {
    if (isSet || !asker) continue;
    // Other names are settings and do not belong in `.env`.
    if (!/^[A-Z][A-Z0-9_]*$/u.test(name)) {
      ctx.io.warn(`${name} cannot be stored by Hermes. Set it in your shell.\n`);
      continue;
    }
    const about = [prompt, url && `get it at ${url}`].filter(Boolean).join("; ");
    const question = `${name}${about === "" ? "" : ` (${escapeInvisible(about)})`}, not shown, empty to skip`;
    const typed = await asker.askSecret(name, question, ctx.signal);
    if (!typed.ok || typed.value === "") continue;
    await ctx.run("config.set", { key: name, value: typed.value });
  }
}
