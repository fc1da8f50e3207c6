import { err, ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { makeScratchFolder } from "../../config/scratch-folder.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

export const operations = {
  create: writeOperation({
    summary: "Create a git worktree with its own branch for one session",
    needs: ["config"],
    async run(_input, { config }, { cwd, signal }) {
      const { createSessionWorktree } = await import("../../agents/worktrees/session-worktree.ts");
      const created = await createSessionWorktree(cwd, {
        ...optionsFor(config),
        signal,
        isSynced: config.values.worktree_sync,
      });
      return created.ok ? created : err({ message: created.error, kind: "input" });
    },
  }),

  list: readOperation({
    summary: "List the worktrees of sessions in this repository",
    needs: ["config"],
    async run(_input, { config }, { cwd, signal }) {
      const { listSessionWorktrees } = await import("../../agents/worktrees/list-session-worktrees.ts");
      const listed = await listSessionWorktrees(cwd, config.env, signal);
      return listed.ok ? ok({ worktrees: listed.value }) : err({ message: listed.error });
    },
  }),

  close: writeOperation({
    summary: "Remove the worktree of a session if none of its work would be lost",
    input: object({
      path: string("path of the worktree"),
      branch: string("its branch"),
      root: string("the repository"),
    }),
    needs: ["config"],
    async run(worktree, { config }) {
      const { closeSessionWorktree } = await import("../../agents/worktrees/session-worktree.ts");
      // Does not use the caller's signal, so that it also runs after an interrupt.
      return ok(await closeSessionWorktree(worktree, { ...optionsFor(config), signal: new AbortController().signal }));
    },
  }),
};

function optionsFor({ env, home }: LoadedConfig) {
  return { env, makeFolder: (kind: string) => makeScratchFolder(home.path, kind) };
}
