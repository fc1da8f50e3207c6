import { isObject, type JsonObject, type JsonValue, parsedJson } from "../../../../base/json.ts";
import { plural } from "../../../../base/text/text.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm, offer } from "../../input.ts";
import { wrap } from "../../table.ts";
import { examinedText, permissionsText, testText, toolsText } from "./server-text.ts";

const yes = { flags: "--yes", summary: "do not ask" };
const sandboxOptions = [
  { flags: "--sandbox", summary: "run it in a sandbox, with the proposed permissions or none" },
  {
    flags: "--allow <permission>...",
    summary: "run it in a sandbox that allows this: read:PATH, write:PATH, net:HOST, exec",
  },
];
const addOptions = [
  ...sandboxOptions,
  { flags: "--untrusted", summary: "require approval for every call that may change something" },
  { flags: "--replace", summary: "replace the server of this name" },
  { flags: "--no-test", summary: "do not connect" },
  { flags: "--keep", summary: "save the server even if it does not answer" },
  yes,
];

export const addCommands: readonly CliCommand[] = [
  {
    path: ["mcp", "add"],
    summary: "Add an MCP server: shows what would run, asks, connects, lists its tools",
    details:
      "Write the command of a local program after --; a remote server is an address. The server is saved only if it answers. Secrets in " +
      "--env and --header go to .env.",
    args: [
      { name: "name", summary: "a name for it" },
      { name: "target", summary: "an address, or -- and a command", rest: true, isProgram: true },
    ],
    options: [
      { flags: "--env <name=value>...", summary: "a variable for the program" },
      { flags: "--header <name: value>...", summary: "a header for the address" },
      { flags: "--transport <kind>", summary: "http (default for an address) or sse", choices: ["http", "sse"] },
      { flags: "--oauth", summary: "sign in with a browser" },
      ...addOptions,
    ],
    examples: [
      "hermes mcp add everything -- npx -y @modelcontextprotocol/server-everything@2026.8.31",
      "hermes mcp add notes --allow write:~/notes -- node ~/servers/notes/index.js",
      "hermes mcp add linear https://mcp.linear.app/mcp",
      'hermes mcp add docs https://example.com/mcp --header "Authorization: Bearer ${DOCS_TOKEN}"',
    ],
    run: (input, ctx) => addServer(input.arg("name"), settingsFrom(input), input, ctx),
  },
  {
    path: ["mcp", "install"],
    summary: "Add a server of the catalog, with its pinned version",
    args: [{ name: "name", summary: "a name from `hermes mcp catalog`" }],
    options: [{ flags: "--as <name>", summary: "another name for it" }, ...addOptions],
    examples: ["hermes mcp install memory", "hermes mcp install linear"],
    async run(input, ctx) {
      const { servers } = await ctx.run("mcp.catalog", {});
      const name = input.arg("name");
      const server = servers.find((each) => each.name === name);
      if (!server) throw new CommandFailed(`The catalog has no server ${name}.`, "`hermes mcp catalog` lists them.", 2);
      const missing = server.variables.filter(({ isSet }) => !isSet);
      for (const { name: variable, from } of missing)
        ctx.io.warn(
          `${ctx.paint.warn(`${variable} is not set.`)} Get it from ${from}, then: hermes config set ${variable} VALUE\n`,
        );
      return addServer(input.option("as") ?? name, server.settings, input, ctx);
    },
  },
  {
    path: ["mcp", "configure"],
    summary: "Change the settings of a server",
    details: "CHANGES are KEY=VALUE as in docs/guide/mcp.md; KEY= removes a key. Lists are separated by commas.",
    args: [
      { name: "name", summary: "name of the server" },
      { name: "changes", summary: "such as timeout=60, tools.include=read_*,search", rest: true, optional: true },
    ],
    options: [
      { flags: "--enable", summary: "start it again" },
      { flags: "--disable", summary: "never start it" },
      ...sandboxOptions,
      { flags: "--unconfined", summary: "run its program with all your rights" },
      { flags: "--untrusted", summary: "require approval for every call that may change something" },
      { flags: "--trusted", summary: "believe the server's claims about its tools" },
    ],
    examples: [
      "hermes mcp configure files tools.exclude=delete_*",
      "hermes mcp configure linear --disable",
      "hermes mcp configure notes --sandbox",
    ],
    run: configure,
  },
];

