import { once } from "../base/async/once.ts";
import type { SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { oneLine } from "../base/text/text.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { SessionStore } from "../contracts/session/session.ts";

const mostChars = 100;

/** On one line, without what cannot be seen or turns the order of a line round; at most that long. */
export function plainTitle(text: string, most: number = mostChars): string {
  return oneLine(
    text.normalize("NFC").replaceAll(unseen(), (char) => (/\s/u.test(char) ? " " : "")),
    most,
  );
}

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out
const unseen = once(() => /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u3164\uffa0\u115f\u1160]/gu);

/** The title that a session gets: cleaned, and with a number where another one of that person has it. */
export async function freeTitle(
  asked: string,
  of: { readonly id?: SessionId; readonly principal: Principal },
  store: Pick<SessionStore, "find">,
): Promise<Result<string, { readonly message: string }>> {
  const title = plainTitle(asked);
  if (title === "") return err({ message: "A title needs at least one letter." });
  if (title === "latest") return err({ message: `"latest" means the newest session; take another title.` });
  const base = title.replace(/ #\d+$/u, "");
  for (let count = 1; count <= mostOfOneTitle; count++) {
    const suffix = count === 1 ? "" : ` #${count}`;
    const candidate = count === 1 ? title : `${plainTitle(base, mostChars - suffix.length)}${suffix}`;
    if (!(await isTaken(candidate, of, store))) return ok(candidate);
  }
  return err({ message: `So many sessions are called "${base}"; take another title.` });
}

const mostOfOneTitle = 1_000;

async function isTaken(
  title: string,
  { id, principal }: { readonly id?: SessionId; readonly principal: Principal },
  store: Pick<SessionStore, "find">,
): Promise<boolean> {
  const found = await store.find(title, principal);
  return found.ok && found.value.id !== id && (found.value.title === title || found.value.id === title);
}

/** Names one that is open nowhere; whoever has it open is told. */
export async function renameSession(
  session: { readonly id: SessionId; readonly principal: Principal },
  asked: string,
  store: SessionStore,
): Promise<Result<string, { readonly message: string }>> {
  const title = await freeTitle(asked, session, store);
  if (!title.ok) return title;
  const lease = await store.lease(session.id, "whoever renames it");
  if (!lease.ok)
    return err({ message: `Session ${session.id} is in use by ${lease.error.heldBy}; use /title there, or leave it.` });
  await using _lease = lease.value;
  await store.append(session.id, [{ type: "titled", title: title.value, by: "user" }]);
  return title;
}
