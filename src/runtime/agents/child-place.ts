import type { LoadedConfig } from "../../config/load.ts";
import type { ChildPlace } from "../../contracts/session/child-place.ts";
import { openWorkplace, type Workplace, type WorkplaceDeps } from "../calls/open-workplace.ts";
import { sessionTask } from "../environment/session-containers.ts";
import type { ParentSession } from "../session/session-deps.ts";

/**
 * The workplace of a session that another one starts. A workplace of its own uses the same machine or container as that of
 * the parent, with a shell, folder and background processes of its own, which end with it.
 */
export function childWorkplace(
  config: LoadedConfig,
  parent: ParentSession,
  own: WorkplaceDeps,
  place: ChildPlace = { kind: "shared" },
): Workplace {
  const { commands } = parent.workplace;
  if (place.kind === "shared") return { ...parent.workplace, async [Symbol.asyncDispose]() {} };
  const { backend } = commands.place;
  const task = { ...sessionTask(config, parent.budgetOf), backend };
  if (place.kind === "own")
    return openWorkplace(config, {
      ...own,
      task: { ...task, cwd: commands.place.cwd },
      // A folder that the parent has changed to does not become the project of the child.
      workspace: commands.workspace,
    });
  return openWorkplace(config, {
    ...own,
    task: { ...task, cwd: place.cwd },
    workspace: async () => ({ root: place.root, why: "the copy of the project for this agent" }),
    untouched: place.untouched,
  });
}
