import { type CallId, newId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { list, anything, flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { ToolStatus } from "../../runtime/calls/toolbox.ts";
import { readOperation, writeOperation } from "../operation.ts";

export const operations = {
  list: readOperation({
    summary: "List the tools of the agent, and why others are missing",
    input: object({ all: optional(flag("Include tools that the selection excludes")) }),
    needs: ["toolbox"],
    async run({ all = false }, { toolbox }, { signal }) {
      const { notices, empty } = await toolbox.catalog(signal);
      const statuses = await toolbox.overview(signal);
      const shown = all ? statuses : statuses.filter(({ state }) => state !== "not selected");
      return ok({
        tools: shown.map(statusData),
        omitted: statuses.length - shown.length,
        notices,
        ...(empty !== undefined && { error: { message: empty } }),
        diagnostics: toolbox.diagnostics,
      });
    },
  }),

  show: readOperation({
    summary: "Show one tool: its description, its parameters and whether it is available",
    input: object({ name: string("The tool") }),
    needs: ["toolbox"],
    async run({ name }, { toolbox }, { signal }) {
      const statuses = await toolbox.overview(signal);
      const status = statuses.find(({ tool }) => tool.name === name);
      if (!status) {
        const names = statuses.map(({ tool }) => tool.name);
        const hint = didYouMean(name, names) || "hermes tools list --all shows every tool.";
        return err({ message: `There is no tool "${name}".`, hint });
      }
      // Shows the schema that the model sees and that calls are validated against.
      const tool = (await toolbox.catalog(signal)).find(name) ?? status.tool;
      return ok({ ...statusData({ ...status, tool }), inputSchema: tool.inputSchema });
    },
  }),

  search: readOperation({
    summary: "Search tools by their descriptions",
    input: object({
      query: string("What the tool should do"),
      limit: optional(integer("Maximum number of matches", { minimum: 1 })),
    }),
    needs: ["toolbox"],
    async run({ query, limit }, { toolbox }, { signal }) {
      return ok({ query, ...(await toolbox.search(query, limit, signal)) });
    },
  }),

  call: writeOperation({
    summary: "Call a tool as a person, with the same checks as a call of the agent",
    input: object({
      name: string("The tool"),
      args: anything("Its arguments: an object, or JSON text"),
    }),
    needs: ["toolbox", "approvalSurface"],
    async run({ name, args }, { toolbox, approvalSurface }, { signal, clock, report }) {
      using _attached = approvalSurface && toolbox.attach(approvalSurface);
      const startedAt = clock.elapsed();
      // The dispatcher validates the arguments like those of a model.
      const call = { id: newId<CallId>("call"), name, args: args as ToolCall["args"] };
      const result = await toolbox.call(call, signal);
      for (const message of toolbox.messages()) report({ message });
      const durationMs = Math.round((clock.elapsed() - startedAt) * 1000) / 1000;
      if (result.ok) {
        const { content, data } = result.value;
        return ok({
          ok: true as const,
          name,
          text: textOf(content),
          content,
          ...(data !== undefined && { data }),
          durationMs,
        });
      }
      const { kind, message, effect, data, content } = result.error;
      return ok({
        ok: false as const,
        name,
        error: {
          kind,
          message,
          effect,
          ...(data !== undefined && { data }),
          ...(content && { text: textOf(content) }),
        },
        durationMs,
      });
    },
  }),

  reselect: readOperation({
    summary:
      "Compute the tools of a new session: those of this session, with some tools or toolsets enabled or disabled",
    input: object({
      enable: optional(list("tools or toolsets", string("a name"))),
      disable: optional(list("tools or toolsets", string("a name"))),
    }),
    needs: ["session", "tools", "config"],
    async run({ enable = [], disable = [] }, { session, tools: { registry }, config }) {
      const { selectionFor } = await import("../../runtime/calls/selection.ts");
      const { changedSelection } = await import("./changed-selection.ts");
      const { selection } = await selectionFor(config, "cli", session.place().cwd);
      const kindOf = (word: string) => (registry.find(word) ? "tool" : registry.expand(word) ? "toolset" : undefined);
      return changedSelection({ ...selection, ...session.selection }, { enable, disable }, kindOf);
    },
  }),

  inSession: readOperation({
    summary: "List the tools of a running session, and why others are missing",
    needs: ["session", "tools"],
    async run(_input, { session: { catalog }, tools: { registry } }) {
      const direct = new Set(catalog.definitions.map(({ name }) => name));
      return ok({
        tools: registry.list().map(({ tool: { name, toolset } }) => {
          if (direct.has(name)) return { name, toolset, state: "direct" as const };
          if (catalog.has(name)) return { name, toolset, state: "searchable" as const };
          return { name, toolset, state: "missing" as const, why: catalog.whyNot(name) ?? "not selected" };
        }),
      });
    },
  }),
};

function statusData({ tool, source, state, why, needsConversation }: ToolStatus) {
  const { name, toolset, description, requiresEnv, needs } = tool;
  return {
    name,
    toolset,
    description,
    source,
    state,
    ...(why !== undefined && { why }),
    needsConversation,
    requiresEnv,
    needs,
  };
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((part) => part.text ?? `[${part.type}]`).join("\n");
}
