import { withoutUndefined } from "../../base/without-undefined.ts";
import { integer, number, object, optional, string } from "../../contracts/host/input-schema.ts";
import { minHeartbeatMs } from "../../contracts/session/goals.ts";
import { writeOperation } from "../operation.ts";

/** Prompts that the live session repeats: the loop, and the heartbeat. */
export const operations = {
  start: writeOperation({
    summary: "Repeat a prompt in this session",
    input: object({
      prompt: string("the prompt"),
      seconds: optional(number("time between two runs; default: repeats as soon as the turn has ended")),
      times: optional(integer("number of runs", { minimum: 1 })),
      until: optional(string("a condition that ends the loop; a model checks it after each run")),
    }),
    needs: ["session"],
    run: ({ seconds, ...wish }, { session }) =>
      session.goals.startLoop({
        prompt: wish.prompt,
        ...withoutUndefined({
          times: wish.times,
          until: wish.until,
          everyMs: seconds === undefined ? undefined : seconds * 1_000,
        }),
      }),
  }),

  pause: writeOperation({
    summary: "Pause the loop",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeLoop("pause"),
  }),

  resume: writeOperation({
    summary: "Continue the loop now",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeLoop("resume"),
  }),

  stop: writeOperation({
    summary: "End the loop",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeLoop("stop"),
  }),

  startHeartbeat: writeOperation({
    summary: "Repeat a prompt while this session is idle",
    input: object({
      prompt: string("the prompt"),
      seconds: number(`time between two runs, at least ${minHeartbeatMs / 1_000}`),
    }),
    needs: ["session"],
    run: ({ prompt, seconds }, { session }) => session.goals.startHeartbeat({ prompt, everyMs: seconds * 1_000 }),
  }),

  stopHeartbeat: writeOperation({
    summary: "End the heartbeat",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.stopHeartbeat(),
  }),
};
