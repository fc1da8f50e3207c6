import { z } from "zod";

import { isObject } from "../../base/json.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import {
  listAgents,
  resumeAgent,
  sendToAgent,
  showAgent,
  steerAgent,
  stopAgent,
  waitForAgents,
} from "./agent-actions.ts";
import { spawnAgents } from "./spawn-agents.ts";
import { tasksOf } from "./task-arguments.ts";

const text = () => z.string().optional();
const role = () => z.enum(["leaf", "orchestrator"]).optional();
const limit = () => z.number().optional();
/**
 * Accepts any structure: the code checks it and explains a fault better. For some providers, a value without a type
 * needs a long schema.
 */
const object = () => z.unknown().meta({ type: "object" });

const input = z.object({
  action: z.enum(["spawn", "list", "status", "steer", "wait", "stop", "resume", "send"]).optional(),
  goal: text(),
  context: text(),
  tasks: z.array(object()).optional(),
  agent: text(),
  role: role(),
  toolsets: z.array(z.string()).optional(),
  model: text(),
  output_schema: object().optional(),
  max_iterations: limit(),
  max_usd: limit(),
  max_tokens: limit(),
  max_seconds: limit(),
  share: z.boolean().optional(),
  isolation: z.enum(["worktree"]).optional(),
  background: z.boolean().optional(),
  subagent_id: text(),
  message: text(),
});

type Args = z.output<typeof input>;

const description =
  "Give work to child agents. A child knows only goal and context and returns a report. For independent work, in " +
  "parallel: tasks [{goal, context, agent}], and reading that would flood your context; not for a few calls or what " +
  "needs the user. Name paths, facts, expected result; verify what matters. background: reports come as messages.";

export default defineTool({
  name: "delegate_task",
  toolset: "delegation",
  description,
  emoji: "🤝",
  input,
  needs: ["agents"],
  // The timeout is unlimited, because children have their own limits.
  traits: { parallel: true, timeoutMs: Infinity },
  refine: ({ agents = [] }) => ({
    description: agents.length === 0 ? description : `${description} agent: ${listed(agents)}.`,
  }),
  effects: effectsOf,
  async run(args, ctx) {
    const { action = "spawn" } = args;
    switch (action) {
      case "spawn": {
        const tasks = tasksOf(args, ctx.agents.limits);
        return tasks.ok ? spawnAgents(tasks.value, args.background === true, ctx) : fail(tasks.error, "invalid_args");
      }
      case "list":
        return listAgents(ctx);
      case "status":
        return showAgent(args, ctx);
      case "steer":
        return steerAgent(args, ctx);
      case "wait":
        return waitForAgents(args, ctx);
      case "stop":
        return stopAgent(args, ctx);
      case "resume":
        return resumeAgent(args, ctx);
      case "send":
        return sendToAgent(args, ctx);
    }
  },
});

/** Lists the names of agents, as many as fit on a line. */
function listed(agents: readonly string[]): string {
  const shown = agents.slice(0, maxListed);
  return agents.length > shown.length
    ? `${shown.join(", ")} and ${agents.length - shown.length} more`
    : shown.join(", ");
}

const maxListed = 20;

/** The agent name that rules use (`@spawn general`) for a child without an agent file. */
const general = "general";

function effectsOf({ action = "spawn", agent = "", tasks = [] }: Args): readonly Effect[] {
  if (action === "resume" || action === "send") return [{ kind: "spawn", agent: general }];
  if (action !== "spawn") return [];
  const own = tasks.map((task) => (isObject(task) && typeof task["agent"] === "string" ? task["agent"] : ""));
  const names = tasks.length > 0 ? own.map((name) => name || agent) : [agent];
  return [...new Set(names)].map((name) => ({ kind: "spawn", agent: name || general }));
}
