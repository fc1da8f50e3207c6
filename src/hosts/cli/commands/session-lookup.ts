import type { Principal } from "../../../contracts/safety/principal.ts";
import type { SessionRecord, SessionStore } from "../../../contracts/session/session.ts";
import type { StoreUpkeep } from "../../../contracts/session/store-upkeep.ts";
import { type CliContext, CommandFailed } from "../command.ts";

/** The sessions of this home and whose they are. */
export interface OpenSessions {
  readonly store: SessionStore & { readonly upkeep: StoreUpkeep };
  readonly who: Principal;
  /** Ends the command when there is none. */
  find(text: string): Promise<SessionRecord>;
}

/** Opens the sessions for one command. Undefined for `work` means that there are none yet: looking creates nothing. */
export async function withSessions<T>(
  ctx: CliContext,
  work: (open: OpenSessions | undefined) => Promise<T>,
): Promise<T> {
  const { openSessions } = await import("../../../runtime/session/open-sessions.ts");
  await using store = await openSessions(await ctx.config(), warningsOf(ctx));
  const { principal: who } = ctx;
  if (!store) return await work(undefined);
  return await work({
    store,
    who,
    async find(text) {
      const found = await store.find(text, who);
      if (found.ok) return found.value;
      throw new CommandFailed(found.error.message);
    },
  });
}

/** Where a person reads what was found wrong; the answer itself stays as it is. */
export function warningsOf({ io, paint }: CliContext): (sentence: string) => void {
  return (sentence) => io.warn(`${paint.dim(`hermes: ${sentence}`)}\n`);
}

/** For commands that name a session. */
export function withKnownSessions<T>(ctx: CliContext, work: (open: OpenSessions) => Promise<T>): Promise<T> {
  return withSessions(ctx, async (open) => {
    if (!open) throw new CommandFailed("There is no session yet.", "Begin one: hermes");
    return await work(open);
  });
}

export const sessionArgument = {
  name: "session",
  summary: "its id, the beginning of it, its title, or latest",
} as const;

export function recordData(record: SessionRecord) {
  const {
    id,
    title,
    source,
    model,
    cwd,
    messages,
    createdAt,
    changedAt,
    preview,
    tags,
    archivedAt,
    deletedAt,
    parent,
  } = record;
  return {
    id,
    ...(title !== undefined && { title }),
    source,
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    messages,
    createdAt,
    changedAt,
    ...(preview !== undefined && { preview }),
    ...(tags && { tags: [...tags] }),
    ...(archivedAt !== undefined && { archivedAt }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(parent !== undefined && { parent }),
  };
}

/** A whole number from 1 on. */
export function countOf(given: string | undefined, usual: number, option: string): number {
  const count = Number(given ?? usual);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new CommandFailed(`${option} needs a whole number from 1 on.`, undefined, 2);
}
