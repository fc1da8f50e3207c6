import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../base/files/atomic-file.ts";
import { asId, type SessionId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { err, type Result, valueOr } from "../base/result.ts";
import { readTextSources } from "../contracts/safety/text-source.ts";
import type { SessionMail, SessionMessage } from "../contracts/session/session-mail.ts";

export interface MailLimits {
  /** The maximum number of messages of one sender in a minute and in an hour. */
  readonly perMinute: number;
  readonly perHour: number;
  /** The maximum number of messages that wait for one receiver. */
  readonly waiting: number;
}

/** One file per message, in a folder per receiver. All programs of a home share the folder and the limits. */
export function createSessionMail(
  folder: string,
  { clock, limits = usualLimits }: { readonly clock: Clock; readonly limits?: MailLimits },
): SessionMail {
  const folderOf = (id: SessionId) => join(folder, fileName(id));
  const fileOf = ({ id, to, sentAt }: Pick<SessionMessage, "id" | "to" | "sentAt">) =>
    join(folderOf(to), `${String(sentAt).padStart(15, "0")}-${fileName(id)}.json`);

  function namesFor(to: SessionId): readonly string[] {
    const names = valueOr(() => readdirSync(folderOf(to)), []);
    return names.filter((name) => /^\d{15}-\w+\.json$/u.test(name)).toSorted();
  }

  /** Counts the message, or returns why it exceeds a limit. */
  async function countFor(from: SessionId): Promise<string | undefined> {
    const file = join(folder, `${fileName(from)}.sent.json`);
    const now = clock.now();
    const sent = sentTimes(valueOr(() => readFileSync(file, "utf8"), "")).filter(
      (each) => each > now - hourMs && each <= now,
    );
    const inMinute = sent.filter((each) => each > now - minuteMs).length;
    if (inMinute >= limits.perMinute)
      return `a session may send ${limits.perMinute} messages in a minute; wait, or put more into one message`;
    if (sent.length >= limits.perHour)
      return `a session may send ${limits.perHour} messages in an hour; continue without it`;
    const stored = await writeFileAtomic(file, JSON.stringify([...sent, now]), { mode: 0o600 });
    return stored.ok ? undefined : stored.error.message;
  }

  return {
    async send(message) {
      mkdirSync(folderOf(message.to), { recursive: true, mode: 0o700 });
      const { signal } = new AbortController();
      const sent = await withFileLock(
        join(folder, "sending"),
        async (): Promise<Result<void, string>> => {
          if (namesFor(message.to).length >= limits.waiting)
            return err(`${limits.waiting} messages wait for that session already, and it has not read them`);
          const refusal = await countFor(message.from);
          if (refusal !== undefined) return err(refusal);
          const written = await writeFileAtomic(fileOf(message), JSON.stringify(message), { mode: 0o600 });
          return written.ok ? written : err(written.error.message);
        },
        { signal, timeoutMs: lockMs, clock },
      );
      return sent.ok ? sent.value : err(sent.error.message);
    },
    waiting(to) {
      return namesFor(to).flatMap((name) => {
        const text = valueOr(() => readFileSync(join(folderOf(to), name), "utf8"), "");
        const message = readMessage(text);
        return message?.to === to ? [message] : [];
      });
    },
    remove: (message) => rmSync(fileOf(message), { force: true }),
  };
}

function readMessage(text: string): SessionMessage | undefined {
  const value = valueOr((): unknown => JSON.parse(text), undefined);
  if (!isObject(value)) return undefined;
  const { id, to, from, fromTitle, text: content, sources, sentAt } = value;
  if (typeof id !== "string" || typeof to !== "string" || typeof from !== "string") return undefined;
  if (typeof content !== "string" || typeof sentAt !== "number") return undefined;
  return {
    id,
    to: asId<SessionId>(to),
    from: asId<SessionId>(from),
    ...(typeof fromTitle === "string" && { fromTitle }),
    text: content,
    sources: readTextSources(sources),
    sentAt,
  };
}

function sentTimes(text: string): readonly number[] {
  const value = valueOr((): unknown => JSON.parse(text), undefined);
  return Array.isArray(value) ? value.filter((each) => typeof each === "number") : [];
}

/** Ids consist of letters, digits and underscores, so that no other text can refer to a file elsewhere. */
function fileName(id: string): string {
  return id.replaceAll(/\W/gu, "_");
}

const usualLimits: MailLimits = { perMinute: 10, perHour: 60, waiting: 50 };
const minuteMs = 60_000;
const hourMs = 3_600_000;
const lockMs = 5_000;
