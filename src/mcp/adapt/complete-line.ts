import { ok } from "../../base/result.ts";
import type { McpCompletion, McpLimits } from "../../contracts/mcp/connection.ts";
import type { McpFleet } from "../../contracts/mcp/fleet.ts";
import { promptCommands } from "./prompt-commands.ts";

const maxCompletions = 100;

/**
 * Whole lines that continue a typed line: `/server:prompt`, the arguments of a prompt and their values, and
 * references such as `@server:uri`. Only values and resources need a request to a server.
 */
export async function completeLine(line: string, fleet: McpFleet, limits: McpLimits): Promise<readonly string[]> {
  const lines = line.startsWith("/")
    ? await promptLines(line, fleet, limits)
    : await referenceLines(line, fleet, limits);
  return lines.filter((each) => each.startsWith(line) && !/\p{Cc}/u.test(each)).slice(0, maxCompletions);
}

async function promptLines(line: string, fleet: McpFleet, limits: McpLimits): Promise<readonly string[]> {
  const [, name = "", given] = /^\/(\S*)(?:\s([\s\S]*))?$/u.exec(line) ?? [];
  const commands = promptCommands(fleet);
  if (given === undefined) return commands.map((command) => `/${command.name} `);
  const command = commands.find((each) => each.name === name.toLowerCase());
  if (!command) return [];
  const last = /\S*$/u.exec(given)?.[0] ?? "";
  const before = line.slice(0, line.length - last.length);
  const pairs = given.split(/\s+/u).map((word) => word.split("=", 2));
  const [argument = "", value] = last.split("=", 2);
  if (value === undefined) {
    const used = new Set(pairs.flatMap(([key = "", text]) => (text === undefined ? [] : [key])));
    return command.arguments.filter((each) => !used.has(each.name)).map((each) => `${before}${each.name}=`);
  }
  const others = Object.fromEntries(
    pairs.flatMap(([key = "", text]) => (text && key !== argument ? [[key, text]] : [])),
  );
  const request = { of: { prompt: command.prompt }, argument, value, others };
  const values = await valuesOf(command.server, request, fleet, limits);
  return values.map((each) => `${before}${argument}=${/[\s"'\\]/u.test(each) ? JSON.stringify(each) : each} `);
}

async function referenceLines(line: string, fleet: McpFleet, limits: McpLimits): Promise<readonly string[]> {
  const last = /(?:^|\s)@(\S*)$/u.exec(line)?.[1];
  if (last === undefined) return [];
  const before = line.slice(0, line.length - last.length);
  const servers = fleet.glance().filter(({ hasResources, state }) => hasResources && state !== "disabled");
  const [name = "", ...rest] = last.split(":");
  if (rest.length === 0) return servers.map((server) => `${before}${server.name}:`);
  const server = servers.find((each) => each.name === name);
  if (!server) return [];
  const typed = rest.join(":");
  const listed = await fleet.use(name, (connection) => connection.listResources(limits), limits);
  const resources = listed.ok ? listed.value : [];
  const plain = resources.filter(({ isTemplate }) => !isTemplate).map(({ uri }) => uri);
  const filled = server.hasCompletions
    ? await Promise.all(
        resources.flatMap(({ uri, isTemplate }) =>
          isTemplate ? [filledTemplates(name, uri, typed, fleet, limits)] : [],
        ),
      )
    : [];
  return [...plain, ...filled.flat()].map((uri) => `${before}${name}:${uri}`);
}

/** Completes the first variable of a resource template, once its fixed beginning is typed: `file:///{path}`. */
async function filledTemplates(
  server: string,
  template: string,
  typed: string,
  fleet: McpFleet,
  limits: McpLimits,
): Promise<readonly string[]> {
  const [, head = "", variable = "", tail = ""] = /^([^{]*)\{[+#]?(\w+)\}(.*)$/su.exec(template) ?? [];
  if (variable === "") return [];
  if (!typed.startsWith(head)) return [head];
  const value = typed.slice(head.length);
  const request = { of: { resource: template }, argument: variable, value };
  const values = await valuesOf(server, request, fleet, limits);
  return values.map((each) => `${head}${each}${tail.split("{", 1)[0] ?? ""}`);
}

async function valuesOf(
  server: string,
  request: McpCompletion,
  fleet: McpFleet,
  limits: McpLimits,
): Promise<readonly string[]> {
  if (!fleet.glance().some(({ name, hasCompletions }) => name === server && hasCompletions)) return [];
  const values = await fleet.use(server, (connection) => connection.complete(request, limits), limits);
  return (values.ok ? values : ok([])).value;
}
