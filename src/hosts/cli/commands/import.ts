import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { ensureHome, homeFiles } from "../../../config/home.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { warningsOf } from "../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["import", "hermes-python"],
    summary: "Take over sessions, memories and skills of Hermes in Python",
    details:
      "Reads the store of sessions (state.db, versions 11 to 25), MEMORY.md, USER.md and the skills of another home. Nothing there is " +
      "changed. What is here already stays as it is and is not taken twice, so it can be run again at any time.",
    args: [{ name: "path", summary: "its home folder, or its state.db" }],
    options: [
      { flags: "--dry-run", summary: "only say what would be taken over" },
      { flags: "--only <what>", summary: "sessions, memories or skills; all three when left out" },
    ],
    examples: [
      "hermes import hermes-python ~/.hermes --dry-run",
      "hermes import hermes-python ~/old-home --only memories",
    ],
    run: importOriginal,
  },
];

const kinds = ["sessions", "memories", "skills"] as const;
type Kind = (typeof kinds)[number];

async function importOriginal(
  input: { arg(name: string): string; option(name: string): string | undefined; flag(name: string): boolean },
  ctx: CliContext,
): Promise<Reply> {
  const only = input.option("only");
  const wanted = only === undefined ? kinds : kinds.filter((kind) => kind === only);
  if (wanted.length === 0) throw new CommandFailed(`--only knows ${kinds.join(", ")}, not ${only}.`, undefined, 2);
  const { folder, database } = await placeOf(input.arg("path"), ctx.cwd);
  const isDryRun = input.flag("dryRun");
  const { home } = await ctx.config();
  if (!isDryRun) valueOf(await ensureHome(home.path));
  const isSame = (await realpath(home.path).catch(() => home.path)) === folder;
  const parts: readonly Part[] = [
    ...(wanted.includes("sessions") ? [await sessions(database, isDryRun, ctx)] : []),
    ...(wanted.includes("memories") ? [isSame ? shared("memories") : await memories(folder, isDryRun, ctx)] : []),
    ...(wanted.includes("skills") ? [isSame ? shared("skills") : await skills(folder, isDryRun, ctx)] : []),
  ];
  return {
    data: { from: folder, dryRun: isDryRun, ...Object.fromEntries(parts.map(({ kind, data }) => [kind, data])) },
    text: [isDryRun ? "Nothing was changed. It would be:" : "", ...parts.map(({ text }) => text)]
      .filter(Boolean)
      .join("\n"),
    exitCode: parts.some(({ failed }) => failed) ? 1 : 0,
  };
}

interface Part {
  readonly kind: Kind;
  readonly data: Exclude<Reply["data"], undefined>;
  readonly text: string;
  readonly failed?: boolean;
}

/** Both use the same folder: there is nothing to copy. */
function shared(kind: Kind): Part {
  return { kind, data: { shared: true }, text: `${kind}: used where they are` };
}

async function placeOf(path: string, cwd: string): Promise<{ readonly folder: string; readonly database: string }> {
  const asked = resolve(cwd, path);
  const found = statSync(asked, { throwIfNoEntry: false });
  if (!found)
    throw new CommandFailed(`${asked} is not there.`, "Name the home folder of Hermes in Python, often ~/.hermes.");
  const real = await realpath(asked);
  if (found.isDirectory()) return { folder: real, database: join(real, "state.db") };
  if (!basename(real).endsWith(".db"))
    throw new CommandFailed(`${asked} is neither a folder nor a state.db.`, undefined, 2);
  return { folder: dirname(real), database: real };
}

async function sessions(database: string, isDryRun: boolean, ctx: CliContext): Promise<Part> {
  const { importSessions } = await import("../../../runtime/store/import-sessions.ts");
  const { makeSessions, openSessions } = await import("../../../runtime/store/open-sessions.ts");
  const config = await ctx.config();
  await using store = await (isDryRun ? openSessions : makeSessions)(config, warningsOf(ctx));
  const isTold = ctx.io.stdoutIsTerminal && !ctx.json;
  const done = await importSessions(database, {
    ...(store && { store }),
    isDryRun,
    owner: ctx.principal,
    onProgress: (count) => {
      if (isTold && count % 100 === 0) ctx.io.warn(`\r${plural(count, "session")} …`);
    },
    signal: ctx.signal,
  });
  if (isTold) ctx.io.warn("\r");
  if (!done.ok)
    return {
      kind: "sessions",
      data: { error: done.error.message },
      text: `sessions: ${done.error.message}`,
      failed: true,
    };
  const { version, imported, messages, known, failed } = done.value;
  const lines = [
    `sessions: ${plural(imported, "session")} with ${plural(messages, "message")} taken over, ${known} known already (version ${version})`,
    ...failed.map(({ id, why }) => `  ${id} could not be read: ${why}`),
  ];
  return {
    kind: "sessions",
    data: { version, imported, messages, known, failed: failed.map((each) => ({ ...each })) },
    text: lines.join("\n"),
    failed: failed.length > 0,
  };
}

async function memories(folder: string, isDryRun: boolean, ctx: CliContext): Promise<Part> {
  const { importMemory } = await import("../../../runtime/knowledge/import-memory.ts");
  const { openMemory } = await import("../../../runtime/knowledge/open-memory.ts");
  const memory = openMemory(await ctx.config(), { principal: ctx.principal, clock: systemClock, log: silentLog });
  const made = await importMemory(join(folder, homeFiles.memories), memory, { isDryRun, signal: ctx.signal });
  const lines = made.flatMap(({ target, imported, known, left }) => [
    `memories: ${target}: ${plural(imported, "entry")} taken over, ${known} known already`,
    ...left.map(({ text, why }) => `  left out, ${why}: ${visible(oneLine(text, 80))}`),
  ]);
  return {
    kind: "memories",
    data: made.map((each) => ({ ...each, left: each.left.map((one) => ({ ...one })) })),
    text: lines.join("\n"),
  };
}

async function skills(folder: string, isDryRun: boolean, ctx: CliContext): Promise<Part> {
  const { importSkills } = await import("../../../skills/import-skills.ts");
  const { home } = await ctx.config();
  const { imported, kept } = await importSkills(
    join(folder, homeFiles.skills),
    join(home.path, homeFiles.skills),
    isDryRun,
  );
  const more = kept.length === 0 ? "" : `; of the same name as one here and left: ${kept.join(", ")}`;
  return {
    kind: "skills",
    data: { imported: [...imported], kept: [...kept] },
    text: `skills: ${plural(imported.length, "skill")} taken over${more}`,
  };
}
