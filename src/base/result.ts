/** An expected outcome, success or failure, as a value. Throwing means a bug. */
export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** Why an operation failed, for a person. */
export interface Failure {
  readonly message: string;
}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** The computed value, or `fallback` if computing it throws. */
export function valueOr<T, F>(compute: () => T, fallback: F): T | F {
  try {
    return compute();
  } catch {
    return fallback;
  }
}

/** The message of a thrown value. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return String(thrown);
  } catch {
    return "an error that cannot be shown";
  }
}
