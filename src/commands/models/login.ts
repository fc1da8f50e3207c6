import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const loginCommand: SlashCommand = {
  name: "login",
  args: "[provider]",
  maxWords: 1,
  summary: "Sign in at a model provider with your browser, or list the providers",
  where: "terminal",
  async choices(before, { run }) {
    if (before.length > 0) return [];
    return (await run("model.list", { all: true })).providers.map(({ id, title }) => ({ value: id, summary: title }));
  },
  async run(args, { run }) {
    if (args === "") {
      const { providers } = await run("model.list", { all: true });
      const usable = providers.filter((provider) => provider.usable);
      const list = rows(usable.map(({ id, title }) => [id, title]));
      const head = usable.length === 0 ? "You are not signed in anywhere." : `Usable now:\n${list}`;
      return { text: `${head}\nSign in: /login PROVIDER. Add a key: hermes auth add PROVIDER` };
    }
    const { id, title } = await run("auth.signIn", { provider: args });
    return { text: `Signed in at ${title}. /model ${id}/MODEL uses it.` };
  },
};
