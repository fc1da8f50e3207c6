import { plural } from "../../../../base/text/text.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { choiceOption } from "../../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "export"],
    summary: "Write sessions with all their branches to a file, or to standard output",
    details:
      "jsonl contains everything and can be imported; md and html are for reading. The html page is self-contained: no script,\nno external resources, folded tool calls, selectable branches. Secrets that Hermes knows or recognises are redacted.",
    args: [{ name: "sessions", summary: "ids, prefixes of ids, titles, or latest", optional: true, rest: true }],
    options: [
      { flags: "-o, --output <file>", summary: "the file; its extension sets the format" },
      { flags: "-f, --format <name>", summary: "jsonl, md or html; default: from the file name, else jsonl" },
      { flags: "--all", summary: "export all sessions, including archived ones; jsonl only" },
      { flags: "--source <name>", summary: "with --all: only sessions from this source" },
      { flags: "--force", summary: "replace an existing file" },
      { flags: "--keep-secrets", summary: "do not redact secrets; keep such a file private" },
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
    summary: "Import sessions that `hermes sessions export` wrote as jsonl",
    details:
      "Existing sessions stay unchanged. The system prompt and the queue in the file are not imported.\nAfter you resume an imported session, Hermes asks before it sends or remembers anything, as after reading a web page.",
    args: [{ name: "file", summary: "the file; - for standard input" }],
    options: [
      { flags: "--copy", summary: "also import existing sessions, with new ids" },
      { flags: "--dry-run", summary: "only report what would be imported" },
    ],
    examples: ["hermes sessions import backup.jsonl"],
    run: importFrom,
  },
  {
    path: ["sessions", "verify"],
    summary: "Read all sessions and report damage",
    details:
      "Checks every entry against its checksum, the tree of each session, the lists, and the file itself. Changes nothing.\nThe exit code is 1 when something is damaged.",
    async run(_input, ctx) {
      const verified = await ctx.run("sessions.verify", {});
      if (!verified)
        return { data: { ok: true, sessions: 0, entries: 0, problems: [] }, text: "There are no sessions yet." };
      const { sessions, entries, bytes, problems, areMore, harmed } = verified;
      const isWhole = problems.length === 0;
      const lost = harmed.map(({ id, lost: count }) => `  ${id}: ${plural(count, "entry")} lost`);
      const size = `${plural(sessions, "session")}, ${plural(entries, "entry")}, ${(bytes / 1e6).toFixed(1)} MB`;
      return {
        data: { ok: isWhole, sessions, entries, bytes, problems, areMore, harmed },
        text: [
          isWhole ? ctx.paint.good(`No damage: ${size}.`) : ctx.paint.bad(`Damage found (${size}):`),
          ...problems.map((problem) => `  ${problem}`),
          ...(areMore ? ["  … and more"] : []),
          ...(lost.length > 0 ? ["Sessions with lost entries:", ...lost] : []),
          ...(isWhole || bytes === 0 ? [] : ["Stop all Hermes processes, then run: hermes sessions repair"]),
        ].join("\n"),
        exitCode: isWhole ? 0 : 1,
      };
    },
  },
  {
    path: ["sessions", "repair"],
    summary: "Recover the readable sessions of a damaged store into a new one",
    details:
      "Reads the file page by page, so that a bad page loses only its own content, and reports what is lost.\nThe damaged file is kept beside the new one. No other Hermes process may run meanwhile.",
    async run(_input, ctx) {
      const { text, ...report } = await ctx.run("sessions.repair", {});
      return { data: report, text };
    },
  },
];

async function exportTo(input: CliInput, ctx: CliContext): Promise<Reply> {
  const output = input.option("output");
  const file = output === "-" ? undefined : output;
  const sessions = input.rest("sessions");
  const all = input.flag("all");
  if (ctx.json && file === undefined)
    throw new CommandFailed("--json needs --output: the export is the output.", undefined, 2);
  if (all === sessions.length > 0)
    throw new CommandFailed("Name a session.", "`latest` is the newest session; --all exports all.", 2);
  const exported = await ctx.run("sessions.export", {
    sessions,
    all,
    source: input.option("source"),
    file,
    format: choiceOption(input, "format", ["jsonl", "md", "html"]),
    force: input.flag("force"),
    keepSecrets: input.flag("keepSecrets"),
  });
  if (!("pieces" in exported))
    return { data: exported, text: `${plural(exported.sessions.length, "session")} in ${exported.file}` };
  for await (const piece of exported.pieces) await ctx.io.write(piece);
  return {};
}

const maxShown = 20;

async function importFrom(input: CliInput, ctx: CliContext): Promise<Reply> {
  const given = input.arg("file");
  const outcome = await ctx.run("sessions.import", {
    file: given === "-" ? undefined : given,
    copy: input.flag("copy"),
    dryRun: input.flag("dryRun"),
  });
  const { dryRun, imported, known: existing, failed } = outcome;
  const lines = imported.map(({ id, title, messages }) =>
    `  ${id}  ${plural(messages, "message")}  ${escapeInvisible(title ?? "")}`.trimEnd(),
  );
  return {
    data: outcome,
    text: [
      ...(ctx.signal.aborted ? ["Interrupted. Run the import again to continue."] : []),
      `${plural(imported.length, "session")} ${dryRun ? "would be imported" : "imported"}, ${existing.length} existed already.`,
      ...lines.slice(0, maxShown),
      ...(lines.length > maxShown ? [`  and ${lines.length - maxShown} more`] : []),
      ...failed.slice(0, maxShown).map((each) => `  line ${each.line}: ${escapeInvisible(each.why)}`),
    ].join("\n"),
    exitCode: ctx.signal.aborted ? 130 : failed.length > 0 ? 1 : 0,
  };
}
