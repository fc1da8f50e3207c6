import { asId, type EntryId, newId, type SessionId } from "../../base/ids.ts";
import { isObject, type JsonValue, parseJson } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Entry, SessionRecord, SessionStore } from "../../contracts/session/session.ts";
import { freeTitle, plainTitle } from "../session-title.ts";
import { parseSessionEntry } from "./read-entry.ts";
import { lineFormat, lineVersion } from "./session-lines.ts";

export interface LineImport {
  readonly imported: readonly SessionRecord[];
  /** The sessions whose id already exists here. */
  readonly known: readonly SessionId[];
  /** The number of skipped lines: invalid lines, and entries that are valid only in their original store. */
  readonly left: number;
  readonly failed: readonly { readonly line: number; readonly why: string }[];
}

export interface LineImportDeps {
  /** The store. Undefined if there is none yet, which is allowed only for a dry run. */
  readonly store?: SessionStore;
  readonly owner: Principal;
  /** The origin of the lines, shown when the session is resumed. */
  readonly from: string;
  /** True to import an existing session again under another id. */
  readonly isCopy: boolean;
  /** True to change nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Imports a file of `sessions export`, one session after another. The file may come from anyone: entries that would start
 * work or act as the system are skipped, and the sessions are marked as untrusted.
 */
export async function importLines(lines: AsyncIterable<string>, deps: LineImportDeps): Promise<Result<LineImport>> {
  const imported: SessionRecord[] = [];
  const knownNames: SessionId[] = [];
  const failed: { line: number; why: string }[] = [];
  let left = 0;
  let line = 0;
  let reading: ReadSession | undefined;

  async function take(): Promise<void> {
    const read = reading;
    reading = undefined;
    if (!read) return;
    left += read.left;
    try {
      const used = await takeIn(read, deps);
      if ("known" in used) knownNames.push(used.known);
      else imported.push(used);
    } catch (thrown) {
      failed.push({ line: read.line, why: reasonOf(thrown) });
    }
  }

  for await (const text of lines) {
    line++;
    if (deps.signal.aborted) {
      // The rest is skipped, because half a session would count as already imported.
      reading = undefined;
      break;
    }
    if (text.trim() === "") continue;
    const parsed = parseJson(text, limits);
    if (!parsed.ok) {
      failed.push({ line, why: parsed.error });
      continue;
    }
    const header = headerOf(parsed.value);
    if (header) {
      await take();
      if (header.version > lineVersion)
        return err({ message: `line ${line}: written by a newer Hermes; update first.` });
      reading = { ...header, line, entries: [rootOf(deps.from)], known: new Map(), left: 0 };
    } else if (reading) add(parsed.value, reading, deps.from);
    else return err({ message: `line ${line}: this file was not written by \`hermes sessions export\`.` });
  }
  await take();
  return ok({ imported, known: knownNames, left, failed });
}

/** A line may contain an image. */
const limits = { maxChars: 100_000_000, maxDepth: 100 };

interface Header {
  readonly version: number;
  readonly session: Record<string, unknown>;
}

interface ReadSession extends Header {
  readonly line: number;
  readonly entries: Entry[];
  /** Maps each id in the file to the imported entry, or to the nearest imported parent. */
  readonly known: Map<string, EntryId | undefined>;
  left: number;
}

function headerOf(value: unknown): Header | undefined {
  if (!isObject(value) || value["format"] !== lineFormat || !isObject(value["session"])) return undefined;
  return { version: Number(value["version"]), session: value["session"] };
}

function add(value: unknown, read: ReadSession, from: string): void {
  // The summary of a nested call repeats the entries before it.
  if (isObject(value) && value["type"] === "sandbox_tool_call") return;
  const { id } = isObject(value) ? value : {};
  const entry = typeof id === "string" && !read.known.has(id) ? parseSessionEntry(value) : undefined;
  /** Returns the imported entry, or the nearest imported parent. */
  const used = (id: EntryId | undefined) => (id === undefined ? undefined : read.known.get(id));
  const before = read.entries.at(-1)?.id;
  if (!entry) {
    read.left++;
    if (typeof id === "string" && !read.known.has(id)) {
      const parent =
        isObject(value) && typeof value["parent"] === "string" ? asId<EntryId>(value["parent"]) : undefined;
      read.known.set(id, parent !== undefined && read.known.has(parent) ? used(parent) : before);
    }
    return;
  }
  const { parent, ...rest } = entry;
  // If lines are missing, the entry is attached to the previous one.
  const above = parent !== undefined && read.known.has(parent) ? used(parent) : before;
  const placed = placedEntry(rest, above, { taken: used, root: read.entries[0]?.id }, from);
  read.known.set(entry.id, placed ? placed.id : above);
  if (placed) read.entries.push(placed);
  else read.left++;
}

function placedEntry(
  entry: Entry,
  parent: EntryId | undefined,
  { taken: used, root }: { taken(id: EntryId | undefined): EntryId | undefined; readonly root: EntryId | undefined },
  from: string,
): Entry | undefined {
  const below = parent !== undefined && { parent };
  if (entry.type === "head_moved") {
    const { to: target, ...rest } = entry;
    const to = used(target) ?? root;
    return to === undefined ? rest : { ...rest, to, parent: to };
  }
  if (entry.type === "compacted") {
    const through = used(entry.through);
    // Without this entry, the summarised entries are missing, so the summary is skipped.
    return through === undefined ? undefined : { ...entry, through, ...below };
  }
  if (entry.type === "state" && entry.name === "taint") {
    const value = [...(Array.isArray(entry.value) ? entry.value : []), strangersIn(from)];
    return { ...entry, value, ...below };
  }
  return { ...entry, ...below };
}

function strangersIn(from: string): JsonValue {
  return { kind: "file", name: from.slice(0, 400) };
}

async function takeIn(read: ReadSession, deps: LineImportDeps): Promise<SessionRecord | { readonly known: SessionId }> {
  const { store, owner, isCopy } = deps;
  const { id: given, source, createdAt, title, cwd, model, tags, archivedAt } = read.session;
  const id =
    typeof given === "string" && /^[A-Za-z0-9][\w.-]{0,127}$/u.test(given) ? asId<SessionId>(given) : undefined;
  const isHere = id !== undefined && (await isKnown(id, deps));
  if (isHere && !isCopy) return { known: id };
  const { entries } = read;
  const free = typeof title === "string" && store ? await freeTitle(title, { principal: owner }, store) : undefined;
  const began =
    typeof createdAt === "number" && Number.isSafeInteger(createdAt) && createdAt >= 0
      ? createdAt
      : (entries[1]?.at ?? 0);
  const session = {
    ...(id !== undefined && !isHere && { id }),
    source: typeof source === "string" ? plainTitle(source, 40) || "import" : "import",
    principal: owner,
    createdAt: began,
    ...(free?.ok && { title: free.value }),
    ...(typeof cwd === "string" && { cwd }),
    ...(typeof model === "string" && { model }),
  };
  if (deps.isDryRun || !store) {
    const messages = entries.filter(({ type }) => type === "message").length;
    return { ...session, id: id ?? asId<SessionId>("new"), changedAt: entries.at(-1)?.at ?? 0, messages };
  }
  const record = await store.take(session, entries);
  const words = Array.isArray(tags)
    ? tags.filter((tag) => typeof tag === "string").map((tag) => plainTitle(tag, 50))
    : [];
  const marks = { ...(words.length > 0 && { tags: words }), ...(typeof archivedAt === "number" && { archived: true }) };
  const marked = Object.keys(marks).length > 0 ? await store.mark(record.id, marks, owner) : undefined;
  return marked?.ok ? marked.value : record;
}

/** Returns true even for a session that is deleted but not erased yet. */
async function isKnown(id: SessionId, { store, owner }: LineImportDeps): Promise<boolean> {
  if (!store) return false;
  if (await store.get(id, owner)) return true;
  const deleted = await store.list({ limit: 10_000, only: "deleted" }, owner);
  return deleted.some((each) => each.id === id);
}

/** Creates a root entry that marks every branch as untrusted. */
function rootOf(from: string): Entry {
  return { type: "state", name: "taint", value: [strangersIn(from)], id: newId<EntryId>("root"), at: 0 };
}
