import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { RunPackage } from "./package-of.ts";

/** A problem of a package that the OSV database lists. */
export interface Advisory {
  readonly id: string;
  readonly summary: string;
  /** Whether the package is malicious. */
  readonly isMalware: boolean;
}

/** Sends a query to the OSV database and returns its answer. The error explains why there is no answer. */
export type AskOsv = (question: object, signal: AbortSignal) => Promise<Result<unknown, string>>;

/** The listed problems of a package, malware first. Withdrawn advisories are ignored. */
export async function findAdvisories(
  { name, ecosystem, version }: RunPackage,
  ask: AskOsv,
  signal: AbortSignal,
): Promise<Result<readonly Advisory[], string>> {
  const answer = await ask({ package: { name, ecosystem }, ...(version !== undefined && { version }) }, signal);
  if (!answer.ok) return answer;
  if (!isObject(answer.value)) return err("the answer of the OSV database is not an object");
  const { vulns = [] } = answer.value;
  if (!Array.isArray(vulns)) return err("the answer of the OSV database has no list of advisories");
  const advisories = vulns.filter(isObject).flatMap((each): readonly Advisory[] => {
    const { id, summary, details, withdrawn } = each;
    if (typeof id !== "string" || withdrawn !== undefined) return [];
    const isMalware = id.startsWith("MAL-");
    // Advisories are ignored if the version is unknown, because every old flaw of the package would match.
    if (version === undefined && !isMalware) return [];
    const text = typeof summary === "string" ? summary : typeof details === "string" ? details : "";
    return [{ id: oneLine(id, 60), summary: oneLine(text, 160), isMalware }];
  });
  return ok(advisories.toSorted((a, b) => Number(b.isMalware) - Number(a.isMalware)));
}
