import { z } from "zod";

import { setting } from "./setting.ts";

export const worktree = setting(
  z.boolean().default(false),
  "Start every new session in a git worktree of its own, as -w does. Outside of a git repository it has no effect.",
);

export const worktree_sync = setting(
  z.boolean().default(true),
  "Fetch first, and start a worktree from the newest commit of the remote branch. Without a connection, or if you have unpushed commits, it starts from your last commit.",
);
