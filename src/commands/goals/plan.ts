import { plural } from "../../base/text/text.ts";
import { promptOf } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const planCommand: SlashCommand = {
  name: "plan",
  args: "<request> | approve | edit <changes> | reject | show",
  summary: "Plan first: the agent can only read until you approve its plan",
  async run(args, { run }) {
    const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    const { isPlanning, plan } = await run("plan.status", {});
    if (verb === "approve") {
      const { steps } = await run("plan.approve", { plan: rest === "" ? undefined : rest });
      const filled = steps.length === 0 ? "" : `: ${plural(steps.length, "step")} in the todo list`;
      return { text: `The plan is approved${filled}.` };
    }
    if ((verb === "reject" || verb === "off") && rest === "") {
      await run("plan.reject", {});
      return { text: "Plan mode is off. Nothing was carried out." };
    }
    if (args === "show" || args === "status") {
      if (!isPlanning) return { text: "Plan mode is off. /plan REQUEST plans something." };
      return { text: plan ?? "Plan mode is on. There is no plan yet." };
    }
    if (isPlanning && verb === "edit") {
      // Without a text, the user edits the plan directly.
      if (rest === "") return { text: "", effect: { kind: "draft", text: `/plan approve ${plan ?? ""}` } };
      return { text: "", effect: { kind: "prompt", content: promptOf(`Change the plan: ${rest}`) } };
    }
    await run("plan.start", {});
    const text = "Plan mode is on: only reading is allowed until you approve the plan. /plan reject leaves it.";
    return args === "" || args === "on" ? { text } : { text, effect: { kind: "prompt", content: promptOf(args) } };
  },
};
