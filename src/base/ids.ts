declare const kind: unique symbol;
/** A string that cannot be mistaken for an id of another kind. */
export type Id<K extends string> = string & { readonly [kind]: K };

export type SessionId = Id<"session">;
export type AgentId = Id<"agent">;
export type CallId = Id<"call">;
export type TurnId = Id<"turn">;
export type EntryId = Id<"entry">;
export type ApprovalId = Id<"approval">;
export type RequestId = Id<"request">;

/** A new random id such as `call_3f9c…`: prefix, underscore, 20 characters of 32 (100 bits). */
export function newId<I extends Id<string>>(prefix: string): I {
  // Loaded on first use: many commands need no id, and `node:crypto` takes longer to load than all of our own code.
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  let text = "";
  for (const byte of randomBytes(20)) text += alphabet[byte & 31];
  // The cast is safe: the brand exists only in the types.
  return `${prefix}_${text}` as I;
}

/** Brands an id from outside (a store, a provider, a command line). */
export function asId<I extends Id<string>>(text: string): I {
  // The cast is safe: the brand exists only in the types.
  return text as I;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
