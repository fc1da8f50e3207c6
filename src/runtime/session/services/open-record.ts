import type { ChildOpening } from "../../../agents/agent-ports.ts";
import { plural } from "../../../base/text/text.ts";
import type { ModelClient } from "../../../contracts/model/model.ts";
import type { Principal } from "../../../contracts/safety/principal.ts";
import type { SessionOptions } from "../../../contracts/session/runtime.ts";
import { type Entry, type Lease, oneShotSource, type SessionRecord } from "../../../contracts/session/session.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";
import { createSessionLog, type SessionLog } from "../../../kernel/loop/record/session-log.ts";
import { createTouchedFiles, type TouchedFiles } from "../../../kernel/loop/record/touched-files.ts";
import { type ActiveModel, createActiveModel } from "../../../kernel/session/active-model.ts";
import { freeTitle } from "../../../sessions/session-title.ts";
import type { ParentSession, SessionDeps } from "../session-deps.ts";

/** First stage: the model, the tools and the record of a session, with the right to write to it. */
export interface OpenedRecord {
  readonly options: SessionOptions;
  readonly principal: Principal;
  readonly parent?: ParentSession;
  /** A child agent: its rights and budget. */
  readonly child?: ChildOpening;
  readonly model: ActiveModel;
  readonly catalog: Catalog;
  readonly record: SessionRecord;
  readonly entries: readonly Entry[];
  /** Undefined: another process writes to the session, which is read-only here. */
  readonly lease?: Lease;
  readonly heldBy?: string;
  readonly log: SessionLog;
  readonly files: TouchedFiles;
}

export async function openRecord(
  options: SessionOptions,
  deps: SessionDeps,
  child: ChildOpening | undefined,
): Promise<OpenedRecord> {
  const parent = parentOf(options, deps);
  const principal = parent?.principal ?? options.principal;
  const opened = await deps.parts.models.open(options.model, options.provider);
  if (!opened.ok) throw new Error(opened.error.message);
  const [catalog, stored] = await Promise.all([
    deps.catalog(child ? { ...options, ...(parent && withFolder(parent)) } : options),
    child ? openChild(child, deps) : openStored(options, { principal, model: opened.value, parent }, deps),
  ]);
  const { record, entries } = stored;
  const damaged = entries.filter(({ type }) => type === "damaged").length;
  if (damaged > 0) deps.say(`${plural(damaged, "entry")} of this session cannot be read: their text is lost.`);
  return {
    options,
    principal,
    ...(parent && { parent }),
    ...(child && { child }),
    model: createActiveModel(opened.value),
    catalog,
    ...stored,
    log: createSessionLog(record.id, entries, deps.sessions),
    files: createTouchedFiles(entries),
  };
}

function parentOf({ parent: id }: SessionOptions, { parents }: SessionDeps): ParentSession | undefined {
  if (id === undefined) return undefined;
  const parent = parents.get(id);
  if (!parent) throw new Error(`Session ${id} is not open here, so it cannot start another.`);
  return parent;
}

function withFolder({ toolsFolder }: ParentSession): Pick<SessionOptions, "cwd"> {
  return toolsFolder === undefined ? {} : { cwd: toolsFolder };
}

/** The record of a child already exists, because it is created while the child waits to start. */
async function openChild(
  { record, lease }: ChildOpening,
  { sessions }: SessionDeps,
): Promise<Pick<OpenedRecord, "record" | "entries" | "lease">> {
  return { record, lease, entries: await sessions.path(record.id) };
}

async function openStored(
  { resume, source, sourceTag = source, title: requestedTitle, cwd }: SessionOptions,
  about: { readonly principal: Principal; readonly model: ModelClient; readonly parent: ParentSession | undefined },
  deps: SessionDeps,
): Promise<Pick<OpenedRecord, "record" | "entries" | "lease" | "heldBy">> {
  const { sessions } = deps;
  const { principal, parent } = about;
  const resumed = resume === undefined ? undefined : await sessions.get(resume, principal);
  if (resume !== undefined && !resumed) throw new Error(`There is no session ${resume}.`);
  const { provider, model } = about.model.facts();
  const title = resumed || !requestedTitle ? undefined : await freeTitle(requestedTitle, { principal }, sessions);
  const record =
    resumed ??
    (await sessions.create({
      source: sourceTag,
      principal,
      cwd: cwd ?? deps.cwd,
      model: `${provider}/${model}`,
      ...(title?.ok && { title: title.value }),
      ...(parent && { parent: parent.id }),
    }));
  // A one-shot session that continues in a chat becomes a conversation, unless another process has it open.
  if (resumed?.source === oneShotSource && source === "cli") await sessions.mark(resumed.id, { source }, principal);
  const leased = await sessions.lease(record.id, source);
  const entries = resumed ? await sessions.path(record.id) : [];
  return leased.ok ? { record, entries, lease: leased.value } : { record, entries, heldBy: leased.error.heldBy };
}
