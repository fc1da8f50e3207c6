import { childText } from "../../../../commands/agents/agents.ts";
import { printableLines } from "../../chat/feed/result-lines.ts";
import { type PanelHost, openPicker, valueOrThrow, viewText } from "../panels/panel-host.ts";
import type { PickItem, PreviewLine } from "./picker-look.ts";

/** Lists the child agents of the session with their reports; running ones can be messaged and stopped. */
export async function pickAgent(host: PanelHost): Promise<void> {
  const { run } = host;
  const texts = host.texts.panels.agents;

  async function reportLines(agent: string): Promise<readonly PreviewLine[]> {
    const report = valueOrThrow(await run("agents.report", { child: agent }));
    return printableLines(childText(report)).map((text) => ({ text }));
  }

  await openPicker<PickItem>(host, {
    title: texts.title,
    empty: texts.empty,
    async load() {
      const { children } = valueOrThrow(await run("agents.children", {}));
      return children.map((agent) => ({
        id: agent.agentId,
        title: agent.goal,
        detail: agent.state,
        mark: agent.state === "running" ? "▶" : " ",
      }));
    },
    preview: async ({ id }) => reportLines(id),
    actions: [
      {
        chords: ["enter"],
        hint: texts.reportKey,
        async run(item) {
          if (item) void viewText(host, item.title, await reportLines(item.id));
        },
      },
      {
        chords: ["ctrl+t"],
        hint: texts.steerKey,
        async run(item, picker) {
          const text = item && (await picker.ask(texts.message, ""));
          if (!item || text === undefined || text.trim() === "") return;
          valueOrThrow(await run("agents.steer", { child: item.id, text }));
          picker.say(texts.sent);
        },
      },
      {
        chords: ["delete"],
        hint: texts.stopKey,
        async run(item, picker) {
          if (!item) return;
          valueOrThrow(await run("agents.stop", { child: item.id }));
          await picker.reload();
          picker.say(texts.stopped);
        },
      },
    ],
  });
}
