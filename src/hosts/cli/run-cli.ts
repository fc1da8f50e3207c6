import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

import { once } from "../../base/async/once.ts";
import { systemClock } from "../../base/clock.ts";
import { PlainFailure } from "../../base/plain-failure.ts";
import { reasonOf } from "../../base/result.ts";
import { userName } from "../../base/this-user.ts";
import { servicesOf } from "../../operations/operation.ts";
import { createRunner } from "../../operations/run-operation.ts";
import { loadSettings } from "../../operations/settings/load-settings.ts";
import { localPrincipal } from "../local-principal.ts";
import { type CliCommand, type CliContext, type CliHost, type CliIo, CommandFailed, type Reply } from "./command.ts";
import { groups } from "./groups.ts";
import { createPaint } from "./paint.ts";
import { parseLine, type ParsedLine } from "./parse-line.ts";
import { askLine } from "./questions/ask-line.ts";
import { secretAskerAt } from "./questions/ask-secret.ts";
import { withoutControls } from "./without-controls.ts";

type CommandLine = Extract<ParsedLine, { kind: "command" }>;

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 invalid arguments, 130 interrupted; `chat` has more. Never rejects. */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number> {
  const { io } = host;
  const parsed = parseLine(argv);
  const paint = createPaint(usesColours(host, parsed));
  if (parsed.kind === "help") {
    const { fittedLines } = await import("./chat/fitted-lines.ts");
    const more = parsed.isOverview ? await (await pluginCommands()).pluginHelp(argv, host) : "";
    await io.write(fittedLines(`${parsed.text}${more}`, Math.min(io.columns, 120)));
    return 0;
  }
  if (parsed.kind === "misunderstood") {
    const { unknown } = parsed;
    const ran = unknown && (await (await pluginCommands()).runPluginCommand(unknown, argv, host));
    if (typeof ran === "number") return ran;
    return await fail(io, parsed.json, paint, new CommandFailed(parsed.message, ran || parsed.hint, 2));
  }
  await using resources = new AsyncDisposableStack();
  try {
    const ctx = createContext({ ...host, cwd: folderOf(parsed, host.cwd) }, parsed, paint, resources);
    return await print(io, parsed.json, await parsed.command.run(parsed.input, ctx));
  } catch (thrown) {
    if (thrown instanceof CommandFailed) return await fail(io, parsed.json, paint, thrown);
    if (host.signal.aborted)
      return await fail(io, parsed.json, paint, new CommandFailed("Interrupted.", undefined, 130));
    if (thrown instanceof PlainFailure) return await fail(io, parsed.json, paint, new CommandFailed(thrown.message));
    const bug = new CommandFailed(
      `${nameOf(parsed.command)} failed unexpectedly: ${reasonOf(thrown)}`,
      "This is a bug. `HERMES_DEBUG=1` shows where; please report it.",
    );
    if (host.env.HERMES_DEBUG && thrown instanceof Error) io.warn(`${thrown.stack}\n`);
    return await fail(io, parsed.json, paint, bug);
  }
}

/** Loads the commands of plugins only for the help, and when no built-in command has the name. */
function pluginCommands() {
  return import("./plugin-commands.ts");
}