/** Shows the server, asks, adds it, and offers to sign in. */
async function addServer(name: string, given: JsonObject, input: CliInput, ctx: CliContext): Promise<Reply> {
  const requested = { ...given, ...(input.flag("untrusted") && { trust: "untrusted" }) };
  const examined = await ctx.run("mcp.examine", { name, settings: requested });
  if (examined.exists && !input.flag("replace"))
    throw new CommandFailed(
      `There is an MCP server ${name} already.`,
      `\`hermes mcp configure ${name}\` changes it; --replace replaces it.`,
    );
  const { proposed, ...plain } = examined;
  const fixedPermissions = permissionsFrom(input, proposed?.permissions);
  const isBoxed = fixedPermissions !== undefined;
  const text = examinedText(isBoxed ? { ...plain, isUnconfined: false } : examined, ctx);
  const boxed = isBoxed ? `\n  It runs in a sandbox.` : "";
  const isRemarkable = [...examined.reasons, ...examined.notices, ...(examined.advisories ?? [])].length > 0;
  if (isRemarkable) await confirm(input, ctx, `${text}${boxed}\nAdd ${name}?`);
  const asks = !isBoxed && proposed?.isKnown === true;
  const question = `${isRemarkable ? "" : `${text}\n`}Run it in the sandbox?`;
  const permissions = asks && (await offer(input, ctx, question)) ? proposed.permissions : fixedPermissions;
  const settings = permissions === undefined ? requested : { ...requested, permissions };
  const isShown = (isRemarkable || asks) && !input.flag("yes") && ctx.io.stdinIsTerminal;
  const data = await ctx.run("mcp.add", {
    name,
    settings,
    replace: input.flag("replace"),
    test: !input.flag("noTest"),
    keep: input.flag("keep"),
  });
  const { paint, io } = ctx;
  const failure = "fault" in data ? data.fault : undefined;
  if (!data.isSaved) {
    const hint =
      permissions === undefined
        ? "Nothing was saved. --keep saves it anyway, --no-test does not connect."
        : "Nothing was saved. It ran in a sandbox; --allow gives it more, --keep saves it anyway.";
    return {
      data,
      text: `${isShown ? "" : `${text}${boxed}\n`}${paint.bad("✗")} ${wrap(escapeInvisible(failure?.message ?? ""), io.columns)}\n${paint.dim(hint)}`,
      exitCode: 1,
    };
  }
  const tools = data.tools;
  const isUnconfined = data.server?.isUnconfined === true;
  const lines = [
    ...(isShown ? [] : [`${text}${boxed}`]),
    tools
      ? `${paint.good("✓")} ${escapeInvisible(name)} answers: ${plural(tools.length, "tool")}`
      : `${paint.good("✓")} Saved ${escapeInvisible(name)}.`,
    ...(tools && tools.length > 0 ? [toolsText(tools, ctx)] : []),
    ...(data.server?.waiting ?? []).map(({ tool, reason }) =>
      paint.warn(`  ${escapeInvisible(tool)} is off: ${reason}`),
    ),
    ...(data.variables.length > 0 ? [`Secrets were moved to .env: ${data.variables.join(", ")}`] : []),
    ...(isUnconfined ? [paint.dim(`It runs unconfined, with all your rights.`)] : []),
    ...(permissions === undefined ? [] : [paint.dim("It runs in a sandbox.")]),
    ...(failure && !data.needsSignIn ? [paint.warn(escapeInvisible(failure.message))] : []),
    ...(tools ? [paint.dim("The model finds its tools by search. In a chat, /mcp shows the servers.")] : []),
  ];
  if (!data.needsSignIn) return { data, text: lines.join("\n"), exitCode: failure ? 1 : 0 };
  return { data, text: [...lines, `${paint.warn("It needs a sign-in:")} hermes mcp login ${name}`].join("\n") };
}

