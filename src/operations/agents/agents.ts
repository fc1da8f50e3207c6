import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { agentTemplate } from "../../agents/files/agent-template.ts";
import { agentNameFault } from "../../agents/files/agent-text.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { type AgentId, asId, type CallId, newId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { oneLine } from "../../base/text/text.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { AgentStatus } from "../../contracts/session/agents.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { agentDefinitions, newAgentFolder } from "../../runtime/agents/agent-definitions.ts";
import { readOperation, writeOperation } from "../operation.ts";

const name = string("the agent, by the name in its file");
const child = string("the child: its number in agents.children, its id, or the beginning or end of the id");

/** Agents in files, and the child agents of the live session. */
export const operations = {
  list: readOperation({
    summary: "List the agents in files that a session here can start, and the problems of files",
    needs: ["config"],
    async run(_input, { config }, { cwd }) {
      const { agents, problems, untrusted } = await agentDefinitions(config, cwd);
      return ok({
        agents: agents.map(({ prompt: _, ...agent }) => agent),
        problems,
        ...(untrusted !== undefined && { untrusted }),
      });
    },
  }),

  show: readOperation({
    summary: "Show one agent with its prompt",
    input: object({ name }),
    needs: ["config"],
    async run({ name: given }, { config }, { cwd }) {
      const { agents, problems } = await agentDefinitions(config, cwd);
      const agent = agents.find((each) => each.name === given);
      if (!agent)
        return unknownAgent(
          given,
          agents.map((each) => each.name),
        );
      return ok({
        ...agent,
        problems: problems.flatMap(({ path, message }) => (path === agent.path ? [message] : [])),
      });
    },
  }),

  create: writeOperation({
    summary: "Create the file of a new agent in the home folder or in the project",
    input: object({
      name,
      description: optional(string("when to use it, in a sentence")),
      project: optional(flag("in .hermes/agents of the project, for everybody who works there")),
    }),
    needs: ["config"],
    async run({ name: given, description = "Describe here when to use it.", project = false }, { config }, { cwd }) {
      const fault = agentNameFault(given);
      if (fault !== undefined) return err({ message: fault, kind: "input" as const });
      const { agents } = await agentDefinitions(config, cwd);
      const twin = agents.find((each) => each.name === given && each.source !== "bundled");
      if (twin) return err({ message: `There is an agent ${given}: ${twin.path}` });
      const folder = await newAgentFolder(config, cwd, project);
      if (folder === undefined)
        return err({ message: `${cwd} is not in a project.`, hint: "Without --project it goes to your home folder." });
      const path = join(folder, `${given}.md`);
      try {
        await makeFolder(folder, project ? 0o755 : 0o700);
        // Never replaces a file that cannot be used as an agent.
        await writeFile(path, agentTemplate(given, oneLine(description, 1_000)), { flag: "wx" });
      } catch (thrown) {
        return err({ message: describeFault(thrown, path).message });
      }
      return ok({ name: given, path });
    },
  }),

  check: readOperation({
    summary: "Check the files of agents: fields, tools, models, permissions, links, injected instructions",
    input: object({ name: optional(name) }),
    needs: ["config", "tools"],
    async run({ name: given }, { config, tools }, { cwd }) {
      const { agents, problems, untrusted } = await agentDefinitions(config, cwd);
      const chosen = given === undefined ? agents : agents.filter((each) => each.name === given);
      const isChosen = (path: string) =>
        given === undefined || chosen.some((each) => each.path === path) || path.endsWith(`/${given}.md`);
      const faults = problems.filter(({ path }) => isChosen(path));
      if (given !== undefined && chosen.length === 0 && faults.length === 0)
        return unknownAgent(
          given,
          agents.map((each) => each.name),
        );
      const { registry } = tools;
      // A toolset may contain tools that are not available on this machine.
      const named = new Set(registry.toolsets().flatMap((toolset) => toolset.tools));
      const isTool = (word: string) =>
        word.startsWith("mcp_") ||
        named.has(word) ||
        registry.find(word) !== undefined ||
        registry.expand(word) !== undefined;
      const strange = chosen.flatMap(({ path, tools: own = [], withoutTools = [] }) =>
        [...own, ...withoutTools]
          .filter((word) => !isTool(word))
          .map((word) => ({ path, message: `tools: there is no tool or toolset ${word}.`, isUnusable: false })),
      );
      return ok({
        checked: chosen.length,
        problems: [...faults, ...strange],
        ...(untrusted !== undefined && given === undefined && { untrusted }),
      });
    },
  }),

  children: readOperation({
    summary: "Show the child agents of this session, running and ended, with calls, tokens, cost and context",
    needs: ["session"],
    run: async (_input, { session }) => ok({ children: await session.agents.list() }),
  }),

  run: writeOperation({
    summary: "Start an agent in this session and wait for its report; the model reads it with the next prompt",
    input: object({ agent: optional(name), goal: string("the task") }),
    needs: ["session"],
    async run({ agent, goal }, { session }, { signal }) {
      const task = { goal, role: "leaf" as const, ...(agent !== undefined && { agent }) };
      const started = await session.agents.spawn([task], {
        callId: newId<CallId>("call"),
        isBackground: true,
        signal,
      });
      if (!started.ok) return err({ message: started.error });
      try {
        const [report] = await session.agents.wait(started.value, { signal });
        return report ? ok(report) : err({ message: "The agent ended without a report." });
      } finally {
        if (signal.aborted) for (const id of started.value) await session.agents.stop(id, "stopped by the person");
      }
    },
  }),

  report: readOperation({
    summary: "Show the report of a child agent that has ended, or the progress of one that runs",
    input: object({ child }),
    needs: ["session"],
    async run({ child: given }, { session }) {
      const match = await findChild(given, session);
      if (!match.ok) return match;
      const report = await session.agents.report(match.value.agentId);
      return ok({ status: match.value, ...(report && { report }) });
    },
  }),

  steer: writeOperation({
    summary: "Send a message to a running child agent, which sees it after its next tool results",
    input: object({ child, text: string("the message") }),
    needs: ["session"],
    async run({ child: given, text }, { session }) {
      const match = await findChild(given, session);
      if (!match.ok) return match;
      const steered = session.agents.steer(match.value.agentId, text);
      return steered.ok ? ok({ agentId: match.value.agentId }) : err({ message: steered.error });
    },
  }),

  stop: writeOperation({
    summary: "Stop a child agent and its children; its report keeps the partial result",
    input: object({ child, why: optional(string("the reason, for its report")) }),
    needs: ["session"],
    async run({ child: given, why = "A person stopped it." }, { session }) {
      const match = await findChild(given, session);
      if (!match.ok) return match;
      if (!isOpen(match.value)) return err({ message: `${given} has ended already (${match.value.state}).` });
      const stopped = await session.agents.stop(match.value.agentId, why);
      return stopped.ok ? ok({ agentId: match.value.agentId }) : err({ message: stopped.error });
    },
  }),

  apply: writeOperation({
    summary: "Apply the changes that an agent made in a worktree to the project, all or none of them",
    input: object({
      child: string("the agent: its id, or the beginning or end of the id"),
      check: optional(flag("only check whether the patch applies")),
    }),
    needs: ["worktrees"],
    async run({ child: given, check = false }, { worktrees }, { cwd, signal }) {
      const patches = await worktrees.patches();
      const close = patches.filter(({ id }) => isPart(given, asId<AgentId>(id)));
      const [patch] = close;
      if (!patch || close.length > 1) return noPatch(given, close.length, patches);
      // The worktree of a parent that has ended no longer exists.
      const isThere = patch.project !== undefined && existsSync(patch.project);
      const target = { cwd: isThere ? (patch.project ?? cwd) : cwd, isTrial: check };
      const applied = await worktrees.apply(patch.path, target, signal);
      if (applied.ok) return ok({ agentId: patch.id, patch: patch.path, isTrial: check, ...applied.value });
      const { message, files } = applied.error;
      const why =
        files.length === 0 ? message : `these files have changed since the agent read them: ${files.join(", ")}`;
      return err({
        message: `The patch was not applied, and nothing has changed: ${why}.`,
        hint: `Apply it by hand: git apply --3way ${patch.path}`,
      });
    },
  }),
};

