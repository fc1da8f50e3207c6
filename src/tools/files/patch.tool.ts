import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut, plural } from "../../base/text/text.ts";
import { unifiedDiff } from "../../base/text/unified-diff.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { PreviewContext, ToolContext } from "../../contracts/tool/tool.ts";
import type { EditOutcome } from "./edit/outcome.ts";
import { replaceText } from "./edit/replace-text.ts";
import { classifyContent, decode } from "./file-content.ts";
import { realPathOf, recordWrite, wholeFile } from "./file-on-disk.ts";
import { lintDelta } from "./lint/lint-delta.ts";
import { lookAlikes } from "./look-alikes.ts";
import { patchedFiles, patchEffects, readPatch } from "./patch-files.ts";
import type { FileChange } from "./patch/apply-patch.ts";
import { protectedRefusal } from "./protected-paths.ts";
import { staleRefusal, judgeContent } from "./refusals.ts";
import { effectPath } from "./tool-path.ts";
import { type PlannedFileChange, writeChanges } from "./write-changes.ts";

const input = z.object({
  mode: z.enum(["replace", "patch"]).optional(),
  path: z.string().min(1).optional(),
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  replace_all: z.boolean().default(false),
  patch: z.string().optional(),
  cross_profile: z.boolean().default(false),
});

export default defineTool({
  name: "patch",
  toolset: "file",
  description:
    "Edit files. replace: old_string, which must occur once unless replace_all, becomes new_string; tolerates " +
    "differences in whitespace, line ends and quotes if the match is unique. patch: several changes, all or none:\n" +
    "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n context\n-old\n+new\n*** Add File: b.py\n+text\n" +
    "*** Delete File: c.py\n*** Move File: d.py -> e.py\n*** End Patch\n" +
    "Returns the diff and, as lint, new errors. Rejects data files that would no longer parse.",
  emoji: "🔧",
  input,
  needs: ["environment", "fileReads"],
  traits: { parallel: true, callers: "both" },
  effects(args, at) {
    const request = askedOf(args);
    if (request.kind === "unclear") return [];
    if (request.kind === "patch") return patchEffects(request.text, at);
    const path = effectPath(request.path, at);
    return [
      { kind: "read", path },
      { kind: "write", path },
    ];
  },
  async preview(args, ctx) {
    const changes = await plannedChanges(askedOf(args), ctx);
    return (
      changes &&
      cut(
        diffOf(
          changes.filter(({ before, after }) => before !== after),
          changes,
        ),
        maxPreviewChars,
      )
    );
  },
  async refuses(args, ctx) {
    const outcome = await edit(args, ctx, true);
    return outcome.ok ? undefined : outcome.error;
  },
  run: (args, ctx) => edit(args, ctx, false),
});

type Context = ToolContext<"environment" | "fileReads">;

/** If `isTrial` is set, stops before writing. */
interface EditOptions {
  readonly crossProfile: boolean;
  readonly isTrial: boolean;
}

async function edit(args: z.output<typeof input>, ctx: Context, isTrial: boolean): Promise<ToolResult> {
  const request = askedOf(args);
  if (request.kind === "unclear") return fail(request.why, "invalid_args");
  const options = { crossProfile: args.cross_profile, isTrial };
  return request.kind === "patch" ? patch(request.text, options, ctx) : replace(request, options, ctx);
}

interface Replacement {
  readonly kind: "replace";
  readonly path: string;
  readonly old: string;
  readonly new: string;
  readonly replaceAll: boolean;
}

type Request =
  | Replacement
  | { readonly kind: "patch"; readonly text: string }
  | { readonly kind: "unclear"; readonly why: string };

function askedOf(args: z.output<typeof input>): Request {
  const { path, old_string: old, new_string: replacement, replace_all: replaceAll, patch: text } = args;
  const mode = args.mode ?? (text !== undefined && old === undefined ? "patch" : "replace");
  if (mode === "patch" && text === undefined)
    return { kind: "unclear", why: "mode patch needs patch: the text of a patch or unified diff." };
  // SEARCH/REPLACE blocks that name no file are for `path`.
  if (mode === "patch" && text !== undefined)
    return {
      kind: "patch",
      text: path === undefined || !isSearchBlock.test(text) ? text : `*** Update File: ${path}\n${text}`,
    };
  if (path !== undefined && old !== undefined && replacement !== undefined)
    return { kind: "replace", path, old, new: replacement, replaceAll };
  const missing = Object.entries({ path, old_string: old, new_string: replacement }).filter(
    ([, value]) => value === undefined,
  );
  return { kind: "unclear", why: `mode replace needs ${missing.map(([name]) => name).join(", ")}.` };
}