function settingsFrom(input: CliInput): JsonObject {
  const [first = "", ...rest] = input.rest("target");
  const isAddress = /^https?:\/\//iu.test(first) && rest.length === 0;
  const pairs = (name: string, separator: RegExp) =>
    Object.fromEntries(
      input.list(name).map((text) => {
        const [key = "", value] = text.split(separator, 2);
        if (value === undefined) throw new CommandFailed(`--${name} ${key}: a value is missing.`, undefined, 2);
        return [key.trim(), value.trim()] as const;
      }),
    );
  const env = pairs("env", /=(.*)/su);
  const headers = pairs("header", /:(.*)/su);
  const transport = input.option("transport");
  return {
    ...(isAddress ? { url: first } : { command: first, ...(rest.length > 0 && { args: rest }) }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(transport !== undefined && { transport }),
    ...(input.flag("oauth") && { auth: "oauth" }),
  };
}

/** The permissions of the server. Undefined: it runs unconfined. */
function permissionsFrom(input: CliInput, proposal: JsonObject | undefined): JsonObject | undefined {
  const grants = input.list("allow");
  if (grants.length === 0) return input.flag("sandbox") ? (proposal ?? {}) : undefined;
  const permissions: Record<string, JsonValue> = {};
  for (const grant of grants) {
    const [kind = "", value] = grant.split(/:(.*)/su, 2);
    if (kind === "exec") permissions[kind] = true;
    else permissions[kind] = [...((permissions[kind] as readonly string[] | undefined) ?? []), value ?? ""];
  }
  return permissions;
}

async function configure(input: CliInput, ctx: CliContext): Promise<Reply> {
  const name = input.arg("name");
  const changes: Record<string, JsonValue> = {};
  for (const text of input.rest("changes")) {
    const [key = "", value] = text.split(/=(.*)/su, 2);
    if (value === undefined) throw new CommandFailed(`${text}: write KEY=VALUE.`, "For example: timeout=60", 2);
    const [head = "", inner] = key.split(/\.(.*)/su, 2);
    const parsed = valueOf(key, value);
    const section = changes[head];
    changes[head] = inner === undefined ? parsed : { ...(isObject(section) ? section : {}), [inner]: parsed };
  }
  if (input.flag("enable")) changes["enabled"] = null;
  if (input.flag("disable")) changes["enabled"] = false;
  if (input.flag("untrusted")) changes["trust"] = "untrusted";
  if (input.flag("trusted")) changes["trust"] = null;
  if (input.flag("unconfined")) changes["permissions"] = null;
  else if (input.flag("sandbox") || input.list("allow").length > 0) {
    const { proposed } = await ctx.run("mcp.inspect", { name });
    changes["permissions"] = permissionsFrom(input, proposed) ?? {};
  }
  if (Object.keys(changes).length === 0)
    throw new CommandFailed(
      "Nothing to change.",
      `\`hermes mcp inspect ${name}\` shows the settings; \`hermes mcp configure --help\` shows the usage.`,
      2,
    );
  const data = await ctx.run("mcp.configure", { name, changes });
  const keys = Object.keys(changes).map((key) => `mcp_servers.${name}.${key}`);
  const text = `Changed ${keys.join(", ")}. Running chats: /reload-mcp`;
  return isObject(changes["permissions"]) ? confined(name, text, ctx) : { data, text };
}

/** Shows the permissions, and whether the server still responds with them. */
async function confined(name: string, changed: string, ctx: CliContext): Promise<Reply> {
  const { paint } = ctx;
  const shown = await ctx.run("mcp.inspect", { name });
  const text = `${changed}\nIn its sandbox ${escapeInvisible(name)} may ${permissionsText(shown.may ?? [])}.`;
  if (shown.state === "disabled") return { data: shown, text };
  const data = await ctx.run("mcp.test", { name });
  if (data.isReachable)
    return { data, text: `${text}\n${paint.good("✓")} It answers in the sandbox: ${plural(data.callable, "tool")}` };
  const ways = `To allow more: hermes mcp configure ${name} --allow read:PATH. To lift the sandbox: hermes mcp configure ${name} --unconfined`;
  return {
    data,
    text: `${text}\n${testText(data, ctx)}\n${paint.dim(ways)}`,
    exitCode: 1,
  };
}

function valueOf(key: string, text: string): JsonValue {
  if (text === "") return null;
  if (/(?:^|\.)(?:include|exclude|args|allowed_models)$/u.test(key) && !text.startsWith("["))
    return text === "none" ? [] : text.split(",").map((item) => item.trim());
  const parsed = parsedJson(text);
  return parsed === undefined ? text : (parsed as JsonValue);
}
