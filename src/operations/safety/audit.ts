import { asId, type SessionId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionStore } from "../../contracts/session/session.ts";
import { mainArgument } from "../../contracts/tool/main-argument.ts";
import { readOperation } from "../operation.ts";
import { callArguments } from "../sessions/session-calls.ts";

/**
 * The main argument of each call: its command, path or address. It is read from the sessions: the log itself contains
 * only a hash of the arguments, so that an erased session leaves no data in it.
 */
async function describeCalls(
  entries: readonly CallPlace[],
  sessions: SessionStore | undefined,
  who: Principal,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(entries.flatMap(({ session }) => (session === undefined ? [] : [asId<SessionId>(session)])));
  const described = new Map<string, string>();
  for (const id of ids) {
    if (!sessions || !(await sessions.get(id, who))) continue;
    for (const [call, args] of callArguments(await sessions.entries(id)))
      described.set(placeOf({ session: id, call }), mainArgument(args, maxDescriptionChars));
  }
  return described;
}

const maxDescriptionChars = 300;

interface CallPlace {
  readonly session?: string;
  readonly call?: string;
}

/** Some providers restart the numbering of calls in each session, so a call id is unique only within its session. */
function placeOf({ session = "", call = "" }: CallPlace): string {
  return `${session} ${call}`;
}

export const operations = {
  show: readOperation({
    summary: "Show the newest decisions and effects, oldest first",
    input: object({
      limit: optional(integer("Maximum number of entries; default: 50", { minimum: 1 })),
      session: optional(string("Only entries of this session")),
      denied: optional(flag("Only denials")),
    }),
    needs: ["audit", "readableSessions"],
    async run({ limit = 50, session, denied = false }, { audit, readableSessions }, { principal }) {
      const entries = await audit.newest(withoutUndefined({ limit, session, deniedOnly: denied }));
      const what = await describeCalls(entries, readableSessions, principal);
      return ok({
        entries: entries.map((entry) => ({ ...entry, ...withoutUndefined({ what: what.get(placeOf(entry)) }) })),
      });
    },
  }),

  verify: readOperation({
    summary: "Check whether the audit log was changed or truncated",
    input: object({
      head: optional(
        string(
          "An entry of the hash chain that was saved earlier, as NUMBER:HASH; checks that the log still contains it",
        ),
      ),
    }),
    needs: ["audit"],
    async run({ head }, { audit }) {
      const [, seq, hash] = head === undefined ? [] : (/^(\d+):([0-9a-f]{64})$/u.exec(head) ?? []);
      const link = seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : undefined;
      if (head !== undefined && !link)
        return err({ message: "The head must be NUMBER:HASH, as `hermes audit verify` prints it.", kind: "input" });
      return ok(await audit.verify(link));
    },
  }),
};
