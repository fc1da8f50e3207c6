import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import { reasoningEfforts } from "../../contracts/model/model.ts";
import { readOperation, writeOperation } from "../operation.ts";

/** Operations that change the requests of the live session. */
export const tuningOperations = {
  tuning: readOperation({
    summary: "Show the reasoning effort, the speed and the personality of this session",
    needs: ["session"],
    async run(_input, { session }) {
      const { reasoning, isFast, personality } = session.tuning();
      return ok({ reasoning, isFast, ...withoutUndefined({ personality: personality?.name }) });
    },
  }),

  tune: writeOperation({
    summary: "Change the reasoning effort or the speed of this session, from the next request on",
    input: object({
      reasoning: optional(oneOf("effort; auto: the provider decides", ["auto", ...reasoningEfforts])),
      isFast: optional(flag("request faster and more expensive processing, where the provider offers it")),
    }),
    needs: ["session"],
    async run(change, { session }) {
      session.tune(withoutUndefined(change));
      const { reasoning, isFast } = session.tuning();
      return ok({ reasoning, isFast });
    },
  }),

  personalities: readOperation({
    summary: "List the personalities, built-in and of the settings",
    needs: ["config"],
    async run(_input, { config }) {
      const { listPersonalities } = await import("../../config/personalities/find-personality.ts");
      return ok({ personalities: listPersonalities(config), default: config.values.display.personality });
    },
  }),

  usePersonality: writeOperation({
    summary: "Answer in the style of a personality from the next prompt on; none: in the default style",
    input: object({ name: string("a personality, or none") }),
    needs: ["session", "config"],
    async run({ name }, { session, config }) {
      const { findPersonality, listPersonalities } = await import("../../config/personalities/find-personality.ts");
      const { noPersonality } = await import("../../sessions/personality-companion.ts");
      const isNone = [noPersonality, "default", "off"].includes(name.trim().toLowerCase());
      const personality = isNone ? { name: noPersonality, text: "" } : findPersonality(name, config);
      if (!personality) {
        const names = listPersonalities(config).map((each) => each.name);
        const close = didYouMean(name, names);
        return err({
          message: `There is no personality ${name}. ${close === "" ? `Personalities: ${names.join(", ")}` : close}`,
        });
      }
      session.tune({ personality: { name: personality.name, text: personality.text } });
      return ok({ name: personality.name, text: personality.text });
    },
  }),
};