const isSearchBlock = /^(?:<{3,}|-{3,}) ?SEARCH\b/mu;

/** Returns the changes that a call would make now. Undefined if it would fail. */
async function plannedChanges(
  request: Request,
  ctx: PreviewContext<"environment" | "fileReads">,
): Promise<readonly FileChange[] | undefined> {
  if (request.kind === "unclear") return undefined;
  if (request.kind === "patch") {
    const target = await readPatch(request.text, ctx);
    const applied = target.ok && (await patchedFiles(target.value, ctx));
    return applied && applied.ok ? applied.value.changes : undefined;
  }
  const real = await realPathOf(request.path, ctx);
  const match = real.ok && (await wholeFile(real.value, ctx.environment.files, ctx.signal));
  if (!match || !match.ok || match.value.kind === "missing") return undefined;
  const before = decode(match.value.bytes);
  const edited = replaceText(before, request);
  return edited.outcome === "applied" ? [{ path: real.value, before, after: edited.result }] : undefined;
}

async function replace(request: Replacement, options: EditOptions, ctx: Context): Promise<ToolResult> {
  const real = await realPathOf(request.path, ctx);
  if (!real.ok) return real;
  return ctx.fileReads.inTurn([real.value], () => replaceIn(real.value, request, options, ctx));
}

async function replaceIn(path: string, request: Replacement, options: EditOptions, ctx: Context): Promise<ToolResult> {
  const { environment, fileReads, signal } = ctx;
  const match = await wholeFile(path, environment.files, signal);
  if (!match.ok) return match;
  const file = match.value;
  const refusal = staleRefusal(file, fileReads, "edited");
  if (refusal) return err(refusal);
  if (file.kind === "missing") {
    const { same, similar } = await lookAlikes(path, environment.files, signal);
    const others = same === undefined ? similar : [same];
    const hint = others.length > 0 ? `There is: ${others.join(", ")}` : "Use write_file to make a new file.";
    return fail(`${path} does not exist. ${hint}`, "failed", { data: { similar_files: others } });
  }
  const content = classifyContent(file.bytes);
  if (content.kind === "binary") return fail(`${path} is ${content.description}. patch changes text only.`);
  if (content.damaged)
    return fail(`${path} has bytes that are not UTF-8, which an edit would damage. Convert it first, e.g. with iconv.`);
  const before = decode(file.bytes);
  const { modifiedAt } = file;
  const edited = replaceText(before, request);
  if (edited.outcome !== "applied") return err(editFailure(path, request.old, edited));
  const drift = edited.drift.length > 0 ? ` The file differed from old_string in ${edited.drift.join(" and ")}.` : "";
  const notes = [`${plural(edited.count, "place")} changed.${drift}`];
  const created = await makeChanges([{ path, before, after: edited.result, modifiedAt }], ctx, { ...options, notes });
  return created.ok ? json(created.value) : created;
}

async function patch(text: string, options: EditOptions, ctx: Context): Promise<ToolResult> {
  const target = await readPatch(text, ctx);
  if (!target.ok) return target;
  return ctx.fileReads.inTurn([...target.value.realPaths.values()], async () => {
    const applied = await patchedFiles(target.value, ctx);
    if (!applied.ok) return applied;
    const { changes, drifts } = applied.value;
    const created = await makeChanges(changes, ctx, { ...options, notes: drifts });
    return created.ok ? json(created.value) : created;
  });
}

