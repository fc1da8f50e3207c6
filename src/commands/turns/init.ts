import { promptOf } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const initCommand: SlashCommand = {
  name: "init",
  args: "[wishes]",
  summary: "Let the agent write or update AGENTS.md of this project",
  whileBusy: "refuse",
  async run(args) {
    const wishes = args === "" ? "" : `\n\nThe person adds: ${args}`;
    return { text: "", effect: { kind: "prompt", content: promptOf(`${request}${wishes}`), isOrder: true } };
  },
};

const request = `Write the file AGENTS.md at the root of this project, or update the one that is there. Agents and people read it first, so keep it short: at most 120 lines, only facts that you checked in the project, nothing that every project has.

1. Look around: README, manifests, build files, CI, tests, the folders, and rules for other agents (CLAUDE.md, .cursorrules, .github/copilot-instructions.md).
2. Write: one sentence about the project; the commands for set-up, build, one test, all tests and lint, as they work here; where each concern lives; rules that the code follows and that are easy to break; what not to touch.
3. If there is an AGENTS.md, keep what still holds and what people wrote on purpose; correct what is wrong.

Answer with what you wrote or changed, in a few lines.`;
