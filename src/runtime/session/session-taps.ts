import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { reasonOf } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { OpenTap, SessionTap, TapInput } from "../../contracts/session/session-tap.ts";
import { createHistory } from "../../kernel/loop/history.ts";

export interface TapDeps {
  /** What a file that is named on a command line is below. */
  readonly cwd: string;
  readonly clock: Clock;
  /** A sentence for the person. */
  say(sentence: string): void;
}

/** What the settings and the caller want to have written down of sessions beside the store. */
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
  const usual = join(home.path, homeFiles.recordings, `${of.record.id}.jsonl`);
  const asked = of.wish === undefined || of.wish === "" ? usual : resolve(cwd, of.wish);
  // One file holds one session: the next one of the same program gets its own.
  const owner = await recordedSession(asked);
  const file = owner === undefined || owner === of.record.id ? asked : usual;
  const goesOn = file === asked ? owner !== undefined : (await recordedSession(file)) !== undefined;
  const { recordSession } = await import("../../providers/recording/record-session.ts");
  if (of.wish !== undefined) {
    say(`This session is recorded in ${file}; replay it with: hermes replay ${file === usual ? of.record.id : file}`);
  }
  return recordSession(of, { file, goesOn, clock, say });
}

/** Whose recording the file holds; nothing when there is none or it is empty. */
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

/** One row for a session, when it is left: everything that was said in it, also what was summed up since. */
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
        const row = trajectoryOf({ messages, tools: of.tools, model, completed, at: clock.now() });
        const clean = {
          ...row,
          conversations: row.conversations.map(({ from, value }) => ({ from, value: of.redact(value) })),
        };
        await appendLine(join(home.path, homeFiles.trajectories, file), JSON.stringify(clean));
      } catch (thrown) {
        say(`The trajectory of this session could not be saved: ${reasonOf(thrown)}`);
      }
    },
  };
}

/** In one write, so that sessions that end at the same moment do not mix. */
async function appendLine(file: string, line: string): Promise<void> {
  await makeFolder(dirname(file), 0o700);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  await using handle = await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  await handle.appendFile(`${line}\n`);
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
