import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { ok } from "../../src/base/result.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ContentPart } from "../../src/contracts/model/message.ts";
import type { ModelClient } from "../../src/contracts/model/model.ts";
import type { AgentEvent, TurnOutcome } from "../../src/contracts/session/event.ts";
import type { Session, SessionOptions, Turn } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { builtins } from "../../src/runtime/builtins.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { replaySession } from "../../src/runtime/replay-session.ts";
import { tempHome } from "./temp-home.ts";

export interface Played {
  /** Turns and differences, or why it could not be played. */
  readonly end: Awaited<ReturnType<typeof replaySession>>;
  readonly outcomes: readonly TurnOutcome[];
  readonly events: readonly AgentEvent[];
  readonly deviations: readonly string[];
}

export interface RecordingRig extends AsyncDisposable {
  /** The folder in which sessions work. */
  readonly folder: string;
  readonly home: string;
  /** A session with the whole runtime around it; closed when `use` is done. */
  session(
    model: ModelClient,
    use: (session: Session) => Promise<void>,
    options?: Partial<SessionOptions>,
    settings?: Readonly<Record<string, unknown>>,
    say?: (sentence: string) => void,
  ): Promise<void>;
  /** The text of the only recording, or of that session. */
  recording(session?: string): Promise<string>;
  play(wish?: {
    readonly recording?: string;
    readonly from?: number;
    readonly liveTools?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<Played>;
}

/** Records sessions in a separate home and replays them. `env`: secrets and other variables. */
export async function recordingRig(env: Readonly<Record<string, string>> = {}): Promise<RecordingRig> {
  const folder = await tempHome();
  const home = join(folder.path, ".hermes");
  const signal = new AbortController().signal;

  async function load(settings: Readonly<Record<string, unknown>> = {}) {
    const own = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home, ...env };
    const overrides = { "isolation.mode": "off", "auxiliary.title_generation.enabled": false, ...settings };
    const config = await loadConfig({ env: own, cwd: folder.path, overrides });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    return config.value;
  }

  return {
    folder: folder.path,
    home,
    async session(model, use, options = {}, settings = {}, say = () => {}) {
      const config = await load({ "sessions.record": true, ...settings });
      const models = { open: async () => ok(model) };
      await using runtime = await createRuntime(config, builtins(config, { cwd: folder.path, signal }), {
        cwd: folder.path,
        principal: localPrincipal(),
        signal,
        models,
        say,
      });
      await using session = await runtime.openSession({ source: "test", ...options });
      await use(session);
    },
    async recording(session) {
      const names = await readdir(join(home, "recordings"));
      const name = session === undefined ? names[0] : `${session}.jsonl`;
      return readFile(join(home, "recordings", name ?? ""), "utf8");
    },
    async play({ recording = "latest", from = 1, liveTools = false, signal: stop = signal } = {}) {
      const deviations: string[] = [];
      const events: AgentEvent[] = [];
      const turns: Turn[] = [];
      const reading: Promise<void>[] = [];
      const end = await replaySession(await load(), {
        recording,
        cwd: folder.path,
        principal: localPrincipal(),
        from,
        liveTools,
        signal: stop,
        say() {},
        began(turn) {
          turns.push(turn);
          reading.push(gather(turn, events));
        },
        deviates: ({ turn, request, text }) => void deviations.push(`${turn}.${request ?? 0}: ${text}`),
      });
      await Promise.all(reading);
      return { end, outcomes: await Promise.all(turns.map(({ done }) => done)), events, deviations };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Runs one prompt to its end. */
export async function ask(session: Session, text: string): Promise<TurnOutcome> {
  return session.prompt(words(text)).done;
}

export function words(text: string): readonly ContentPart[] {
  return [{ type: "text", text }];
}

async function gather(turn: Turn, into: AgentEvent[]): Promise<void> {
  for await (const event of turn.events()) into.push(event);
}
