import { findProgram } from "../../../../base/process/find-program.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { numberOption } from "../../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["mcp", "serve"],
    summary: "Offer the tools of Hermes to another agent, as an MCP server",
    details:
      "Speaks MCP on standard input and output until the client leaves, or over HTTP until it is interrupted. Every call takes the " +
      "same path as a call of the agent: rules, approvals, checkpoints and the audit log. A question goes to the client if it can " +
      "show forms; otherwise the call waits for `hermes approvals`.\n" +
      "Over HTTP every request needs the token: HERMES_MCP_TOKEN, or the one in the home, which the first start creates and shows.",
    options: [
      { flags: "--toolset <name>...", summary: "offer these toolsets, separated by commas; repeatable" },
      { flags: "--http", summary: "serve over HTTP at /mcp" },
      { flags: "--port <number>", summary: "with --http: the port; default: any free one" },
      { flags: "--host <address>", summary: "with --http: the address to listen on; default: 127.0.0.1" },
      { flags: "--allow-host <name>...", summary: "with --http: another name of this machine; repeatable" },
      {
        flags: "--print-config <client>",
        summary: "print how to add this server to claude-code, claude-desktop, codex, cursor, vscode or gemini",
      },
      { flags: "--cwd <folder>", summary: "working folder" },
      { flags: "--safe-mode", summary: "load no custom tools, plugins, MCP servers or hooks" },
    ],
    examples: [
      "hermes mcp serve",
      "hermes mcp serve --toolset file --toolset terminal",
      "hermes mcp serve --http --port 8765",
    ],
    run: serve,
  },
];

async function serve(input: CliInput, ctx: CliContext): Promise<Reply> {
  const client = input.option("printConfig");
  if (client !== undefined) return printConfig(client, input, ctx);
  const [port, host] = [numberOption(input, "port"), input.option("host")];
  if ((port ?? host) !== undefined && !input.flag("http"))
    throw new CommandFailed(`${port === undefined ? "--host" : "--port"} needs --http.`, undefined, 2);
  const [{ openServedClients }, config] = await Promise.all([
    import("../../../../runtime/mcp/serve-clients.ts"),
    ctx.config(),
  ]);
  const { io, signal } = ctx;
  const toolsets = input.list("toolset").flatMap((names) => names.split(",").map((name) => name.trim()));
  const say = (sentence: string) => io.warn(`hermes: ${sentence}\n`);
  await using served = openServedClients(config, {
    cwd: ctx.cwd,
    principal: ctx.principal,
    ...(toolsets.length > 0 && { toolsets }),
    safeMode: input.flag("safeMode"),
    say,
    signal,
  });
  if (!input.flag("http")) {
    await served.stdio({ input: io.stdin, write: io.write });
    return {};
  }
  const token = await served.token();
  if (!token.ok) throw new CommandFailed(token.error.message);
  const opened = await served.http({
    token: token.value.token,
    names: input.list("allowHost"),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
  });
  if (!opened.ok) throw new CommandFailed(opened.error);
  await using server = opened.value;
  say(`listening on http://${host ?? "127.0.0.1"}:${server.port}/mcp`);
  const { file, isNew } = token.value;
  if (isNew) say(`the token of this server, which is shown once: ${token.value.token}`);
  say(`clients send the header "Authorization: Bearer TOKEN" with the token of ${file ?? "HERMES_MCP_TOKEN"}`);
  await interrupted(signal);
  return {};
}

async function printConfig(client: string, input: CliInput, { env, paint }: CliContext): Promise<Reply> {
  const { clientConfig } = await import("./client-configs.ts");
  const toolsets = input.list("toolset").flatMap((name) => ["--toolset", name]);
  const config = clientConfig(client, [findProgram(["hermes"], env) ?? "hermes", "mcp", "serve", ...toolsets]);
  if ("error" in config) throw new CommandFailed(config.error, undefined, 2);
  const { title, file, text } = config;
  const where = file === undefined ? `For ${title}, run:` : `For ${title}, add to ${file}:`;
  return { data: config, text: `${paint.dim(where)}\n${text}` };
}

function interrupted(signal: AbortSignal): Promise<void> {
  // Waits until the command is interrupted; the socket of the server keeps the process alive.
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
