import type { InputOf, OutputOf } from "../../../../operations/catalog.ts";
import { type CliContext, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { askLine } from "../../questions/ask-line.ts";
import { listText, serverText, testText, waitingText } from "./server-text.ts";

type Listed = OutputOf<"mcp.list">["servers"][number];

/** `hermes mcp` at a terminal: choose a server, then what to do with it, until an empty line. */
export async function pick(ctx: CliContext): Promise<Reply> {
  for (let own = ctx; ; own = own.renewed()) {
    const data = await own.run("mcp.list", {});
    const { servers } = data;
    if (servers.length === 0) return { data, text: listText(data, own) };
    ctx.io.warn(`${listText(data, own, { isNumbered: true })}\n\n`);
    const typed = await askLine(ctx.io, "Which server (name or number; empty to leave)? ", ctx.signal);
    if (typed === "") return {};
    const server = servers.find(({ name }, index) => name === typed || String(index + 1) === typed);
    if (server) await act(server, own);
    else ctx.io.warn(`There is no server ${escapeInvisible(typed)}.\n`);
    ctx.io.warn("\n");
  }
}

async function act(server: Listed, ctx: CliContext): Promise<void> {
  const { name } = server;
  const choices = choicesFor(server);
  const words = choices.map((word) => `[${word[0]}]${word.slice(1)}`).join(", ");
  const typed = (await askLine(ctx.io, `${name}: ${words}, empty to go back? `, ctx.signal)).toLowerCase();
  if (typed === "") return;
  const choice = choices.find((word) => word === typed || word[0] === typed);
  if (choice === undefined) return ctx.io.warn(`There is no choice ${escapeInvisible(typed)}.\n`);
  try {
    await actions[choice](name, ctx);
  } catch (thrown) {
    if (!(thrown instanceof CommandFailed) || ctx.signal.aborted) throw thrown;
    ctx.io.warn(`${ctx.paint.bad("error:")} ${thrown.message}\n`);
  }
}

type Action = "test" | "inspect" | "accept" | "login" | "enable" | "disable" | "remove";

function choicesFor({ state, waiting }: Listed): readonly Action[] {
  return [
    "test",
    "inspect",
    ...(state === "asking" || waiting.length > 0 ? ["accept" as const] : []),
    ...(state === "signed_out" ? ["login" as const] : []),
    state === "disabled" ? "enable" : "disable",
    "remove",
  ];
}

const actions: Readonly<Record<Action, (name: string, ctx: CliContext) => Promise<void>>> = {
  async test(name, ctx) {
    ctx.io.warn(`${testText(await ctx.run("mcp.test", { name }), ctx)}\n`);
  },
  async inspect(name, ctx) {
    ctx.io.warn(`${serverText(await ctx.run("mcp.inspect", { name }), ctx)}\n`);
  },
  async accept(name, ctx) {
    const server = await ctx.run("mcp.inspect", { name });
    ctx.io.warn(`${waitingText(server, ctx)}\n`);
    if (await isSure("Accept?", ctx)) await ctx.run("mcp.trust", { name });
  },
  async login(name, ctx) {
    await ctx.run("mcp.login", { name });
  },
  enable: (name, ctx) => change(name, { enabled: null }, ctx),
  disable: (name, ctx) => change(name, { enabled: false }, ctx),
  async remove(name, ctx) {
    if (await isSure(`Remove ${name}?`, ctx)) await ctx.run("mcp.remove", { name });
  },
};

async function change(name: string, changes: InputOf<"mcp.configure">["changes"], ctx: CliContext): Promise<void> {
  await ctx.run("mcp.configure", { name, changes });
}

async function isSure(question: string, { io, signal }: CliContext): Promise<boolean> {
  return /^y(?:es)?$/iu.test(await askLine(io, `${question} [y/N] `, signal));
}
