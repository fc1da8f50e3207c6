import { plural } from "../../../base/text/text.ts";
import type { ToolContext } from "../../../contracts/tool/tool.ts";
import type { Found, Root, Scope } from "./search.ts";

interface Asked {
  readonly pattern: string;
  readonly target: string;
  readonly file_glob?: string | undefined;
  readonly ignore_case: boolean;
}

/** What to know and to try when nothing was found. */
export async function noHits(
  { pattern, target, file_glob: glob, ignore_case: ignoreCase }: Asked,
  roots: readonly Root[],
  scope: Scope,
  parts: readonly Pick<Found, "searched">[],
  ctx: ToolContext<"environment">,
): Promise<string> {
  const isFiles = target === "files" || target === "find";
  const searched = parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part.searched === undefined ? undefined : sum + part.searched),
    0,
  );
  const said: string[] = [];
  const binary = await binaryRoot(roots, ctx);
  if (binary !== undefined) said.push(`${binary} is a binary file: it is not searched.`);
  else if (isFiles) said.push("No file has such a name.");
  else if (searched === 0) said.push("No match: perhaps there is no file to search, or none fits file_glob.");
  // A glob with folders is applied to what was found, so the number would be too large.
  else
    said.push(searched === undefined || glob?.includes("/") ? "No match." : `No match in ${plural(searched, "file")}.`);
  if (roots.some((root) => root.file === undefined)) {
    const left = [...(scope.hidden ? [] : ["hidden"]), ...(scope.noIgnore ? [] : ["no_ignore"])];
    if (left.length > 0) said.push(`${leftOut(scope)} were not looked at (${left.join(", ")}: true looks there too).`);
  }
  if (isFiles && /[\\^$]|\.\*/u.test(pattern)) said.push("For files the pattern is a glob, not a regular expression.");
  if (!isFiles && /\\\|/u.test(pattern)) said.push("\\| is the character itself; for one or the other write a|b.");
  if (glob !== undefined && /,/u.test(glob) && !glob.includes("{")) said.push(`For several globs write {${glob}}.`);
  else if (glob?.includes("/")) said.push("file_glob is taken from path on.");
  if (!ignoreCase && /\p{L}/u.test(pattern)) said.push("Upper and lower case count, unless ignore_case is true.");
  return said.join(" ");
}

function leftOut({ hidden, noIgnore }: Scope): string {
  if (hidden) return "Ignored files";
  return noIgnore ? "Hidden files" : "Hidden and ignored files";
}

async function binaryRoot(roots: readonly Root[], { environment, signal }: ToolContext<"environment">) {
  const [root] = roots;
  if (roots.length !== 1 || root?.file === undefined) return undefined;
  const path = `${root.folder === "/" ? "" : root.folder}/${root.file}`;
  const head = await environment.files.read(path, signal, { from: 0, bytes: 65_536 });
  if (!head.ok) return undefined;
  const [first, second] = head.value;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && head.value.includes(0) ? root.asked : undefined;
}
