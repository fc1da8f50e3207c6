// Loading `node:crypto` takes longer than loading all of our own code, so it is loaded at the first hash or random
// value.

/** SHA-256 as hexadecimal text. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", data);
}

/** `bytes` random bytes as hexadecimal text. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
