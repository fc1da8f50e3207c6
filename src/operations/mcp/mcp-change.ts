import { type JsonObject, type JsonValue, isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { anything, flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { Advisory } from "../../mcp/entries/advisories.ts";
import { packageOf, type RunPackage } from "../../mcp/entries/package-of.ts";
import { parsePermissions } from "../../plugins/permissions.ts";
import { openServerPrograms } from "../../runtime/mcp/server-programs.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import { secretsMoved } from "./move-secrets.ts";
import { readServer, readServers, serverPlace, unknownServer } from "./server-settings.ts";
import { listedServer, permissionPhrases, serverLocation } from "./server-view.ts";

const name = string("name of the server");
const settings = anything("its settings, as in mcp_servers.NAME");

/** Operations that add, change and remove servers. */
export const serverChanges = {
  examine: readOperation({
    summary:
      "Check the settings of a new server: what its program can do, known advisories, permissions; starts nothing",
    input: object({ name, settings }),
    needs: ["config"],
    async run({ name: given, settings: raw }, { config }, ctx) {
      const read = readServer(config, given, asObject(raw));
      if (!read.ok) return read;
      const { entry, notices } = read.value;
      const fault = permissionFault(entry);
      if (fault) return err(fault);
      const reasons = await openServerPrograms(config, ctx).reasons(entry);
      const [advice, proposal] = await Promise.all([adviceOn(entry, config, ctx), proposedPermissions(entry)]);
      return ok({
        name: given,
        kind: entry.target.kind,
        where: serverLocation(entry, config),
        exists: serverPlace(config, given).settings !== undefined,
        /** Reasons why the user should look closely at the program. */
        reasons,
        notices,
        ...advice,
        ...(proposal && { proposed: { ...proposal, may: permissionPhrases(proposal.permissions) } }),
        isUnconfined: entry.target.kind === "stdio" && entry.target.permissions === undefined,
      });
    },
  }),

  add: writeOperation({
    summary: "Add a server, or replace one: accepts its program, connects, and saves it if it answers",
    input: object({
      name,
      settings,
      replace: optional(flag("replace the server of this name")),
      test: optional(flag("connect first; default: true")),
      keep: optional(flag("save it even if it does not answer")),
    }),
    needs: ["config", "mcp"],
    async run({ name: given, settings: raw, replace = false, test = true, keep = false }, { config, mcp }, ctx) {
      const requested = asObject(raw);
      const read = readServer(config, given, requested);
      if (!read.ok) return read;
      const { entry } = read.value;
      const fault = permissionFault(entry);
      if (fault) return err(fault);
      const place = serverPlace(config, given);
      if (place.settings !== undefined && !replace)
        return err({
          message: `There is an MCP server ${given} already.`,
          hint: `\`hermes mcp configure ${given}\` changes it, \`hermes mcp remove ${given}\` removes it, --replace replaces it.`,
        });
      const accepted = await openServerPrograms(config, ctx).accept([entry], ctx.signal);
      if (!accepted.ok) return accepted;
      if (place.settings !== undefined) await mcp.forget(given);
      await mcp.reload(readServers(config, { [given]: requested }));
      const connected = test && entry.isEnabled ? await mcp.connect(given, ctx.signal) : undefined;
      const failure = connected && !connected.ok ? connected.error : undefined;
      const needsSignIn = failure?.kind === "auth" && !hasOwnToken(entry);
      if (failure && !needsSignIn && !keep) {
        await mcp.reload(readServers(config, {}));
        await mcp.forget(given);
        return ok({ name: given, isSaved: false as const, fault: failure });
      }
      const kept = needsSignIn ? { ...requested, auth: "oauth" } : requested;
      const saved = await save(given, kept, place.path, config, ctx);
      if (!saved.ok) return saved;
      const status = mcp.find(given);
      return ok({
        name: given,
        isSaved: true as const,
        file: saved.value.file,
        variables: saved.value.variables,
        ...(failure && { fault: failure }),
        needsSignIn,
        ...(status && { server: listedServer(status, config) }),
        ...(connected?.ok && { tools: toolsOf(mcp.listing(given)) }),
      });
    },
  }),

  remove: writeOperation({
    summary: "Remove a server with its cache, accepted definitions and sign-in",
    input: object({ name }),
    needs: ["config", "mcp"],
    async run({ name: given }, { config, mcp }, ctx) {
      const { path, settings: before } = serverPlace(config, given);
      if (before === undefined) return err(unknownServer(config, given));
      const written = await writeSettings(config, [{ path, value: undefined }], ctx);
      if (!written.ok) return written;
      const { signOutOfServer } = await import("../../runtime/mcp/sign-in-server.ts");
      const signedOut = await signOutOfServer(given, mcp.find(given)?.entry, { config, clock: ctx.clock }, ctx.signal);
      if (!signedOut.ok) return signedOut;
      await mcp.reload(readServers(config, { [given]: undefined }));
      await mcp.forget(given);
      return ok({ removed: given, file: written.value.file });
    },
  }),

  configure: writeOperation({
    summary: "Change keys of a server; null removes a key",
    input: object({ name, changes: anything("keys below mcp_servers.NAME and their values; null removes one") }),
    needs: ["config", "mcp"],
    async run({ name: given, changes }, { config, mcp }, ctx) {
      const { path, settings: before } = serverPlace(config, given);
      if (before === undefined) return err(unknownServer(config, given));
      const requested = asObject(changes);
      const after = merged(before, requested);
      const { name: _, ...checked } = after;
      const read = readServer(config, given, checked);
      if (!read.ok) return read;
      const fault = permissionFault(read.value.entry);
      if (fault) return err(fault);
      const edits = Object.keys(requested).flatMap((key) => replaced([...path, key], after[key]));
      const written = await writeSettings(config, edits, ctx);
      if (!written.ok) return written;
      const accepted = await acceptChange(given, { before, requested, entry: read.value.entry }, config, ctx);
      if (!accepted.ok) return accepted;
      await mcp.reload(readServers(config, { [given]: checked }));
      const status = mcp.find(given);
      return ok({ name: given, file: written.value.file, ...(status && { server: listedServer(status, config) }) });
    },
  }),

  catalog: readOperation({
    summary: "List the servers that Hermes knows, with pinned versions",
    input: object({ search: optional(string("only servers whose name or description contains it")) }),
    needs: ["config"],
    async run({ search = "" }, { config }) {
      const { catalog } = await import("../../mcp/entries/catalog.ts");
      const word = search.toLowerCase();
      const servers = catalog.filter(({ name: each, about }) => `${each} ${about}`.toLowerCase().includes(word));
      return ok({
        servers: servers.map(({ variables = [], permissions, ...server }) => ({
          ...server,
          ...(permissions && { permissions }),
          variables: variables.map((variable) => ({ ...variable, isSet: Boolean(config.secrets.get(variable.name)) })),
          isAdded: serverPlace(config, server.name).settings !== undefined,
        })),
      });
    },
  }),

  importable: readOperation({
    summary: "Find servers in the files of Claude Code, Claude Desktop, Cursor, VS Code, Codex and Gemini CLI",
    input: object({ file: optional(string("only this file")) }),
    needs: ["config"],
    async run({ file }, { config }, { cwd }) {
      const { findImports } = await import("./find-imports.ts");
      return ok(await findImports(config, cwd, file));
    },
  }),
};

function asObject(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

function hasOwnToken({ target }: McpServerEntry): boolean {
  return target.kind !== "stdio" && Object.keys(target.headers).some((key) => key.toLowerCase() === "authorization");
}

function permissionFault({ name: given, target }: McpServerEntry): OperationFault | undefined {
  const parsed = target.kind === "stdio" ? parsePermissions(target.permissions) : ok(undefined);
  if (target.kind === "stdio" && target.permissions !== undefined) {
    const fetched = packageOf(target);
    if (fetched)
      return {
        message: `${given}: ${fetched.runner} cannot fetch ${fetched.name} in a sandbox. Install the package and name its program by its path, such as: node /path/to/node_modules/${fetched.name}/dist/index.js`,
        kind: "input",
      };
  }
  return parsed.ok ? undefined : { message: `${given}: ${parsed.error}`, kind: "input" };
}

export interface ProposedPermissions {
  readonly permissions: JsonObject;
  /** They are those of the catalog. Otherwise the program may need more. */
  readonly isKnown: boolean;
}

/** The permissions of the catalog for this program, or none. Undefined: it has some, or no sandbox can run it. */
export async function proposedPermissions({ target }: McpServerEntry): Promise<ProposedPermissions | undefined> {
  // The package that npx or a similar program would fetch. In a sandbox it cannot: the network is only for the server.
  if (target.kind !== "stdio" || target.permissions !== undefined || packageOf(target)) return undefined;
  const { knownProgram } = await import("../../mcp/entries/catalog.ts");
  const permissions = knownProgram(target.command, target.args)?.permissions;
  return { permissions: permissions ?? {}, isKnown: permissions !== undefined };
}

interface PackageAdvice {
  /** The package that the command fetches. */
  readonly package?: RunPackage;
  readonly advisories?: readonly Advisory[];
  /** The reason why advisories could not be checked. */
  readonly advisoryFault?: string;
}

/** Queries the OSV database about the package, if the network allows it. */
async function adviceOn(
  entry: McpServerEntry,
  config: LoadedConfig,
  { clock, signal }: OperationContext,
): Promise<PackageAdvice> {
  const fetched = entry.target.kind === "stdio" ? packageOf(entry.target) : undefined;
  if (!fetched) return {};
  const { adviceAbout } = await import("../../runtime/mcp/ask-osv.ts");
  const advisories = await adviceAbout(fetched, config, clock, signal);
  return {
    package: fetched,
    ...(advisories.ok ? { advisories: advisories.value } : { advisoryFault: advisories.error }),
  };
}

async function save(
  given: string,
  requested: JsonObject,
  path: readonly (string | number)[],
  config: LoadedConfig,
  ctx: OperationContext,
): Promise<Result<{ readonly file: string; readonly variables: readonly string[] }, OperationFault>> {
  const { settings: clean, variables } = secretsMoved(given, requested);
  const { setKey } = await import("../../config/write.ts");
  const { configOutcome } = await import("../settings/config-fault.ts");
  for (const [variable, value] of Object.entries(variables)) {
    const set = configOutcome(await setKey(config.home, variable, value, { ...ctx, force: false }));
    if (!set.ok) return set;
  }
  const value = typeof path.at(-1) === "number" ? { name: given, ...clean } : clean;
  const written = await writeSettings(
    config,
    [
      { path, value: undefined },
      { path, value },
    ],
    ctx,
  );
  return written.ok ? ok({ file: written.value.file, variables: Object.keys(variables) }) : written;
}

function merged(before: JsonObject, changes: JsonObject): JsonObject {
  const after = { ...before };
  for (const [key, value] of Object.entries(changes)) {
    const own = before[key];
    if (value === null) delete after[key];
    else after[key] = isSection(key, value) ? merged(isObject(own) ? own : {}, value) : value;
  }
  return after;
}

/** Single keys of a section are changed. Permissions are granted as a whole. */
function isSection(key: string, value: JsonValue): value is JsonObject {
  return isObject(value) && key !== "permissions";
}

/** Accepts a changed program, unless its command is one that somebody else wrote and nobody accepted. */
async function acceptChange(
  given: string,
  change: { readonly before: JsonObject; readonly requested: JsonObject; readonly entry: McpServerEntry },
  config: LoadedConfig,
  ctx: OperationContext,
): Promise<Result<void>> {
  const { before, requested, entry } = change;
  if (!["command", "args", "env"].some((key) => key in requested)) return ok(undefined);
  const programs = openServerPrograms(config, ctx);
  const { name: _, ...earlier } = before;
  const old = readServer(config, given, earlier);
  const isOpen = old.ok && (await programs.startFault(old.value.entry)) !== undefined;
  return isOpen && !("command" in requested) ? ok(undefined) : programs.acceptCommand(entry, ctx.signal);
}

type Edit = { readonly path: readonly (string | number)[]; readonly value: JsonObject[string] | undefined };

/** The edits that replace a key, so that nothing of its old value is left. */
function replaced(path: Edit["path"], value: JsonValue | undefined): readonly Edit[] {
  return [{ path, value: undefined }, ...(value === undefined ? [] : [{ path, value }])];
}

function toolsOf(
  listing: { readonly tools: readonly { readonly name: string; readonly description: string }[] } | undefined,
) {
  return (listing?.tools ?? []).map(({ name: tool, description }) => ({ name: tool, description }));
}