function noPatch(given: string, matches: number, patches: readonly { readonly id: string }[]) {
  const why = matches > 1 ? `${given} matches several agents.` : `There is no patch of an agent ${given}.`;
  const ids = patches.slice(0, 5).map(({ id }) => id);
  const hint = ids.length === 0 ? "Agents with isolation: worktree leave patches." : `The last ones: ${ids.join(", ")}`;
  return err({ message: why, hint });
}

function isOpen({ state }: AgentStatus): boolean {
  return state === "running" || state === "waiting";
}

async function findChild(
  given: string,
  { agents }: Pick<Session, "agents">,
): Promise<Result<AgentStatus, OperationFault>> {
  const children = await agents.list();
  const byNumber = /^\d{1,4}$/u.test(given) ? children[Number(given) - 1] : undefined;
  const close = children.filter(({ agentId }) => isPart(given, agentId));
  const match = byNumber ?? (close.length === 1 ? close[0] : undefined);
  if (match) return ok(match);
  const why = children.length === 0 ? "This session has no child agents." : `There is no child agent ${given}.`;
  return err({ message: why, ...(children.length > 0 && { hint: "/agents lists them." }) });
}

function isPart(text: string, id: AgentId): boolean {
  return id === text || (text.length >= 4 && (id.startsWith(text) || id.endsWith(text)));
}

function unknownAgent(given: string, names: readonly string[]) {
  return err({
    message: `There is no agent ${JSON.stringify(oneLine(given, 60))}. ${didYouMean(given, names)}`.trim(),
    hint: "hermes agents list",
  });
}
