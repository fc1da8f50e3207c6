import { rows } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "provider",
  summary: "Show the provider in use, and which others could be",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { host, session, signal }) {
    const { provider, offline } = session.model();
    const others = (await host.providers(signal)).map(({ name, note }) => [name, note] as const);
    const about = offline ? `${provider}: the built-in rules, no AI` : provider;
    const list = others.length === 0 ? "" : `\n${rows(others)}`;
    return { text: `${about}${list}\nConnect one: hermes auth add PROVIDER, then /model PROVIDER/MODEL` };
  },
});
