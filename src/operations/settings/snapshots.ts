import { ok } from "../../base/result.ts";
import { integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

const snapshots = () => import("../../config/snapshots/home-snapshots.ts");

export const operations = {
  list: readOperation({
    summary: "List the snapshots of settings, memory, SOUL.md, skins, bundles and agents, the newest first",
    needs: ["config"],
    run: async (_input, { config }) => ok({ snapshots: (await snapshots()).listSnapshots(config.home) }),
  }),

  create: writeOperation({
    summary: "Copy settings, memory, SOUL.md, skins, bundles and agents to a snapshot in the home",
    input: object({ label: optional(string("a note for lists")) }),
    needs: ["config"],
    run: async ({ label = "" }, { config }, { clock }) => (await snapshots()).createSnapshot(config.home, label, clock),
  }),

  restore: writeOperation({
    summary: "Restore the files of a snapshot; the current state is first saved as a new snapshot",
    input: object({ id: string("the snapshot, or the only one that starts with this") }),
    needs: ["config"],
    run: async ({ id }, { config }, { clock }) => (await snapshots()).restoreSnapshot(config.home, id, clock),
  }),

  prune: writeOperation({
    summary: "Delete all snapshots but the newest ones",
    input: object({ keep: optional(integer("how many stay; default: 10", { minimum: 0 })) }),
    needs: ["config"],
    run: async ({ keep = 10 }, { config }) =>
      ok({ deleted: await (await snapshots()).pruneSnapshots(config.home, keep) }),
  }),
};
