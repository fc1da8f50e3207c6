/** The rules of a robots.txt for one program (RFC 9309). */
export interface RobotsRules {
  readonly rules: readonly RobotsRule[];
}

interface RobotsRule {
  readonly isAllowed: boolean;
  /** A path with `*` for anything, and `$` at its end. */
  readonly pattern: string;
}

/** Longer files are read to here. */
const maxChars = 512_000;
const maxRules = 5_000;

/** The rules of the groups that name the program, or else of those for everyone. */
export function parseRobots(text: string, program: string): RobotsRules {
  const named: RobotsRule[] = [];
  const general: RobotsRule[] = [];
  let isNamed = false;
  let isGeneral = false;
  let hasOwnGroup = false;
  let inAgents = false;
  for (const line of text.slice(0, maxChars).split(/\r\n?|\n/u)) {
    const [, field = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/iu.exec(line.replace(/^\uFEFF/u, "")) ?? [];
    const word = field.toLowerCase();
    if (word === "user-agent") {
      if (!inAgents) [isNamed, isGeneral] = [false, false];
      inAgents = true;
      const agent = value.trim().toLowerCase();
      if (agent === "*") isGeneral = true;
      else if (agent !== "" && program.toLowerCase().startsWith(agent)) [isNamed, hasOwnGroup] = [true, true];
      continue;
    }
    if (word !== "allow" && word !== "disallow") continue;
    inAgents = false;
    const pattern = value.trim();
    // An empty `Disallow` allows everything.
    if (pattern === "" || named.length + general.length > maxRules) continue;
    const rule = { isAllowed: word === "allow", pattern };
    if (isNamed) named.push(rule);
    if (isGeneral) general.push(rule);
  }
  return { rules: hasOwnGroup ? named : general };
}

/** Whether the path may be read: the longest matching rule decides, and a tie allows. */
export function isAllowedBy({ rules }: RobotsRules, url: URL): boolean {
  const path = normal(`${url.pathname}${url.search}`);
  if (path === "/robots.txt") return true;
  let best: { readonly length: number; readonly isAllowed: boolean } | undefined;
  for (const { isAllowed, pattern } of rules) {
    const { length } = pattern;
    if (!matches(normal(pattern), path)) continue;
    if (!best || length > best.length || (length === best.length && isAllowed)) best = { length, isAllowed };
  }
  return best?.isAllowed ?? true;
}

/** Matches a pattern from the start of the path, in linear time for each star. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...rest] = pieces;
  if (!path.startsWith(first)) return false;
  let index = first.length;
  const last = rest.length - 1;
  for (const [number, piece] of rest.entries()) {
    if (isWhole && number === last) return path.length - piece.length >= index && path.endsWith(piece);
    const next = path.indexOf(piece, index);
    if (next < 0) return false;
    index = next + piece.length;
  }
  return !isWhole || rest.length > 0 || path.length === index;
}

/** Percent encoding in one spelling. */
function normal(path: string): string {
  return path
    .replaceAll(/%[0-9a-f]{2}/giu, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[A-Za-z0-9\-._~]/u.test(character) ? character : code.toUpperCase();
    })
    .replaceAll(/[^\u0021-\u007E]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