/** Explains why a replacement was not made, with the lines that help to correct it. */
function editFailure(
  path: string,
  request: string,
  outcome: Exclude<EditOutcome, { outcome: "applied" }>,
): ToolFailure {
  if (outcome.outcome === "ambiguous") {
    const places = outcome.places.map(({ line, text }) => `${line}|${text}`).join("\n");
    const drift = outcome.drift.length > 0 ? ` (but for ${outcome.drift.join(" and ")})` : "";
    const all = outcome.drift.length > 0 ? "" : ", or set replace_all to change every one";
    return fail(
      `old_string is in ${path} at ${outcome.count} or more places${drift}. Nothing was changed. ` +
        `Give more of the lines around the one you mean${all}. It begins on these lines:\n${places}`,
      "failed",
      { data: { candidates: outcome.places.map(({ line, lastLine, text }) => ({ line, last_line: lastLine, text })) } },
    ).error;
  }
  const { reason, nearest } = outcome;
  const hidden = request.includes("***") ? " What is shown as *** is a hidden value: match the text around it." : "";
  const start = `Nothing was changed in ${path}. ${reason}${hidden}`;
  if (!nearest) return fail(start).error;
  const lines = nearest.lines.map((line, index) => `${nearest.line + index}|${line}`).join("\n");
  const { difference } = nearest;
  const differs = difference
    ? `\nLine ${difference.line} is ${JSON.stringify(difference.inFile)}, old_string has ${JSON.stringify(difference.asked)}${difference.sign === undefined ? "" : `: ${difference.sign}`}.`
    : "";
  return fail(`${start} The most similar lines are:\n${lines}${differs}`, "failed", {
    data: { nearest: { line: nearest.line, lines: nearest.lines } },
  }).error;
}

/**
 * Writes changed texts, all or none, and reports the result: the files by kind of change, a diff, and new errors. Paths
 * are real, and the previous content is UTF-8.
 */
async function makeChanges(
  changes: readonly (FileChange & Pick<PlannedFileChange, "modifiedAt">)[],
  ctx: ToolContext<"environment" | "fileReads">,
  { crossProfile, isTrial, notes }: EditOptions & { readonly notes: readonly string[] },
): Promise<Result<JsonObject, ToolFailure>> {
  const { environment, fileReads, signal } = ctx;
  const real = changes.filter(({ before, after }) => before !== after);
  if (real.length === 0)
    return ok({
      success: true,
      no_change: true,
      files_modified: [],
      backend: environment.kind,
      note: "The new text is the same as the old.",
    });
  const touched = real.map(({ path }) => path);
  const guarded = await protectedRefusal(touched, ctx, crossProfile);
  if (guarded) return err(guarded);
  const texts = real.flatMap(({ path, before, after, movedFrom }) => {
    const source = before ?? changes.find((other) => other.path === movedFrom)?.before;
    return after === undefined ? [] : [{ path, before: source, after }];
  });
  const odd: string[] = [];
  for (const { path, before, after } of texts) {
    const judged = await judgeContent(path, before, after);
    if (!judged.ok) return judged;
    if (judged.value.note !== undefined) odd.push(judged.value.note);
  }
  if (isTrial) return ok({});
  const planned = real.map(({ before, after, ...change }): PlannedFileChange => ({
    ...change,
    before: bytesOf(before),
    after: bytesOf(after),
  }));
  const written = await writeChanges(planned, environment.files, signal, fileReads.writeAlone);
  if (!written.ok) return written;
  for (const { path, before, after } of planned) {
    if (after === undefined) fileReads.forget(path);
    else recordWrite({ path, before, after }, ctx);
  }
  const lint = await lintDelta(texts, ctx);
  const note = [...notes, ...odd].join("\n");
  const paths = (matches: (change: FileChange) => boolean) => real.filter(matches).map(({ path }) => path);
  const created = paths(({ before }) => before === undefined);
  const deleted = paths(({ after }) => after === undefined);
  return ok({
    success: true,
    diff: diffOf(real, changes),
    files_modified: paths(({ before, after }) => before !== undefined && after !== undefined),
    ...(created.length > 0 && { files_created: created }),
    ...(deleted.length > 0 && { files_deleted: deleted }),
    verified: true,
    backend: environment.kind,
    ...(lint.length > 0 && { lint }),
    ...(note && { note }),
  });
}

function diffOf(real: readonly FileChange[], all: readonly FileChange[]): string {
  const sources = new Set(real.map(({ movedFrom }) => movedFrom));
  const parts: string[] = [];
  let room = maxDiffChars;
  for (const { path, before, after, movedFrom } of real) {
    if (after === undefined && sources.has(path)) continue;
    const old = before ?? all.find((change) => change.path === movedFrom)?.before;
    const diff = unifiedDiff(
      { name: before === undefined ? (movedFrom ?? "/dev/null") : path, text: old ?? "" },
      { name: after === undefined ? "/dev/null" : path, text: after ?? "" },
      Math.max(room, 0),
    );
    parts.push(diff || `${movedFrom === undefined ? "empty file" : `moved from ${movedFrom}`}: ${path}`);
    room -= diff.length;
  }
  return parts.join("\n");
}

function bytesOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

const maxDiffChars = 10_000;
const maxPreviewChars = 4_000;
