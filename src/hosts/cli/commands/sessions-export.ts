import { createReadStream } from "node:fs";
import { basename, resolve } from "node:path";

import { codeOf, describeFault } from "../../../base/files/file-fault.ts";
import { plural } from "../../../base/text/text.ts";
import { ensureHome } from "../../../config/home.ts";
import type { SessionRecord } from "../../../contracts/session/session.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { type OpenSessions, recordData, warningsOf, withKnownSessions } from "./session-lookup.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "export"],
    summary: "Write sessions with all their branches to a file, or to standard output",
    details:
      "jsonl holds everything and can be imported again; md and html are to be read. The html page needs nothing else: no script,\nnothing loaded from elsewhere, tool calls folded, branches to choose. Secrets that Hermes knows or recognises are hidden.",
    args: [{ name: "sessions", summary: "ids, beginnings of them, titles, or latest", optional: true, rest: true }],
    options: [
      { flags: "-o, --output <file>", summary: "the file; its ending says the format" },
      { flags: "-f, --format <name>", summary: "jsonl, md or html; as the file ends, else jsonl" },
      { flags: "--all", summary: "all sessions, archived ones too; only jsonl" },
      { flags: "--source <name>", summary: "with --all: only those from there" },
      { flags: "--force", summary: "replace a file that is there" },
      { flags: "--keep-secrets", summary: "hide nothing; keep such a file to yourself" },
    ],
    examples: [
      "hermes sessions export latest -o talk.html",
      "hermes sessions export 20261115_08 -f md | less",
      "hermes sessions export --all -o backup.jsonl",
    ],
    run: exportTo,
  },
  {
    path: ["sessions", "import"],
    summary: "Take in sessions that `hermes sessions export` wrote as jsonl",
    details:
      "Sessions that are here already are left as they are. What a file could do by itself is left out: its system prompt and its queue.\nWhoever goes on with such a session is asked before anything is sent or remembered, as after reading a web page.",
    args: [{ name: "file", summary: "the file; - for standard input" }],
    options: [
      { flags: "--copy", summary: "take in those that are here already, too, under new ids" },
      { flags: "--dry-run", summary: "only say what would be taken in" },
    ],
    examples: ["hermes sessions import backup.jsonl"],
    run: importFrom,
  },
];

async function exportTo(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { exportFormats, exportSessions, formatOf, writeExport } =
    await import("../../../sessions/export/export-sessions.ts");
  const output = input.option("output");
  const file = output === undefined || output === "-" ? undefined : resolve(ctx.cwd, output);
  const asked = input.option("format");
  const format =
    asked === undefined
      ? file === undefined
        ? "jsonl"
        : formatOf(file)
      : exportFormats.find((each) => each === asked);
  if (!format)
    throw new CommandFailed(
      `There is no format ${asked ?? `for ${output}`}.`,
      `Give --format ${exportFormats.join(", ")}.`,
      2,
    );
  if (ctx.json && file === undefined)
    throw new CommandFailed("--json needs --output: the export is the output.", undefined, 2);
  return withKnownSessions(ctx, async (open) => {
    const records = await chosen(input, open);
    if (format !== "jsonl" && records.length !== 1)
      throw new CommandFailed(`A file of ${format} is for one session.`, "Name one, or take jsonl.", 2);
    const redact = input.flag("keepSecrets") ? undefined : (await redactorOf(ctx)).redact;
    const deps = { store: open.store, signal: ctx.signal, ...(redact && { redact: (text: string) => redact(text) }) };
    const pieces = exportSessions(records, format, deps);
    if (file === undefined) {
      for await (const piece of pieces) await ctx.io.write(piece);
      return {};
    }
    const written = await writeExport(file, pieces, { overwrites: input.flag("force") });
    if (!written.ok) throw new CommandFailed(written.error.message, "--force replaces a file that is there.");
    return {
      data: { file, format, sessions: records.map(({ id }) => id), bytes: written.value },
      text: `${plural(records.length, "session")} in ${file}`,
    };
  });
}

async function chosen(input: CliInput, { store, who, find }: OpenSessions): Promise<readonly SessionRecord[]> {
  const named = input.rest("sessions");
  if (!input.flag("all")) {
    if (named.length === 0)
      throw new CommandFailed("Which session?", "Name one (latest is the newest), or say --all.", 2);
    return Promise.all(named.map(find));
  }
  if (named.length > 0) throw new CommandFailed("--all is all of them.", "Name sessions, or say --all.", 2);
  const source = input.option("source");
  const query = { limit: mostAtOnce, ...(source !== undefined && { source }) };
  const all = [...(await store.list(query, who)), ...(await store.list({ ...query, only: "archived" }, who))];
  if (all.length === 0) throw new CommandFailed("There is no such session.");
  return all;
}

const mostAtOnce = 1_000_000;

async function redactorOf(ctx: CliContext) {
  const { openRedactor } = await import("../../../runtime/policy/open-redactor.ts");
  const { secrets, home } = await ctx.config();
  return openRedactor(secrets, home);
}

async function importFrom(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { importLines } = await import("../../../sessions/export/import-lines.ts");
  const { makeSessions, openSessions } = await import("../../../runtime/session/open-sessions.ts");
  const given = input.arg("file");
  const file = given === "-" ? undefined : resolve(ctx.cwd, given);
  const config = await ctx.config();
  const isDryRun = input.flag("dryRun");
  if (!isDryRun) valueOf(await ensureHome(config.home.path));
  await using store = await (isDryRun ? openSessions : makeSessions)(config, warningsOf(ctx));
  const lines = linesOf(file === undefined ? ctx.io.stdin : createReadStream(file));
  const done = await importLines(lines, {
    ...(store && { store }),
    owner: ctx.principal,
    from: file === undefined ? "standard input" : basename(file),
    isCopy: input.flag("copy"),
    isDryRun,
    signal: ctx.signal,
  }).catch((thrown: unknown) => {
    if (file === undefined || codeOf(thrown) === "EUNKNOWN") throw thrown;
    throw new CommandFailed(`${describeFault(thrown, file).message}.`);
  });
  if (!done.ok) throw new CommandFailed(done.error.message);
  const { imported, known, left, failed } = done.value;
  const said = imported.map(({ id, title, messages }) =>
    `  ${id}  ${plural(messages, "message")}  ${visible(title ?? "")}`.trimEnd(),
  );
  return {
    data: {
      dryRun: isDryRun,
      imported: imported.map(recordData),
      known: [...known],
      left,
      failed: failed.map((each) => ({ ...each })),
    },
    text: [
      ...(ctx.signal.aborted ? ["Interrupted. Import it again to go on."] : []),
      `${plural(imported.length, "session")} ${isDryRun ? "would be taken in" : "taken in"}, ${known.length} here already.`,
      ...said.slice(0, mostShown),
      ...(said.length > mostShown ? [`  and ${said.length - mostShown} more`] : []),
      ...failed.slice(0, 20).map((each) => `  line ${each.line}: ${visible(each.why)}`),
    ].join("\n"),
    exitCode: ctx.signal.aborted ? 130 : failed.length > 0 ? 1 : 0,
  };
}

const mostShown = 20;

async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...rest] = text.split("\n");
    pieces.push(first);
    for (const next of rest) {
      yield pieces.join("");
      pieces = [next];
    }
  }
  yield pieces.join("") + decoder.decode();
}
