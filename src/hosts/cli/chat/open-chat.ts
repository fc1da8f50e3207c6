import { statSync } from "node:fs";
import { resolve } from "node:path";

import type { SessionId } from "../../../base/ids.ts";
import { reasonOf } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { Asker, SecretAsker } from "../../../contracts/host/ports.ts";
import type { ApprovalSurface } from "../../../contracts/safety/approval.ts";
import type { Principal } from "../../../contracts/safety/principal.ts";
import type { Runtime, Session, SessionOptions } from "../../../contracts/session/runtime.ts";
import { oneShotSource, type SessionQuery, type SessionRecord } from "../../../contracts/session/session.ts";
import { type Settings, weaknesses } from "../../../operations/settings/load-settings.ts";
import { builtins } from "../../../runtime/builtins.ts";
import type { Contribution } from "../../../runtime/contributions.ts";
import { createRuntime, type OpenedRuntime } from "../../../runtime/create-runtime.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { AskYesNo } from "./opening/offer-plugins.ts";

/** A runtime with one session, opened as the command line requests. */
export interface OpenedChat extends AsyncDisposable {
  readonly config: Settings;
  readonly runtime: OpenedRuntime;
  readonly session: Session;
  /** Opens a new session instead of the first one. */
  another(options?: Partial<SessionOptions>): Promise<Session>;
  /** Opens an existing session in its own folder. */
  resume(id: SessionId): Promise<Session>;
}

export interface ChatPorts {
  readonly source: "cli" | "oneshot";
  readonly asker?: Asker;
  /** Shows the questions of every opened session. */
  readonly approvals?: ApprovalSurface;
  readonly secrets?: SecretAsker;
  /** Asks whether to enable new plugins. Undefined: nobody can answer. */
  readonly askYesNo?: AskYesNo;
  say(sentence: string): void;
  /** Prints a line unchanged. */
  tell(line: string): void;
}

/** The slash commands of the product. Only a chat loads them. */
const builtinCommands: Contribution = {
  owner: "built-in commands",
  commands: async () => (await import("../../../commands/builtin-commands.ts")).builtinCommands,
};

