import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { removeTree } from "../base/files/remove-tree.ts";
import { err, ok, type Result } from "../base/result.ts";
import { plural } from "../base/text/text.ts";
import { homeFiles } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import { makeScratchFolder } from "../config/scratch-folder.ts";
import type { Message } from "../contracts/model/message.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { Runtime, Session, Turn } from "../contracts/session/runtime.ts";
import type { EntryBody } from "../contracts/session/session.ts";
import { type ModelRecording, readRecording } from "../providers/recording/read-recording.ts";
import { createReplay, type Deviation } from "../providers/recording/replay-session.ts";
import { builtins } from "./builtins.ts";
import { createRuntime } from "./create-runtime.ts";

export interface ReplayRequest {
  /** The id of a session, or a file. */
  readonly recording: string;
  readonly cwd: string;
  readonly principal: Principal;
  /** Turns before this one (from 1) are replayed but not shown. */
  readonly from: number;
  /** Tools really run from `from` on, with the local policy and approvals. */
  readonly liveTools: boolean;
  readonly signal: AbortSignal;
  say(sentence: string): void;
  /** Called before anything is replayed. */
  opened?(session: Session): Promise<void>;
  /** Called for each turn to show. */
  began(turn: Turn, index: number): void;
  deviates(deviation: Deviation): void;
}

export interface ReplayEnd {
  readonly turns: number;
  readonly deviations: number;
  readonly session: string;
}

/** Replays a recorded session offline, in a temporary store. */
export async function replaySession(config: LoadedConfig, wish: ReplayRequest): Promise<ReplayResult<ReplayEnd>> {
  const match = await findRecording(config, wish.recording, wish.cwd);
  if (!match.ok) return match;
  const recording = match.value;
  const turns = recording.lines.filter(({ type }) => type === "turn").length;
  if (wish.from > Math.max(1, turns))
    return err({ message: `The recording has ${plural(turns, "turn")}; there is no turn ${wish.from}.` });
  if (recording.isTorn) wish.say("The last line of the recording is incomplete and was left out.");
  const folder = makeScratchFolder(config.home.path, "replay");
  try {
    const deviations = await play(config, recording, join(folder, homeFiles.sessions), wish);
    return ok({ turns, deviations, session: recording.opened.session });
  } catch (thrown) {
    if (!wish.signal.aborted) throw thrown;
    return err({ message: "The replay was stopped." });
  } finally {
    await removeTree(folder);
  }
}

type ReplayResult<T> = Result<T, { readonly message: string; readonly hint?: string }>;

/** Finds a recording by file, session id or its prefix, or `latest`. */
async function findRecording(
  config: LoadedConfig,
  requested: string,
  cwd: string,
): Promise<ReplayResult<ModelRecording>> {
  if (/[/\\]|\.jsonl$/u.test(requested)) return readRecording(resolve(cwd, requested));
  const folder = join(config.home.path, homeFiles.recordings);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const fitting =
    requested === "latest" ? await newestOf(folder, names) : names.filter((name) => name.startsWith(requested));
  const [name] = fitting.includes(`${requested}.jsonl`) ? [`${requested}.jsonl`] : fitting;
  if (fitting.length > 1 && name !== `${requested}.jsonl`) {
    return err({
      message: `Several recordings begin with ${requested}: ${fitting.map((each) => each.slice(0, -6)).join(", ")}.`,
    });
  }
  if (name !== undefined) return readRecording(join(folder, name));
  return err({
    message: requested === "latest" ? "There is no recording yet." : `There is no recording of a session ${requested}.`,
    hint: "A session is recorded with --record; all of them with: hermes config set sessions.record true",
  });
}

async function newestOf(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const times = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  return times
    .toSorted((one, other) => other.at - one.at)
    .slice(0, 1)
    .map(({ name }) => name);
}

async function play(
  config: LoadedConfig,
  recording: ModelRecording,
  sessionsFile: string,
  wish: ReplayRequest,
): Promise<number> {
  const { opened } = recording;
  let deviations = 0;
  const replay = createReplay(recording, {
    ...(wish.liveTools && { liveFrom: wish.from }),
    deviates(deviation) {
      deviations += 1;
      wish.deviates(deviation);
    },
  });
  const { cwd, principal, signal, say } = wish;
  const free = unlimited(config);
  await using runtime = await createRuntime(free, builtins(free, { cwd, signal }), {
    cwd,
    principal,
    signal,
    say,
    sessionsFile,
    models: replay.models,
    replaceParts: (own) => ({
      models: replay.models,
      async openSessionModel(input) {
        const { remark: _, leftovers: __, ...model } = await own.openSessionModel(input);
        return {
          ...model,
          prompt: async () => ({ system: opened.system, notices: [] }),
          unfinished: replay.unfinished,
        };
      },
      tap: async () => replay.tap,
    }),
  });
  const session = await openReplayed(runtime, recording, wish);
  await wish.opened?.(session);
  const began = (turn: Turn, index: number) => {
    if (index >= wish.from) wish.began(turn, index);
  };
  await replay.play(session, began, wish.signal);
  return deviations;
}

/** Opens a session with the history at the start of the recording. */
async function openReplayed(
  runtime: Runtime,
  { opened }: ModelRecording,
  { cwd, principal }: ReplayRequest,
): Promise<Session> {
  const options = { source: "replay", cwd, maxTurns: opened.modelCalls };
  if (!opened.history || opened.history.length === 0) return runtime.openSession(options);
  const { id } = await runtime.sessions.create({ source: "replay", principal, cwd });
  const lease = await runtime.sessions.lease(id, "replay");
  await runtime.sessions.append(id, entriesOf(opened.history));
  if (lease.ok) await lease.value[Symbol.asyncDispose]();
  return runtime.openSession({ ...options, resume: id });
}

function entriesOf(history: readonly Message[]): readonly EntryBody[] {
  return history.map((message): EntryBody => {
    if (message.role !== "tool") return { type: "message", message };
    const { callId, name: tool, content } = message;
    return {
      type: "settled",
      callId,
      tool,
      result: { ok: true, value: { content } },
      durationMs: 0,
    };
  });
}

/** The original run has already paid for the recorded calls. */
function unlimited(config: LoadedConfig): LoadedConfig {
  const budget = {
    ...config.values.budget,
    max_usd_per_turn: null,
    max_usd_per_session: null,
    max_usd_per_day: null,
    max_tokens_per_turn: null,
    max_tokens_per_session: null,
    max_tokens_per_day: null,
  };
  return { ...config, values: { ...config.values, budget } };
}
