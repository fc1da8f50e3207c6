import { resolve } from "node:path";

import type { SessionId } from "../../../base/ids.ts";
import { reasonOf } from "../../../base/result.ts";
import type { Asker, SecretAsker } from "../../../contracts/host/ports.ts";
import type { ApprovalSurface } from "../../../contracts/safety/approval.ts";
import type { Principal } from "../../../contracts/safety/principal.ts";
import type { Runtime, Session, SessionOptions } from "../../../contracts/session/runtime.ts";
import type { SessionRecord } from "../../../contracts/session/session.ts";
import { type Settings, weaknesses } from "../../../operations/settings/load-settings.ts";
import { builtins } from "../../../runtime/builtins.ts";
import type { Contribution } from "../../../runtime/contributions.ts";
import { createRuntime, type OpenedRuntime } from "../../../runtime/create-runtime.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import type { ChatRequest } from "./chat-request.ts";

/** A runtime with one session, as a command line asks for it. */
export interface OpenedChat extends AsyncDisposable {
  readonly config: Settings;
  readonly runtime: OpenedRuntime;
  readonly session: Session;
  /** A fresh one, in place of the first. */
  another(options?: Partial<SessionOptions>): Promise<Session>;
  /** One that is there, in the folder where it was. */
  resume(id: SessionId): Promise<Session>;
}

export interface ChatPorts {
  readonly source: "cli" | "oneshot";
  readonly asker?: Asker;
  /** Shows the questions of every session that is opened. */
  readonly approvals?: ApprovalSurface;
  readonly secrets?: SecretAsker;
  say(sentence: string): void;
  /** A line as it is. */
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
  const { safeMode } = request;
  await using opening = new AsyncDisposableStack();
  const runtime = opening.use(
    await createRuntime(config, [...builtins(config, { cwd, signal, safeMode }), builtinCommands], {
      cwd,
      principal: ctx.principal,
      signal,
      say: ports.say,
      ...(ctx.models && { models: ctx.models }),
    }),
  );
  const resumed = await sessionToResume(request, runtime, ctx.principal);
  const { maxTurns, reasoning, model, provider, record } = request;
  const options: SessionOptions = {
    source: ports.source,
    principal: ctx.principal,
    ignoreRules: request.ignoreRules,
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(reasoning !== undefined && { reasoning }),
    ...(record !== undefined && { record: record === "" ? "" : resolve(ctx.cwd, record) }),
    ...(ports.asker && { asker: ports.asker }),
    ...(ports.secrets && { secrets: ports.secrets }),
  };
  // It is for the model that was asked for, not for one that was chosen since.
  const by = (chosen: string | undefined) => (provider !== undefined && chosen === undefined ? { provider } : {});
  async function another(more: Partial<SessionOptions> = {}): Promise<Session> {
    const sessionOptions = { ...options, ...by(more.model), cwd: ctx.cwd, ...more };
    const session = await runtime.openSession(sessionOptions).catch((thrown: unknown) => {
      throw ctx.signal.aborted ? thrown : new CommandFailed(reasonOf(thrown));
    });
    if (ports.approvals) session.approvals.attach(ports.approvals);
    return session;
  }
  const session = opening.use(await another(resumed ? resumedAt(resumed, ctx, request.branch) : {}));
  const { notices, empty } = session.catalog;
  for (const weakness of weaknesses(config)) ports.tell(ctx.paint.warn(`⚠ ${weakness}`));
  for (const warning of [...config.warnings, ...notices]) ports.tell(`${ctx.paint.warn("warning:")} ${warning}`);
  if (empty !== undefined) ports.tell(`${ctx.paint.bad("error:")} ${empty}`);
  const resume = async (id: SessionId) => {
    const record = await runtime.sessions.get(id, ctx.principal);
    return another(record ? resumedAt(record, ctx) : { resume: id });
  };
  const open = opening.move();
  return { config, runtime, session, another, resume, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Where the session was, unless this command line says where to be. */
function resumedAt({ id, cwd }: SessionRecord, ctx: CliContext, branch?: string): Partial<SessionOptions> {
  return { resume: id, cwd: ctx.cwdIsAsked ? ctx.cwd : (cwd ?? ctx.cwd), ...(branch !== undefined && { branch }) };
}

async function sessionToResume(
  { resume, goOn }: ChatRequest,
  { sessions }: Runtime,
  who: Principal,
): Promise<SessionRecord | undefined> {
  if (resume === undefined && goOn === undefined) return undefined;
  if (goOn === "") {
    const recent = await sessions.list({ limit: 50 }, who);
    const newest = recent.find(({ source }) => source === "cli" || source === "oneshot");
    if (newest) return newest;
    throw new CommandFailed("There is no session to resume yet.", "Start one: hermes");
  }
  const ofTitle = goOn === undefined ? undefined : await newestOf(goOn, sessions, who);
  if (ofTitle) return ofTitle;
  const match = await sessions.find(resume ?? goOn ?? "", who);
  if (match.ok) return match.value;
  throw new CommandFailed(match.error.message);
}

/** A title that was given again has a number behind it; all of them are one row of sessions. */
async function newestOf(
  title: string,
  sessions: Runtime["sessions"],
  who: Principal,
): Promise<SessionRecord | undefined> {
  const recent = await sessions.list({ limit: mostLookedAt }, who);
  return recent.find((each) => each.title === title || each.title?.replace(/ #\d+$/u, "") === title);
}

const mostLookedAt = 1_000;
