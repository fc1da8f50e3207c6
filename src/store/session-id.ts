import { randomHex } from "../base/digest.ts";
import { asId, type SessionId } from "../base/ids.ts";

/** `20261115_084210_3f9c2a`: sorted by time, and short enough to type. */
export function newSessionId(now: number): SessionId {
  const [day = "", time = ""] = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString().split("T");
  return asId<SessionId>(`${day.replaceAll("-", "")}_${time.slice(0, 8).replaceAll(":", "")}_${randomHex(3)}`);
}
