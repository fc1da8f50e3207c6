// `node:crypto` costs more to load than all of our own code: it is asked for when something is really hashed or drawn.

/** SHA-256 as hexadecimal text. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(data).digest("hex");
}

/** `bytes` random bytes as hexadecimal text. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
