import { err, ok, type Result } from "../result.ts";

/**
 * The item with this id, or the only one whose id starts with this text. The common prefix of all ids (`mem_`) may be
 * omitted.
 */
export function findByPrefix<T extends { readonly id: string }>(
  text: string,
  items: readonly T[],
  noun: string,
): Result<T> {
  const exact = items.find(({ id }) => id === text);
  const close = items.filter(({ id }) => id.startsWith(text) || id.replace(/^[a-z]+_/u, "").startsWith(text));
  const [first, second] = text === "" ? [] : close;
  if (exact ?? (first && !second)) return ok((exact ?? first) as T);
  return err({
    message: second
      ? `"${text}" matches several, such as ${first?.id} and ${second.id}.`
      : `There is no ${noun} ${text}.`,
  });
}