function createContext(
  host: CliHost,
  line: CommandLine,
  paint: CliContext["paint"],
  resources: AsyncDisposableStack,
): CliContext {
  const place = { env: host.env, cwd: host.cwd, user: userName(), profile: line.profile };
  const config = once(async () => {
    const loaded = await loadSettings({
      ...place,
      overrides: { ...(isYolo(line, host) && { "approvals.mode": "yolo" }), ...line.overrides },
      ignoreUserFile: line.input.flag("ignoreUserConfig") || line.input.flag("safeMode"),
    });
    if (loaded.ok) return loaded.value;
    const wrong = Object.keys(line.overrides).find((key) => loaded.error.message.startsWith(`${key}: `));
    if (wrong !== undefined) throw new CommandFailed(loaded.error.message, `Correct --set ${wrong}=VALUE.`, 2);
    throw new CommandFailed(loaded.error.message, loaded.error.hint);
  });
  const toolbox = once(async () => {
    const loaded = await config();
    const { createToolbox } = await import("../../runtime/calls/create-toolbox.ts");
    const secretAsker = secretAskerAt(host.io);
    const opened = resources.use(
      await createToolbox(loaded, await services(), {
        cwd: host.cwd,
        principal,
        signal: host.signal,
        say: warn,
        ...(secretAsker && { secretAsker }),
      }),
    );
    if (line.command.showsWarnings) return opened;
    const { notices, empty } = await opened.catalog(host.signal);
    for (const warning of [...loaded.warnings, ...notices]) host.io.warn(`${paint.warn("warning:")} ${warning}\n`);
    if (empty !== undefined) host.io.warn(`${paint.bad("error:")} ${empty}\n`);
    return opened;
  });
  const warn = (message: string) => host.io.warn(`${paint.dim(`hermes: ${withoutControls(message)}`)}\n`);
  const principal = localPrincipal();
  const services = once(async () => {
    const { openServices } = await import("../../runtime/services.ts");
    const { cwd, signal, models } = host;
    const safeMode = line.input.flag("safeMode");
    const options = { cwd, principal, signal, say: warn, safeMode, ...(models && { models }) };
    return resources.use(openServices(await config(), options));
  });
  const operationContext = {
    principal,
    signal: host.signal,
    clock: systemClock,
    cwd: host.cwd,
    upload: host.io.stdin,
    ...(host.io.stdinIsTerminal && { readLine: (signal: AbortSignal) => askLine(host.io, "", signal) }),
    report: ({ message }: { readonly message: string }) => void (line.json || warn(message)),
  };
  return {
    async run(name, input, more) {
      const open = servicesOf(services, { configPlace: () => place, toolbox, ...more });
      const outcome = await createRunner(open, operationContext)(name, input);
      if (outcome.ok) return outcome.value;
      const { message, hint, kind } = outcome.error;
      const exitCode = host.signal.aborted ? 130 : kind === "input" ? 2 : kind === "budget" ? 3 : 1;
      throw new CommandFailed(withoutControls(message), hint && withoutControls(hint), exitCode);
    },
    renewed: () => createContext(host, line, paint, resources),
    inFolder: (folder) => createContext({ ...host, cwd: folder }, line, paint, resources),
    io: host.io,
    paint,
    signal: host.signal,
    json: line.json,
    profile: line.profile,
    groups,
    cwd: host.cwd,
    principal,
    cwdIsAsked: askedFolder(line) !== undefined,
    env: host.env,
    config,
    toolbox,
    models: host.models,
  };
}

/** `--yolo`, or its variable in the environment of this process. */
function isYolo({ command, input }: CommandLine, { env }: CliHost): boolean {
  const value = env["HERMES_YOLO_MODE"]?.trim().toLowerCase() ?? "";
  return command.path[0] === "chat" && (input.flag("yolo") || ["1", "true", "yes", "on"].includes(value));
}

/** The working folder: `--cwd`, `--in`, or the current folder. */
function folderOf(line: CommandLine, cwd: string): string {
  const requested = askedFolder(line);
  if (requested === undefined) return cwd;
  const folder = resolve(cwd, requested);
  // Sessions of a folder are found by its real path.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(folder);
  throw new CommandFailed(`${folder} is not a folder.`, undefined, 2);
}

function askedFolder({ input }: CommandLine): string | undefined {
  return input.option("cwd") ?? input.option("in");
}

async function print(io: CliIo, json: boolean, reply: Reply): Promise<number> {
  if (json) {
    if (reply.data !== undefined) await io.write(`${JSON.stringify(reply.data)}\n`);
  } else if (reply.text) await io.write(reply.text.endsWith("\n") ? reply.text : `${reply.text}\n`);
  return reply.exitCode ?? 0;
}

async function fail(io: CliIo, json: boolean, paint: CliContext["paint"], failure: CommandFailed): Promise<number> {
  if (json) {
    const error = { message: failure.message, ...(failure.hint && { hint: failure.hint }) };
    await io.write(`${JSON.stringify({ error })}\n`);
  } else {
    io.warn(`${paint.bad("error:")} ${failure.message}\n${failure.hint ? `${paint.dim(failure.hint)}\n` : ""}`);
  }
  return failure.exitCode;
}

function usesColours(host: CliHost, parsed: ParsedLine): boolean {
  if ("json" in parsed && parsed.json) return false;
  const { NO_COLOR, FORCE_COLOR, TERM } = host.env;
  if (NO_COLOR || FORCE_COLOR === "0") return false;
  return (host.io.stdoutIsTerminal && TERM !== "dumb") || Boolean(FORCE_COLOR);
}

function nameOf(command: CliCommand): string {
  return `hermes ${command.path.join(" ")}`;
}
