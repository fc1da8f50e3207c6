import { asId, type SessionId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { anything, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

/** Time limit for completions, so that a server that is not connected yet does not delay typing. */
const maxCompletionMs = 2_000;

export const operations = {
  prompts: readOperation({
    summary: "List the prompts of MCP servers as slash commands",
    needs: ["mcp"],
    async run(_input, { mcp }) {
      const { promptCommands } = await import("../../mcp/adapt/prompt-commands.ts");
      return ok({ prompts: promptCommands(mcp) });
    },
  }),

  prompt: readOperation({
    summary: "Return a prompt of an MCP server, filled in with arguments, as content for the model",
    input: object({
      server: string("the server"),
      prompt: string("the prompt, as the server spells it"),
      args: anything("the arguments by name, each a text"),
      session: optional(string("the session that will read it")),
    }),
    needs: ["mcp", "liveSessions"],
    async run({ server, prompt, args, session }, { mcp, liveSessions }, { signal }) {
      const { promptOfServer } = await import("../../runtime/mcp/server-content.ts");
      const texts = Object.entries(Object(args) as object).filter(([, value]) => typeof value === "string");
      const read = await promptOfServer(mcp, { server, prompt, args: Object.fromEntries(texts) }, signal);
      if (!read.ok) return err({ message: read.error.message });
      if (session !== undefined) liveSessions.get(asId<SessionId>(session))?.taint({ kind: "mcp", name: server });
      return ok({ content: read.value });
    },
  }),

  completions: readOperation({
    summary: "List lines that continue a typed line with a prompt, an argument or a resource of an MCP server",
    input: object({ line: string("the typed line") }),
    needs: ["mcp"],
    async run({ line }, { mcp }, { signal, clock }) {
      const [{ completeLine }, { linkAbort }] = await Promise.all([
        import("../../mcp/adapt/complete-line.ts"),
        import("../../base/async/abort.ts"),
      ]);
      using link = linkAbort(signal);
      using _timer = clock.after(maxCompletionMs, () => link.abort(new Error("the server took too long")));
      return ok({ lines: await completeLine(line, mcp, { signal: link.signal, timeoutMs: maxCompletionMs }) });
    },
  }),

  states: readOperation({
    summary: "List the MCP servers with their states, without connecting",
    needs: ["mcp"],
    run: async (_input, { mcp }) => ok({ servers: mcp.glance().map(({ name, state }) => ({ name, state })) }),
  }),
};
