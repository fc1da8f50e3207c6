import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { appendLinesTo } from "../../base/files/append-lines.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { reasonOf } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { nestedCallReader } from "../../contracts/session/nested-calls.ts";
import type { OpenTap, SessionTap, TapInput } from "../../contracts/session/session-tap.ts";
import { createHistory } from "../../kernel/loop/record/history.ts";

export interface TapDeps {
  /** The folder that file names of the command line are relative to. */
  readonly cwd: string;
  readonly clock: Clock;
  say(sentence: string): void;
}

/** The recorders that the settings and the caller request: recordings and trajectories. */
export function sessionTaps(config: LoadedConfig, deps: TapDeps): OpenTap {
  const { values } = config;
  return async (of) => {
    const taps: SessionTap[] = [];
    if (values.sessions.record || of.wish !== undefined) taps.push(await recorder(config, of, deps));
    if (values.agent.save_trajectories) taps.push(trajectories(config, of, deps));
    return taps.length === 0 ? undefined : taps.reduce(combined);
  };
}

async function recorder({ home }: LoadedConfig, of: TapInput, { cwd, clock, say }: TapDeps): Promise<SessionTap> {
  const defaultFile = join(home.path, homeFiles.recordings, `${of.record.id}.jsonl`);
  const requested = of.wish === undefined || of.wish === "" ? defaultFile : resolve(cwd, of.wish);
  // The requested file is used for one session; the next session of the same program gets its own file.
  const owner = await recordedSession(requested);
  const file = owner === undefined || owner === of.record.id ? requested : defaultFile;
  const goesOn = file === requested ? owner !== undefined : (await recordedSession(file)) !== undefined;
  const { recordSession } = await import("../../providers/recording/record-session.ts");
  if (of.wish !== undefined) {
    say(
      `This session is recorded in ${file}; replay it with: hermes replay ${file === defaultFile ? of.record.id : file}`,
    );
  }
  return recordSession(of, { file, goesOn, clock, say });
}

/** The session that the file is a recording of. Undefined when the file is missing or empty. */
async function recordedSession(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(500), 0, 500, 0);
    const beginning = buffer.toString("utf8", 0, bytesRead);
    return bytesRead === 0 ? undefined : (/"session":"(?<id>[^"]*)"/u.exec(beginning)?.groups?.["id"] ?? "");
  } catch {
    return undefined;
  }
}

/** Appends one row when a session closes: all of its messages, including those that a compaction replaced. */
function trajectories({ home }: LoadedConfig, of: TapInput, { clock, say }: TapDeps): SessionTap {
  let completed: boolean | undefined;
  let model = of.model.model;
  return {
    model: (client) => client,
    dispatcher: (dispatcher) => dispatcher,
    engine: (engine) => engine,
    note() {},
    watch(event) {
      if (event.type === "model.answered") ({ model } = event);
      if (event.type === "turn.finished") completed = event.outcome.reason === "answered";
    },
    async [Symbol.asyncDispose]() {
      if (completed === undefined) return;
      const file = completed ? "trajectory_samples.jsonl" : "failed_trajectories.jsonl";
      try {
        const { trajectoryOf } = await import("../../providers/recording/trajectory.ts");
        const entries = (await of.entries()).filter(({ type }) => type !== "compacted");
        const { messages } = createHistory(entries);
        const reader = nestedCallReader();
        const nested = entries.flatMap((entry) => reader(entry) ?? []);
        const row = trajectoryOf({ messages, tools: of.tools, model, completed, nested, at: clock.now() });
        // The arguments of nested calls were stored without secrets.
        const clean = {
          ...row,
          conversations: row.conversations.map(({ from, value }) => ({ from, value: of.redact(value) })),
        };
        const target = join(home.path, homeFiles.trajectories, file);
        await makeFolder(dirname(target), 0o700);
        appendLinesTo(target, `${JSON.stringify(clean)}\n`);
      } catch (thrown) {
        say(`The trajectory of this session could not be saved: ${reasonOf(thrown)}`);
      }
    },
  };
}

function combined(outer: SessionTap, inner: SessionTap): SessionTap {
  return {
    model: (client) => outer.model(inner.model(client)),
    dispatcher: (dispatcher) => outer.dispatcher(inner.dispatcher(dispatcher)),
    engine: (engine) => outer.engine(inner.engine(engine)),
    note(change) {
      inner.note(change);
      outer.note(change);
    },
    watch(event) {
      inner.watch(event);
      outer.watch(event);
    },
    async [Symbol.asyncDispose]() {
      await inner[Symbol.asyncDispose]();
      await outer[Symbol.asyncDispose]();
    },
  };
}
