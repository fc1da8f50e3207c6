import { once } from "./async/once.ts";

// Loading `node:crypto` takes longer than loading all of our own code, so it is loaded at the first hash or random
// value.

const crypto = once(() => process.getBuiltinModule("node:crypto"));

/** SHA-256 as hexadecimal text. */
export function sha256(data: string | Uint8Array): string {
  return crypto().hash("sha256", data);
}

/** `bytes` random bytes as hexadecimal text. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString("hex");
}
