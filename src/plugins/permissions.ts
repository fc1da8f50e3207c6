import { isIP } from "node:net";
import { join } from "node:path";

import { isObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { didYouMean } from "../base/text/nearest.ts";
import { noPermissions, type Permissions } from "../contracts/plugin/manifest.ts";

/** Reads the manifest key `permissions`: an object of lists or single values, or a list of grants. */
export function parsePermissions(value: unknown): Result<Permissions, string> {
  if (value === undefined || value === null) return ok(noPermissions);
  if (Array.isArray(value)) return parseGrants(value);
  if (!isObject(value)) return err(`permissions must be an object with the keys ${kinds.join(", ")}.`);
  let all = noPermissions;
  for (const [key, entry] of Object.entries(value)) {
    const kind = kinds.find((each) => each === key);
    if (!kind) return err(unknownKind(key));
    const parsed = parseKind(kind, entry);
    if (!parsed.ok) return parsed;
    all = mergePermissions(all, parsed.value);
  }
  return ok(all);
}

/** Reads one grant: `net:api.example.com`, `read:~/notes`, `exec`. */
export function parseGrant(grant: string): Result<Permissions, string> {
  const [, key = "", rest] = /^([^:]*)(?::(.*))?$/su.exec(grant.trim()) ?? [];
  const kind = kinds.find((each) => each === key);
  if (!kind) return err(unknownKind(key));
  if (kind === "exec") return rest === undefined ? parseKind(kind, true) : err("exec takes no value. Write only exec.");
  if (!rest) return err(`${key} needs a value: ${key}:${examples[kind]}.`);
  return parseKind(kind, rest);
}

export function parseGrants(grants: readonly unknown[]): Result<Permissions, string> {
  let all = noPermissions;
  for (const grant of grants) {
    if (typeof grant !== "string") return err("A grant must be text, such as net:api.example.com.");
    const parsed = parseGrant(grant);
    if (!parsed.ok) return parsed;
    all = mergePermissions(all, parsed.value);
  }
  return ok(all);
}

/** The same permissions as a list of grants. */
export function grantsOf(permissions: Permissions): readonly string[] {
  return kinds.flatMap((kind) => {
    if (kind === "exec") return permissions.exec ? ["exec"] : [];
    return permissions[kind].map((value) => `${kind}:${value}`);
  });
}

export function mergePermissions(...parts: readonly Permissions[]): Permissions {
  const union = (kind: ListKind) => [...new Set(parts.flatMap((part) => part[kind]))];
  return {
    read: union("read"),
    write: union("write"),
    net: union("net"),
    env: union("env"),
    exec: parts.some(({ exec }) => exec),
    tools: union("tools"),
  };
}

/** The permissions in `after` that `before` does not contain. */
export function addedPermissions(before: Permissions, after: Permissions): Permissions {
  const added = (kind: ListKind) => after[kind].filter((value) => !before[kind].includes(value));
  return {
    read: added("read"),
    write: added("write"),
    net: added("net"),
    env: added("env"),
    exec: after.exec && !before.exec,
    tools: added("tools"),
  };
}

/**
 * One phrase per kind of permission, which completes "it may …". Empty for a plugin with only the default
 * permissions.
 */
export function describePermissions(permissions: Permissions): readonly string[] {
  const { read, write, net, env, exec, tools } = permissions;
  const listed = (values: readonly string[]) => values.join(", ");
  return [
    ...(read.length > 0 ? [`read ${listed(read)}`] : []),
    ...(write.length > 0 ? [`read and change ${listed(write)}`] : []),
    ...(net.length > 0 ? [`connect to ${net.includes("*") ? "every public host" : listed(net)}`] : []),
    ...(env.length > 0 ? [`see the variables ${listed(env)}`] : []),
    ...(exec ? ["start other programs in its sandbox"] : []),
    ...(tools.length > 0 ? [`call ${tools.includes("*") ? "every tool" : `the tools ${listed(tools)}`}`] : []),
  ];
}

export interface HostRule {
  readonly isAllowed: boolean;
  /** Whether the permission names this host explicitly. Then the host may have a private address. */
  readonly allowsPrivate: boolean;
}

/**
 * Whether the `net` permission covers a host and port. A pattern without a port covers ports 80 and 443. `host` has
 * no brackets.
 */
export function hostRule(net: readonly string[], host: string, port: number): HostRule {
  const name = plainHost(host);
  const matches = net.map(splitHost).filter((pattern) => {
    if (pattern.port === undefined ? port !== 80 && port !== 443 : pattern.port !== port) return false;
    if (pattern.host === "*") return true;
    return pattern.host.startsWith("*.") ? name.endsWith(pattern.host.slice(1)) : pattern.host === name;
  });
  return {
    isAllowed: matches.length > 0,
    allowsPrivate: matches.some((pattern) => pattern.host === name && (isIP(name) > 0 || localName.test(name))),
  };
}

/** The folders that `~` and `$WORKSPACE` in a pattern refer to. */
export interface PatternPlaces {
  readonly home: string;
  readonly workspace?: string | undefined;
}

/** The pattern as an absolute path; undefined if it starts with `$WORKSPACE` and there is no workspace. */
export function absolutePattern(pattern: string, { home, workspace }: PatternPlaces): string | undefined {
  const [start = "", ...rest] = pattern.split("/");
  if (start === "$WORKSPACE") return workspace && trimmed(join(workspace, ...rest));
  return trimmed(start === "~" ? join(home, ...rest) : join("/", ...rest));
}

/** The smallest folder or file that contains everything that an absolute pattern matches. */
export function patternBase(pattern: string): string {
  const segments = pattern.split("/");
  const index = segments.findIndex((segment) => segment.includes("*"));
  return index < 0 ? pattern : segments.slice(0, index).join("/") || "/";
}

/** Whether one of the patterns covers an absolute, normalized path. A matched folder covers everything in it. */
export function coversPath(patterns: readonly string[], path: string, places: PatternPlaces): boolean {
  return patterns.some((pattern) => {
    const absolute = absolutePattern(pattern, places);
    return absolute !== undefined && patternExpression(absolute).test(path);
  });
}

/** Matches the paths that an absolute pattern covers. */
function patternExpression(pattern: string): RegExp {
  if (pattern === "/") return /^\//u;
  const parts = pattern.split(/(\/\*\*\/|\*\*|\*)/u).map((part) => {
    if (part === "/**/") return "/(?:.*/)?";
    if (part === "**") return ".*";
    return part === "*" ? "[^/]*" : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join("")}(?:/|$)`, "su");
}

const kinds = ["read", "write", "net", "env", "exec", "tools"] as const;
type Kind = (typeof kinds)[number];
type ListKind = Exclude<Kind, "exec">;

const examples: Readonly<Record<ListKind, string>> = {
  read: "~/notes",
  write: "~/notes",
  net: "api.example.com",
  env: "API_KEY",
  tools: "read_file",
};

function unknownKind(key: string): string {
  const hint = didYouMean(key, kinds) || `Use ${kinds.join(", ")}.`;
  return `${key || "An empty string"} is not a permission. ${hint}`;
}

function parseKind(kind: Kind, value: unknown): Result<Permissions, string> {
  if (kind === "exec") {
    if (typeof value !== "boolean") return err("permissions.exec must be true or false.");
    return ok({ ...noPermissions, exec: value });
  }
  if (value === null || value === undefined || value === false) return ok(noPermissions);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const parsed: string[] = [];
  for (const each of values) {
    const text = typeof each === "string" ? each.trim() : "";
    if (text === "")
      return err(`permissions.${kind} must be a string or a list of strings, such as ${examples[kind]}.`);
    const fault = faults[kind](text);
    if (fault !== undefined) return err(`permissions.${kind}: ${text}: ${fault}`);
    parsed.push(kind === "net" ? text.toLowerCase() : text);
  }
  return ok({ ...noPermissions, [kind]: [...new Set(parsed)] });
}

const faults: Readonly<Record<ListKind, (text: string) => string | undefined>> = {
  read: pathFault,
  write: pathFault,
  net: hostFault,
  env: (name) => (/^[A-Za-z_]\w*$/u.test(name) ? undefined : "this is not a valid variable name."),
  tools: (name) => (/^(?:\*|[\w.:-]+)$/u.test(name) ? undefined : "this is not a valid tool name."),
};

function pathFault(pattern: string): string | undefined {
  if (!/^(?:\/|~(?:\/|$)|\$WORKSPACE(?:\/|$))/u.test(pattern)) return "a path starts with /, ~ or $WORKSPACE.";
  if (pattern.split("/").includes("..")) return "a path cannot contain `..`. Write the resolved folder.";
  // oxlint-disable-next-line no-control-regex -- the pattern detects control characters
  return /[\u0000-\u001f\u007f]/u.test(pattern) ? "the path has control characters." : undefined;
}

function hostFault(pattern: string): string | undefined {
  if (pattern.includes("/")) {
    const host = URL.parse(pattern)?.host;
    return `write only a host name, not the address of a page${host ? `: ${host}` : ""}.`;
  }
  const { host, port } = splitHost(pattern);
  if (port !== undefined && !(port >= 1 && port <= 65_535)) return "the port must be from 1 to 65535.";
  if (host === "*" || isIP(host) > 0) return undefined;
  const isName = /^(?:\*\.)?(?:[\w-]{1,63}\.)*[\w-]{1,63}$/u.test(host) && !/^[\d.]+$/u.test(host);
  return isName ? undefined : "write api.example.com, *.example.com, 127.0.0.1:8080 or *.";
}

function splitHost(pattern: string): { readonly host: string; readonly port?: number } {
  if (isIP(pattern) === 6) return { host: plainHost(pattern) };
  const [, host = "", port] = /^(\[.*\]|[^:]*)(?::(\d{1,6}))?$/u.exec(pattern) ?? [];
  return { host: plainHost(host), ...(port !== undefined && { port: Number(port) }) };
}

/** Converts a host to lower case, without brackets and a trailing dot, and shortens an IPv6 address. */
function plainHost(host: string): string {
  const bare = host.toLowerCase().replaceAll(/^\[|\]$|\.$/gu, "");
  return isIP(bare) === 6 ? (URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1) ?? bare) : bare;
}

/** Host names that resolve only in a private network. */
const localName = /^[^.]+$|\.(?:localhost|local|lan|home|internal|intranet|corp|private|test|home\.arpa)$/u;

/** Treats `folder/**` like the folder. */
function trimmed(pattern: string): string {
  return pattern.replace(/(?:\/(?:\*\*)?)+$/u, "") || "/";
}
