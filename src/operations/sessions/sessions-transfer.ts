import { createReadStream } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { ensureHome, userFolder } from "../../config/home.ts";
import { problemText } from "../../config/problem.ts";
import { flag, list, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { SessionRecord } from "../../contracts/session/session.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { findRecord, maxSessions, noSessionsYet, sessionField, summaryOf } from "./session-records.ts";

const formats = ["jsonl", "json", "md", "html"] as const;

/** Operations that move sessions between a store and files, and that check and repair the store. */
export const transfers = {
  export: writeOperation({
    summary: "Write sessions with all their branches to a file, or return them in pieces",
    input: object({
      sessions: optional(list("the sessions", sessionField)),
      all: optional(flag("export all sessions, including archived ones; jsonl only")),
      source: optional(string("with all: only sessions from this source")),
      file: optional(string("file to write; without it, `pieces` of the output yields the text")),
      format: optional(oneOf("default: from the file name, else jsonl", formats)),
      force: optional(flag("replace an existing file")),
      keepSecrets: optional(flag("do not redact secrets")),
    }),
    needs: ["config", "sessions"],
    async run(input, { config, sessions: store }, { principal, signal, cwd }) {
      const { exportSessions, formatOf, writeExport } = await import("../../sessions/export/export-sessions.ts");
      const file = input.file === undefined ? undefined : resolve(cwd, expandHome(input.file, userFolder(config.env)));
      const format = input.format ?? (file === undefined ? "jsonl" : formatOf(file));
      if (!format)
        return err({
          message: `The file name must end in ${formats.map((each) => `.${each}`).join(", ")}.`,
          kind: "input",
        });
      if (!store) return noSessionsYet;
      const records: SessionRecord[] = [];
      if (input.all) {
        const query = { limit: maxSessions, ...withoutUndefined({ source: input.source }) };
        records.push(...(await store.list(query, principal)));
        records.push(...(await store.list({ ...query, only: "archived" }, principal)));
        if (records.length === 0) return err({ message: "No matching session." });
      }
      for (const name of input.sessions ?? []) {
        const record = await findRecord(store, name, principal);
        if (!record.ok) return record;
        records.push(record.value);
      }
      if (format !== "jsonl" && records.length !== 1)
        return err({
          message: `A ${format} file can contain only one session.`,
          hint: "Name one session, or use jsonl.",
          kind: "input",
        });
      const { openRedactor } = await import("../../runtime/policy/open-redactor.ts");
      const redact = input.keepSecrets ? undefined : openRedactor(config.secrets, config.home).redact;
      const pieces = exportSessions(records, format, { store, signal, ...withoutUndefined({ redact }) });
      const sessions = records.map(({ id }) => id);
      if (file === undefined) return ok({ format, sessions, pieces });
      const written = await writeExport(file, pieces, { overwrites: input.force ?? false });
      if (!written.ok) {
        const { code, message } = written.error;
        if (code === "ENOENT") return err({ message: `The folder ${dirname(file)} does not exist.` });
        return err({ message, ...(code === "EEXIST" && { hint: "--force replaces an existing file." }) });
      }
      return ok({ file, format, sessions, bytes: written.value });
    },
  }),

  import: writeOperation({
    summary: "Import sessions from a file that `sessions.export` wrote as jsonl",
    input: object({
      file: optional(string("file to read; without it, the bytes that the caller sends")),
      copy: optional(flag("also import existing sessions, with new ids")),
      dryRun: optional(flag("only report what would be imported")),
    }),
    needs: ["config"],
    async run({ file: given, copy = false, dryRun = false }, { config }, ctx) {
      const { importLines } = await import("../../sessions/export/import-lines.ts");
      const { createSessions, openSessions } = await import("../../runtime/store/open-sessions.ts");
      const file = given === undefined ? undefined : resolve(ctx.cwd, given);
      const chunks = file === undefined ? ctx.upload : createReadStream(file);
      if (!chunks) return err({ message: "There is nothing to import.", hint: "Name a file." });
      if (!dryRun) {
        const home = await ensureHome(config.home.path);
        if (!home.ok) return err({ message: problemText(home.error) });
      }
      const warn = (message: string) => ctx.report({ message });
      await using store = await (dryRun ? openSessions : createSessions)(config, warn);
      const done = await importLines(linesOf(chunks), {
        ...withoutUndefined({ store }),
        owner: ctx.principal,
        from: file === undefined ? "standard input" : basename(file),
        isCopy: copy,
        isDryRun: dryRun,
        signal: ctx.signal,
      }).catch((thrown: unknown) => {
        if (file === undefined || codeOf(thrown) === "EUNKNOWN") throw thrown;
        return err({ message: `${describeFault(thrown, file).message}.` });
      });
      if (!done.ok) return done;
      const { imported, ...rest } = done.value;
      return ok({ dryRun, imported: imported.map(summaryOf), ...rest });
    },
  }),

  verify: readOperation({
    summary: "Read all sessions and report damage",
    needs: ["config"],
    async run(_input, { config }, { signal }) {
      const { verifySessions } = await import("../../runtime/store/sessions-health.ts");
      return ok(await verifySessions(config, signal));
    },
  }),

  repair: writeOperation({
    summary: "Recover the readable sessions of a damaged store into a new one",
    needs: ["config"],
    async run(_input, { config }, { principal, signal }) {
      const { repairSessions } = await import("../../runtime/store/sessions-health.ts");
      return repairSessions(config, principal, signal);
    },
  }),
};

/** Expands `~/` like a shell. */
function expandHome(file: string, folder: string): string {
  return /^~[/\\]/u.test(file) ? join(folder, file.slice(2)) : file;
}

async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const part = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...rest] = part.split("\n");
    pieces.push(first);
    for (const next of rest) {
      yield pieces.join("");
      pieces = [next];
    }
  }
  yield pieces.join("") + decoder.decode();
}