export async function openChat(request: ChatRequest, ctx: CliContext, ports: ChatPorts): Promise<OpenedChat> {
  const config = await ctx.config();
  const { cwd, signal } = ctx;
  const { safeMode, acceptHooks } = request;
  await using opening = new AsyncDisposableStack();
  const runtime = opening.use(
    await createRuntime(config, [...builtins(config, { cwd, signal, safeMode }), builtinCommands], {
      cwd,
      principal: ctx.principal,
      signal,
      safeMode,
      acceptHooks,
      say: ports.say,
      ...(ctx.models && { models: ctx.models }),
    }),
  );
  const offers = runtime.offeredPlugins;
  if (offers.length > 0) {
    const { offerNotice, offerPlugins } = await import("./opening/offer-plugins.ts");
    const { askYesNo, tell } = ports;
    if (askYesNo) await offerPlugins(offers, runtime, ctx, { ask: askYesNo, tell });
    else ports.say(offerNotice(offers));
  }
  const resumed = await sessionToResume(request, runtime, ctx);
  const { maxTurns, reasoning, model, provider, record, sourceTag, namesSessionId } = request;
  const options: SessionOptions = {
    source: ports.source,
    principal: ctx.principal,
    ignoreRules: request.ignoreRules,
    ...(sourceTag !== undefined && { sourceTag }),
    ...(namesSessionId && { namesSessionId }),
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(reasoning !== undefined && { reasoning }),
    ...(record !== undefined && { record: record === "" ? "" : resolve(ctx.cwd, record) }),
    ...(ports.asker && { asker: ports.asker }),
    ...(ports.secrets && { secrets: ports.secrets }),
  };
  // Applies only to the requested model, not to one chosen later.
  const by = (chosen: string | undefined) => (provider !== undefined && chosen === undefined ? { provider } : {});
  async function another(more: Partial<SessionOptions> = {}): Promise<Session> {
    const sessionOptions = { ...options, ...by(more.model), cwd: ctx.cwd, ...more };
    const session = await runtime.openSession(sessionOptions).catch((thrown: unknown) => {
      throw ctx.signal.aborted ? thrown : new CommandFailed(reasonOf(thrown));
    });
    if (ports.approvals) session.approvals.attach(ports.approvals);
    return session;
  }
  async function reopen(record: SessionRecord, branch?: string): Promise<Session> {
    const folder = folderOf(record, ctx, request.keepsFolder);
    const opened = await another({ resume: record.id, cwd: folder.cwd, ...(branch !== undefined && { branch }) });
    if (folder.note !== undefined) ports.tell(`${ctx.paint.warn("note:")} ${folder.note}`);
    return opened;
  }
  const title = resumed || !request.createsMissing ? undefined : request.goOn;
  const session = opening.use(
    await (resumed ? reopen(resumed, request.branch) : another(title === undefined ? {} : { title })),
  );
  const { notices, empty } = session.catalog;
  if (empty !== undefined && request.toolsets !== undefined)
    throw new CommandFailed(`-t ${request.toolsets} selects no tool.`, notices[0] ?? empty, 2);
  for (const weakness of weaknesses(config)) ports.tell(ctx.paint.warn(`⚠ ${weakness}`));
  for (const warning of [...config.warnings, ...notices]) ports.tell(`${ctx.paint.warn("warning:")} ${warning}`);
  for (const { source, message } of runtime.diagnostics)
    ports.tell(`${ctx.paint.warn("warning:")} ${withoutControls(`${source}: ${message}`)}`);
  if (empty !== undefined) ports.tell(`${ctx.paint.bad("error:")} ${empty}`);
  const resume = async (id: SessionId) => {
    const record = await runtime.sessions.get(id, ctx.principal);
    return record ? reopen(record) : another({ resume: id });
  };
  const open = opening.move();
  return { config, runtime, session, another, resume, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The folder of a session, unless the command line specifies one, and a notice about it. */
function folderOf(
  { id, cwd }: SessionRecord,
  ctx: CliContext,
  keepsFolder: boolean,
): { readonly cwd: string; readonly note?: string } {
  if (cwd === undefined || cwd === ctx.cwd) return { cwd: ctx.cwd };
  const folder = withoutControls(cwd);
  if (ctx.cwdIsAsked || keepsFolder)
    return { cwd: ctx.cwd, note: `This session started in ${folder} and now works in ${ctx.cwd}.` };
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return {
      cwd: ctx.cwd,
      note: `The folder of this session no longer exists (${folder}): it now works in ${ctx.cwd}.`,
    };
  return { cwd, note: `This session works in ${folder}. To use the current folder: hermes -r ${id} --cwd .` };
}

async function sessionToResume(
  { resume, goOn, createsMissing }: ChatRequest,
  { sessions }: Runtime,
  { principal: who, cwd }: CliContext,
): Promise<SessionRecord | undefined> {
  if (resume === undefined && goOn === undefined) return undefined;
  if (goOn === "") {
    const newestIn = async (query: Omit<SessionQuery, "limit">) =>
      (await sessions.list({ limit: 1, ...query }, who))[0];
    const newest = await newestIn({ conversations: true, cwd });
    if (newest) return newest;
    const other = (await newestIn({ conversations: true })) ?? (await newestIn({}));
    throw new CommandFailed(`There is no conversation in ${cwd}.`, other ? newestText(other) : "Start one: hermes");
  }
  const ofTitle = goOn === undefined ? undefined : await newestOf(goOn, sessions, who);
  if (ofTitle) return ofTitle;
  const match = await sessions.find(resume ?? goOn ?? "", who);
  if (match.ok) return match.value;
  if (createsMissing) return undefined;
  throw new CommandFailed(match.error.message);
}

function newestText({ id, title, preview, source, cwd = "an unknown folder" }: SessionRecord): string {
  const kind = source === oneShotSource ? "The newest session is one prompt" : "The newest conversation is";
  return `${kind} in ${withoutControls(cwd)}: hermes -r ${id} (${oneLine(withoutControls(title ?? preview ?? "no title"), 60)})`;
}

/** If a title is repeated, later sessions have a number in it; the newest of them is used. */
async function newestOf(
  title: string,
  sessions: Runtime["sessions"],
  who: Principal,
): Promise<SessionRecord | undefined> {
  const recent = await sessions.list({ limit: maxLookedAt }, who);
  return recent.find((each) => each.title === title || each.title?.replace(/ #\d+$/u, "") === title);
}

const maxLookedAt = 1_000;
