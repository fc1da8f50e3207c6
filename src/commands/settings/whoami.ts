import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const whoamiCommand: SlashCommand = {
  name: "whoami",
  summary: "Show who you are to this session: user, profile, session, approvals",
  async run(_args, { run }) {
    const [{ principal, id, cwd, approvalMode, model }, { profile }] = await Promise.all([
      run("session.status", {}),
      run("config.path", {}),
    ]);
    return {
      text: rows([
        ["user", principal],
        ["profile", profile],
        ["session", id],
        ["model", `${model.provider}/${model.model}`],
        ["approvals", approvalMode],
        ...(cwd === undefined ? [] : [["folder", cwd] as const]),
      ]),
    };
  },
};
