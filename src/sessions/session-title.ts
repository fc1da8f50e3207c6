import { once } from "../base/async/once.ts";
import type { SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { oneLine } from "../base/text/text.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { SessionStore } from "../contracts/session/session.ts";

const maxChars = 100;

/** Returns one line without invisible or direction-changing characters, shortened to the maximum. */
export function plainTitle(text: string, max: number = maxChars): string {
  return oneLine(
    text.normalize("NFC").replaceAll(unseen(), (char) => (/\s/u.test(char) ? " " : "")),
    max,
  );
}

// oxlint-disable-next-line no-control-regex -- removes control characters
const unseen = once(() => /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u3164\uffa0\u115f\u1160]/gu);

/** Returns a cleaned title, with a number if another session of the user already has it. */
export async function freeTitle(
  request: string,
  of: { readonly id?: SessionId; readonly principal: Principal },
  store: Pick<SessionStore, "find">,
): Promise<Result<string>> {
  const title = plainTitle(request);
  if (title === "") return err({ message: "A title needs at least one letter." });
  if (title === "latest") return err({ message: `"latest" means the newest session; choose another title.` });
  const base = title.replace(/ #\d+$/u, "");
  for (let count = 1; count <= maxOfOneTitle; count++) {
    const suffix = count === 1 ? "" : ` #${count}`;
    const candidate = count === 1 ? title : `${plainTitle(base, maxChars - suffix.length)}${suffix}`;
    if (!(await isTaken(candidate, of, store))) return ok(candidate);
  }
  return err({ message: `Too many sessions have the title "${base}"; choose another one.` });
}

const maxOfOneTitle = 1_000;

async function isTaken(
  title: string,
  { id, principal }: { readonly id?: SessionId; readonly principal: Principal },
  store: Pick<SessionStore, "find">,
): Promise<boolean> {
  const result = await store.find(title, principal);
  return result.ok && result.value.id !== id && (result.value.title === title || result.value.id === title);
}

/** Renames a session that no process has open. Otherwise reports which process has it open. */
export async function renameSession(
  session: { readonly id: SessionId; readonly principal: Principal },
  request: string,
  store: SessionStore,
): Promise<Result<string>> {
  const title = await freeTitle(request, session, store);
  if (!title.ok) return title;
  const lease = await store.lease(session.id, "the rename");
  if (!lease.ok)
    return err({
      message: `Session ${session.id} is in use by ${lease.error.heldBy}; use /title there, or close it first.`,
    });
  await using _lease = lease.value;
  await store.append(session.id, [{ type: "titled", title: title.value, by: "user" }]);
  return title;
}
