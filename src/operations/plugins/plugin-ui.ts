import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { formFault } from "../../contracts/host/form.ts";
import { anything, object, string } from "../../contracts/host/input-schema.ts";
import type { PluginUiContext, UiContribution, UiKind } from "../../contracts/plugin/ui.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { type OperationServices, readOperation, writeOperation } from "../operation.ts";

const part = string("the name of the part, from `ui.parts`");

/** Parts of the screen that plugins add: data for every host that has a screen. */
export const operations = {
  parts: readOperation({
    summary: "List the status segments, keys, panels and dialogs of plugins",
    needs: ["contributions"],
    async run(_input, { contributions }) {
      await contributions.load("ui");
      return ok({
        parts: contributions.ui
          .list()
          .map(({ name, plugin, kind, title, text, chord, everySeconds, priority, fields }) => ({
            name,
            plugin,
            kind,
            title,
            text,
            chord,
            everySeconds,
            priority,
            fields,
          })),
      });
    },
  }),

  segment: readOperation({
    summary: "Read the text of a status segment of a plugin",
    input: object({ part }),
    needs: ["contributions", "session"],
    async run({ part: name }, { contributions, session }, { signal }) {
      const match = await find(name, "segment", contributions);
      if (!match.ok) return match;
      const text = await match.value.segmentText(contextOf(session), signal);
      return text.ok ? ok({ text: text.value }) : text;
    },
  }),

  press: writeOperation({
    summary: "Press a key of a plugin; returns what to show or open",
    input: object({ part }),
    needs: ["contributions", "session"],
    async run({ part: name }, { contributions, session }, { signal }) {
      const match = await find(name, "key", contributions);
      return match.ok ? match.value.press(contextOf(session), signal) : match;
    },
  }),

  panel: readOperation({
    summary: "Read the rows or the text of a panel of a plugin",
    input: object({ part }),
    needs: ["contributions", "session"],
    async run({ part: name }, { contributions, session }, { signal }) {
      const match = await find(name, "panel", contributions);
      return match.ok ? match.value.content(contextOf(session), signal) : match;
    },
  }),

  choose: writeOperation({
    summary: "Choose a row of a panel of a plugin",
    input: object({ part, row: string("the id of the row") }),
    needs: ["contributions", "session"],
    async run({ part: name, row }, { contributions, session }, { signal }) {
      const match = await find(name, "panel", contributions);
      return match.ok ? match.value.choose(row, contextOf(session), signal) : match;
    },
  }),

  submit: writeOperation({
    summary: "Send the values of a dialog to its plugin",
    input: object({ part, values: anything("an object with a value for each field") }),
    needs: ["contributions", "session"],
    async run({ part: name, values }, { contributions, session }, { signal }) {
      const match = await find(name, "dialog", contributions);
      if (!match.ok) return match;
      if (!isObject(values)) return err({ message: "The values must be an object." });
      const fault = formFault(match.value, values);
      if (fault !== undefined) return err({ message: `The values do not fit the dialog: ${fault}.` });
      return match.value.submit(values, contextOf(session), signal);
    },
  }),
};

async function find(
  name: string,
  kind: UiKind,
  contributions: OperationServices["contributions"],
): Promise<Result<UiContribution>> {
  await contributions.load("ui");
  const match = contributions.ui.find(name);
  return match?.kind === kind ? ok(match) : err({ message: `There is no ${kind} ${name}.` });
}

function contextOf(session: Session): PluginUiContext {
  return { sessionId: session.id, cwd: session.place().cwd };
}
