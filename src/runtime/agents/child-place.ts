import type { AgentPorts, ChildWorkplace } from "../../agents/agent-ports.ts";
import type { Worktrees } from "../../agents/worktrees/worktrees.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ChildPlace } from "../../contracts/session/child-place.ts";
import { openWorkplace, type Workplace, type WorkplaceDeps } from "../calls/open-workplace.ts";
import { sessionTask } from "../environment/session-containers.ts";
import type { ParentSession } from "../session/session-deps.ts";

/** Chooses the workplace of each child: its parent's, its own, or a copy of the project. */
export function childPlaces(
  parent: Workplace,
  worktrees: () => Promise<Worktrees>,
): Pick<AgentPorts, "workplace" | "lostPatch"> {
  const { signal } = new AbortController();
  return {
    async workplace({ agentId, task, resumes }): Promise<ChildWorkplace> {
      if (task.isolation === undefined) return { place: { kind: task.share === true ? "shared" : "own" } };
      if (task.share === true) throw new Error("An agent has share: true or isolation: worktree, not both.");
      const { cwd, backend } = parent.commands.place;
      if (backend !== "local") throw new Error(onlyLocal(backend));
      const trees = await worktrees();
      const patch = resumes === undefined ? undefined : await trees.patchOf(resumes);
      const wish = { id: agentId, cwd, untouched: parent.untouched, ...(patch !== undefined && { patch }) };
      const created = await trees.create(wish, signal);
      if (!created.ok) throw new Error(created.error);
      const worktree = created.value;
      return {
        place: worktree.place,
        async finish() {
          const collected = await worktree.collect(signal);
          if (!collected.ok) throw new Error(collected.error);
          const { patch: changes, files } = collected.value;
          return { filesChanged: files, ...(changes !== undefined && { patch: changes }) };
        },
        close: async () => worktree[Symbol.asyncDispose](),
      };
    },
    async lostPatch(id) {
      const trees = await worktrees();
      await trees.removeOrphans(signal);
      return trees.patchOf(id);
    },
  };
}

function onlyLocal(backend: string): string {
  const advice =
    "Start the agent without isolation, or let it make a copy in its terminal, such as with `git worktree add`.";
  return `isolation: worktree works for commands on this machine only, and this session runs them on ${backend}. ${advice}`;
}

/** Whether a child works in its parent's terminal and browser. */
export function usesParentsPlace(place: ChildPlace | undefined): place is undefined | { readonly kind: "shared" } {
  return place === undefined || place.kind === "shared";
}

/**
 * The workplace of a session that another one starts. Its own workplace uses the same machine or container as the
 * parent's, with a separate shell, folder and background processes, which end with it.
 */
export function childWorkplace(
  config: LoadedConfig,
  { workplace: parent, budgetOf }: ParentSession,
  own: WorkplaceDeps,
  place?: ChildPlace,
): Workplace {
  if (usesParentsPlace(place)) return { ...parent, async [Symbol.asyncDispose]() {} };
  const { commands, untouched } = parent;
  const { cwd, backend } = commands.place;
  const task = { ...sessionTask(config, budgetOf), backend };
  // The project of the child stays that of the parent, even if the parent has changed to another folder.
  if (place.kind === "own")
    return openWorkplace(config, { ...own, task: { ...task, cwd }, workspace: commands.workspace, untouched });
  return openWorkplace(config, {
    ...own,
    task: { ...task, cwd: place.cwd },
    workspace: async () => ({ root: place.root, why: "the copy of the project for this agent" }),
    untouched: place.untouched,
  });
}
