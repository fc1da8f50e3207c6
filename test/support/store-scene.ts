import assert from "node:assert/strict";

import type { Entry, EntryBody, SessionStore } from "../../src/contracts/session/session.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: SessionStore;
  /** The same store opened again, as by another process. */
  again(): Promise<SessionStore>;
}

export const anna = { id: "local:anna" };
export const bob = { id: "local:bob" };

export function messageEntry(text: string): EntryBody {
  return { type: "message", message: { role: "user", content: [{ type: "text", text }] } };
}

export function textsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => {
    const part = entry.type === "message" ? entry.message.content[0] : undefined;
    return part?.type === "text" ? part.text : entry.type;
  });
}

export async function startedSession({ store }: StoreUnderTest, title?: string) {
  const record = await store.create({ source: "cli", principal: anna, ...(title !== undefined && { title }) });
  const lease = await store.lease(record.id, "chat");
  assert.ok(lease.ok);
  return { id: record.id, lease: lease.value };
}
