import { join } from "node:path";

import { err, ok } from "../../base/result.ts";
import { flag, integer, list, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import { memoryTargets } from "../../contracts/knowledge/memory.ts";
import { memoryFileNames } from "../../memory/memory-files.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";

const count = (description: string) => optional(integer(description, { minimum: 1 }));

const pendingId = string("an id from `memory.pending`");

export const operations = {
  show: readOperation({
    summary: "Show the notes that Hermes keeps about you and your work",
    needs: ["memory"],
    async run(_input, { memory }, { principal }) {
      const { folder, files, targets } = memory(principal);
      const pages = targets.map(async (target) => ({
        target,
        file: join(folder, memoryFileNames[target]),
        ...(await files.read(target)),
      }));
      return ok({ pages: await Promise.all(pages) });
    },
  }),

  history: readOperation({
    summary: "List the changes of the notes, oldest first",
    input: object({ limit: count("maximum number of changes; default: 20") }),
    needs: ["memory"],
    async run({ limit = 20 }, { memory }, { principal }) {
      return ok({ changes: (await memory(principal).files.history()).slice(-limit) });
    },
  }),

  undo: writeOperation({
    summary: "Undo the last changes of the notes",
    input: object({ count: count("number of changes; default: 1") }),
    needs: ["memory"],
    async run({ count: max = 1 }, { memory }, { principal, signal }) {
      const undone = await memory(principal).files.undo(max, { by: "user" }, signal);
      return undone.ok
        ? ok({ undone: undone.value })
        : err({ message: `Nothing was undone: ${undone.error.message}.` });
    },
  }),

  restore: writeOperation({
    summary: "Restore notes that a damaged file lost, using their history",
    input: object({ discard: optional(flag("keep the damaged file as it is instead")) }),
    needs: ["memory"],
    async run({ discard = false }, { memory }, { principal, signal }) {
      const restored = await memory(principal).files.restore(discard ? "accept" : "undo", { by: "user" }, signal);
      return restored.ok ? ok({ targets: restored.value }) : err({ message: `${restored.error.message}.` });
    },
  }),

  pending: readOperation({
    summary: "List the pending changes of the notes",
    needs: ["memory"],
    run: async (_input, { memory }, { principal }) => ok({ pending: await memory(principal).pending.list() }),
  }),

  approve: writeOperation({
    summary: "Apply a pending change of the notes",
    input: object({ id: pendingId }),
    needs: ["memory"],
    async run({ id }, { memory }, { principal, signal }) {
      const { files, pending } = memory(principal);
      const change = await pending.take(id, signal);
      if (!change.ok) return change;
      const { id: _id, at: _at, target, changes, ...author } = change.value;
      const result = await files.change(target, changes, author, signal);
      if (result.ok) return change;
      // The change stays pending, so that the user can free space and approve it again.
      const back = await pending.add({ target, changes, ...author }, signal);
      const where = back.ok ? `; it now waits as ${back.value.id}` : "";
      return err({ message: `${result.error.message}${where}` });
    },
  }),

  reject: writeOperation({
    summary: "Discard a pending change of the notes",
    input: object({ id: pendingId }),
    needs: ["memory"],
    run: async ({ id }, { memory }, { principal, signal }) => memory(principal).pending.take(id, signal),
  }),

  rewrite: writeOperation({
    summary: "Replace the text of one notes file, unless it changed since it was read",
    input: object({
      target: oneOf("the page", memoryTargets),
      seen: list("the entries as they were read", string("entry")),
      text: string("the new text; a line with § separates entries"),
    }),
    needs: ["memory"],
    async run({ target, seen, text: written }, { memory }, { principal, signal }) {
      const { files } = memory(principal);
      const result = await files.rewrite(target, { seen, text: written }, { by: "user" }, signal);
      return result.ok
        ? ok({ target, changed: true })
        : err({ message: `${target} was not changed: ${result.error.message}.` });
    },
  }),

  setup: writeOperation({
    summary: "Use a memory service in addition to the local notes",
    input: object({
      url: string("address of the service"),
      keyEnv: optional(string("the variable with its key")),
    }),
    needs: ["config"],
    async run({ url, keyEnv }, { config }, ctx) {
      if (!URL.canParse(url) || !/^https?:/iu.test(url))
        return err({ message: `"${url}" is not a web address.`, kind: "input" });
      const changes = [
        { path: ["memory", "provider"], value: "http" },
        { path: ["memory", "http", "url"], value: url },
        { path: ["memory", "http", "key_env"], value: keyEnv },
      ];
      const written = await writeSettings(config, changes, ctx);
      return written.ok ? ok({ provider: "http", url }) : written;
    },
  }),

  status: readOperation({
    summary: "Check whether the memory service answers",
    needs: ["config", "memory"],
    async run(_input, { config, memory }, { principal, signal }) {
      const { provider } = memory(principal);
      if (!provider) return ok({ provider: null, configured: config.values.memory.provider });
      const status = await provider.status(signal);
      if (status.ok) return ok({ provider: provider.name, text: status.value });
      return err({ message: status.error.message, hint: "`hermes memory off` stops using it." });
    },
  }),

  off: writeOperation({
    summary: "Stop using a memory service; the local notes stay",
    needs: ["config"],
    async run(_input, { config }, ctx) {
      const written = await writeSettings(config, [{ path: ["memory", "provider"], value: undefined }], ctx);
      return written.ok ? ok({ provider: null }) : written;
    },
  }),
};
