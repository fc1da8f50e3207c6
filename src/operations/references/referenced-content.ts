import { realpath, stat } from "node:fs/promises";

import type { Clock } from "../../base/clock.ts";
import { isInside, resolveUserPath } from "../../base/files/path.ts";
import { type CallId, newId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { cut, oneLine, plural } from "../../base/text/text.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { OwnSessions } from "../../contracts/session/session.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import { fieldsOf, viewResult } from "../../contracts/tool/result-view.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { fenceText } from "../../kernel/dispatch/result/untrusted.ts";
import type { LiveSession } from "../../runtime/session/session-deps.ts";
import { blockedPath } from "./blocked-path.ts";
import type { LineRange, Reference } from "./parse-references.ts";

export interface ReferencePlace {
  readonly live: Pick<LiveSession, "callTool" | "decide" | "taint" | "readPages">;
  readonly place: Pick<Place, "cwd" | "backend" | "workspace">;
  /** Folders of the person and of Hermes. */
  readonly homes: readonly string[];
  readonly sessions: Pick<OwnSessions, "find" | "path"> | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum length to read; longer texts could not be attached anyway. */
  readonly maxChars: number;
}

/** Content of a reference, and a short description of it for people. */
export interface ReferencedContent {
  readonly content: readonly ContentPart[];
  readonly detail: string;
}

type Read = Result<ReferencedContent | undefined, string>;

/**
 * Reads a reference on behalf of the user, with the policy and the web guard of the session. Undefined: `@path` is not
 * an existing file, so it stays text.
 */
export async function referencedContent(reference: Reference, place: ReferencePlace): Promise<Read> {
  switch (reference.kind) {
    case "path":
      return plainPath(reference, place);
    case "file":
      return file(reference.path, reference.lines, place);
    case "folder":
      return folder(reference.path, place);
    case "diff":
      return git("diff", place);
    case "staged":
      return git("diff --staged", place);
    case "git": {
      if (!/^(?:[1-9]|10)$/u.test(reference.count)) return err("the number of commits must be between 1 and 10");
      return git(`log -${reference.count} --patch --stat`, place);
    }
    case "commit": {
      if (!/^[\w@][\w@.^~/{}-]{0,200}$/u.test(reference.commit)) return err("this is not the name of a commit");
      return git(`show --patch --stat ${quoteForShell(reference.commit)}`, place);
    }
    case "url":
      return url(reference.url, place);
    case "session":
      return session(reference.session, place);
  }
}

/** `@path` is a reference if the path exists; otherwise it may be anything, such as a name of a person. */
async function plainPath(reference: Extract<Reference, { kind: "path" }>, context: ReferencePlace): Promise<Read> {
  const { place, homes } = context;
  if (place.backend !== "local") return ok(undefined);
  const full = resolveUserPath(reference.path, { cwd: place.cwd, ...(homes[0] !== undefined && { home: homes[0] }) });
  if (!full.ok) return ok(undefined);
  const stats = await stat(full.value).catch(() => undefined);
  if (!stats) return ok(undefined);
  return stats.isDirectory() ? folder(reference.path, context) : file(reference.path, reference.lines, context);
}

async function file(path: string, lines: LineRange | undefined, context: ReferencePlace): Promise<Read> {
  const refusal = await refusedPath(path, context);
  if (refusal !== undefined) return err(refusal);
  const texts: string[] = [];
  let chars = 0;
  let total: number | undefined;
  let bytes = 0;
  for (let offset = lines?.first ?? 1; ;) {
    const limit = lines?.last === undefined ? undefined : lines.last - offset + 1;
    const result = await call("read_file", { path, offset, ...(limit !== undefined && { limit }) }, context);
    if (!result.ok) return err(failureText(result));
    const fields = fieldsOf(result);
    const { resolved_path: real, content, next_offset: next, total_lines: count, file_size: size } = fields;
    // Checks again, because the path may have become a link meanwhile.
    const late = typeof real === "string" ? refusedRealPath(real, context) : "its real path is unknown";
    if (late !== undefined) return err(late);
    bytes = typeof size === "number" ? size : bytes;
    total = typeof count === "number" ? count : total;
    const images = result.value.content.filter(({ type }) => type === "image");
    if (images.length > 0) return ok({ content: images, detail: `image, ${sizeText(bytes)}` });
    if (typeof content !== "string") return err("it has no text");
    texts.push(content);
    chars += content.length;
    if (chars > context.maxChars) break;
    if (typeof next !== "number" || next <= offset || (lines?.last !== undefined && next > lines.last)) break;
    offset = next;
  }
  const text = texts.join("\n");
  if (lines && text === "") return err(`it has only ${plural(total ?? 0, "line")}`);
  const shown = text === "" ? 0 : text.split("\n").length;
  const range = lines ? `lines ${lines.first}-${lines.first + shown - 1} of ${total ?? "many"}` : plural(shown, "line");
  return ok({ content: [{ type: "text", text }], detail: `${range}, ${sizeText(lines ? text.length : bytes)}` });
}

const maxEntries = 200;

async function folder(path: string, context: ReferencePlace): Promise<Read> {
  const refusal = await refusedPath(path, context);
  if (refusal !== undefined) return err(refusal);
  const result = await call("search_files", { target: "files", pattern: "*", path, limit: maxEntries }, context);
  if (!result.ok) return err(failureText(result));
  const { files, total_count: total } = fieldsOf(result);
  const names = Array.isArray(files) ? files.filter((each) => typeof each === "string") : [];
  const count = typeof total === "number" ? total : names.length;
  const rest = count > names.length ? `\n… ${count - names.length} more files` : "";
  const text = `${names.toSorted().join("\n")}${rest}`;
  return ok({ content: [{ type: "text", text }], detail: plural(count, "file") });
}

/** The reason why a path cannot be attached: its spelling or, on this machine, its real path. */
async function refusedPath(path: string, context: ReferencePlace): Promise<string | undefined> {
  const { place, homes } = context;
  const home = place.backend === "local" ? homes[0] : undefined;
  const full = resolveUserPath(path, { cwd: place.cwd, ...(home !== undefined && { home }) });
  if (!full.ok) return full.error;
  if (place.backend !== "local") return refusedRealPath(full.value, context);
  const real = await realpath(full.value).catch(() => undefined);
  if (real === undefined)
    return (await stat(full.value).catch(() => undefined)) ? "it cannot be opened" : "it does not exist";
  return refusedRealPath(real, context);
}

function refusedRealPath(real: string, { place, homes }: ReferencePlace): string | undefined {
  const root = place.workspace ?? place.cwd;
  const blocked = blockedPath(real, homes);
  if (blocked !== undefined) return `it is blocked: ${blocked}`;
  return isInside(root, real) ? undefined : `it is outside of the workspace (${root})`;
}

/** Runs git on behalf of the user; the policy checks the command. */
async function git(command: string, context: ReferencePlace): Promise<Read> {
  const [verb = "", ...rest] = command.split(" ");
  const safe = ["--no-color", "--no-ext-diff", "--no-textconv"];
  const line = ["git", "--no-pager", verb, ...safe, ...rest].join(" ");
  const result = await call("terminal", { command: line, timeout: 60 }, context);
  const { failed, output = "", summary } = viewResult(result);
  if (failed) return err(result.ok ? oneLine(output === "" ? summary : output, 300) : failureText(result));
  const text = cut(output, context.maxChars + 1).trimEnd();
  if (text === "") return err("there are no changes");
  return ok({
    content: [{ type: "text", text }],
    detail: `${plural(text.split("\n").length, "line")}, ${sizeText(text.length)}`,
  });
}

/** The limits of `web_extract`. */
const minPageChars = 2_000;
const maxPageChars = 500_000;

/** A page as `web_extract` reads it, without that tool's own limit: a page that is too long for the context is refused. */
async function url(address: string, { live, signal, maxChars }: ReferencePlace): Promise<Read> {
  const target = URL.parse(/^https?:\/\//iu.test(address) ? address : `https://${address}`);
  if (!target || !/^https?:$/u.test(target.protocol)) return err("this is not a web address");
  const effects = [{ kind: "network" as const, url: target.href }];
  const args = { url: target.href };
  const wish = { tool: "url", callId: newId<CallId>("call"), args, effects, origin: "user" as const, readOnly: true };
  const verdict = await live.decide(wish, signal);
  if (verdict.decision === "deny") return err(verdict.reason);
  const charLimit = Math.min(maxPageChars, Math.max(minPageChars, maxChars + 1));
  const [page] = await live.readPages({ urls: [target.href], charLimit, isByPerson: true }, signal);
  if (page?.error !== undefined) return err(page.error);
  const { title = "", content = "" } = page ?? {};
  if (content === "") return err("it has no text");
  const text = content.slice(0, 1_000).includes(title) ? content : `${oneLine(title, 300)}\n\n${content}`;
  live.taint({ kind: "web", name: target.host });
  return ok({
    content: [{ type: "text", text: fenceText(text, `web:${target.host}`) }],
    detail: `${target.host}, ${sizeText(text.length)}`,
  });
}

async function session(wish: string, { sessions, maxChars }: ReferencePlace): Promise<Read> {
  if (!sessions) return err("sessions are not stored here");
  const match = await sessions.find(wish);
  if (!match.ok) return err(match.error.message);
  const { id, title } = match.value;
  const entries = await sessions.path(id);
  const messages = entries.flatMap((entry) => {
    if (entry.type !== "message") return [];
    const text = textOf(entry.message.content).trim();
    return text === "" ? [] : [`${entry.message.role === "user" ? "User" : "Assistant"}:\n${text}`];
  });
  if (messages.length === 0) return err("it has no messages");
  const text = cut(messages.join("\n\n"), maxChars + 1);
  const name = title === undefined ? "" : `${oneLine(title, 60)}, `;
  return ok({
    content: [{ type: "text", text }],
    detail: `${name}${plural(messages.length, "message")}, ${sizeText(text.length)}`,
  });
}

function call(name: string, args: Parameters<LiveSession["callTool"]>[0]["args"], { live, signal }: ReferencePlace) {
  return live.callTool({ name, args, origin: "user", signal, isQuiet: true });
}

function failureText(result: ToolResult): string {
  return result.ok ? "" : oneLine(result.error.message, 400).replace(/[.\s]+$/u, "");
}
