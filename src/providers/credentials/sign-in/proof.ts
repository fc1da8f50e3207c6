/** Proves that who fetches the token is who asked for it (PKCE, S256). */
export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function newProof(): Proof {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const verifier = randomWord();
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Nobody guesses it. */
export function randomWord(): string {
  return process.getBuiltinModule("node:crypto").randomBytes(48).toString("base64url");
}
