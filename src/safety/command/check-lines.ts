import { systemClock } from "../../base/clock.ts";
import { lineCheck } from "../../contracts/host/line-check.ts";
import { judgeCommand } from "./judge-command.ts";
import type { StartState } from "./shell/shell-state.ts";

/**
 * Handles one line of `hermes check commands`: `{id, command}` in, `{id, verdict, rule, reason, us}` out. The verdict
 * is that of the default policy in an ordinary project folder.
 */
export const checkCommandLine = lineCheck("id and command", ({ command }) => {
  if (typeof command !== "string") return "command is missing";
  const startedAt = systemClock.elapsed();
  const { verdict, findings } = judgeCommand(command, ordinaryFolder);
  const us = Math.round((systemClock.elapsed() - startedAt) * 1000);
  const [worst] = findings;
  return worst
    ? { verdict, rule: worst.rule, reason: worst.sentence, us }
    : { verdict, rule: "none", reason: "no rule matches", us };
});

/** The start state that `hermes check commands` assumes: an ordinary project folder. */
export const ordinaryFolder: StartState = {
  cwd: "/home/user/project",
  home: "/home/user",
  user: "user",
  functions: {},
  aliases: {},
  variables: { TMPDIR: "/tmp", HERMES_HOME: "/home/user/.hermes" },
};
