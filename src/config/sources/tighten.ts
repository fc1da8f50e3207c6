import { err, ok, type Result } from "../../base/result.ts";
import type { Leaf } from "../schema.ts";

/**
 * The value of a key when a project file sets `request` and the user has `current`. A project may make settings
 * stricter, never looser; an error gives the reason for a refusal.
 */
export function tighten(leaf: Leaf, current: unknown, request: unknown): Result<unknown, string> {
  const rule = leaf.project;
  if (rule !== "never" && isSameValue(current, request)) return ok(current);
  if (Array.isArray(rule)) {
    const stricter = rule.indexOf(String(request)) <= rule.indexOf(String(current));
    return stricter ? ok(request) : err(`${String(request)} is looser than ${String(current)}`);
  }
  switch (rule) {
    case "allow":
      return ok(request);
    case "true":
    case "false":
      return request === (rule === "true") ? ok(request) : err(`${String(request)} is looser than ${String(current)}`);
    case "lower":
      // Null: there is no limit yet.
      if (typeof current !== "number") return ok(request);
      return Number(request) <= current ? ok(request) : err(`${String(request)} is looser than ${current}`);
    case "grow":
      return ok([...new Set([...list(current), ...list(request)])]);
    case "shrink":
    case "within":
      return narrow(list(current), list(request));
    default:
      return err("a project file cannot set it");
  }
}

/** Compares values of leaves, which are plain values and lists of texts. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function narrow(current: readonly unknown[], requested: readonly unknown[]): Result<unknown, string> {
  const extra = requested.filter((item) => !current.includes(item));
  return extra.length === 0 ? ok(requested) : err(`${extra.map(String).join(", ")} would be added to your list`);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
