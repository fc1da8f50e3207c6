export interface PkceProof {
  readonly verifier: string;
  readonly challenge: string;
}

export function createPkceProof(): PkceProof {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const verifier = randomToken();
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** A random, unguessable token. */
export function randomToken(): string {
  return process.getBuiltinModule("node:crypto").randomBytes(48).toString("base64url");
}
