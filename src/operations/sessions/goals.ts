import { err, ok } from "../../base/result.ts";
import { integer, number, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { GoalWait } from "../../contracts/session/goals.ts";
import { readOperation, writeOperation } from "../operation.ts";

const place = integer("its number, from 1", { minimum: 1 });

/**
 * The goal of the live session. The session continues turn after turn until a judge decides that the goal is reached.
 */
export const operations = {
  status: readOperation({
    summary: "Show the goal, the loop and the heartbeat of this session",
    needs: ["session"],
    run: async (_input, { session }) => ok(session.goals.status()),
  }),

  set: writeOperation({
    summary: "Set the goal of this session and start its first turn",
    input: object({
      text: string("the goal; lines such as `verification: npm test passes` are parts of its contract"),
    }),
    needs: ["session"],
    run: ({ text }, { session }) => session.goals.setGoal(text),
  }),

  draft: readOperation({
    summary: "Ask a model for the contract of a goal; changes nothing",
    input: object({ text: string("the goal") }),
    needs: ["session"],
    run: ({ text }, { session }, { signal }) => session.goals.draft(text, signal),
  }),

  pause: writeOperation({
    summary: "Pause the goal",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeGoal({ kind: "pause" }),
  }),

  resume: writeOperation({
    summary: "Continue the goal with a full budget of turns",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeGoal({ kind: "resume" }),
  }),

  clear: writeOperation({
    summary: "Delete the goal; a running turn continues",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.clearGoal(),
  }),

  addSubgoal: writeOperation({
    summary: "Add a criterion that must also be met",
    input: object({ text: string("the criterion") }),
    needs: ["session"],
    run: ({ text }, { session }) => session.goals.changeGoal({ kind: "addSubgoal", text }),
  }),

  removeSubgoal: writeOperation({
    summary: "Remove a criterion",
    input: object({ place }),
    needs: ["session"],
    run: (wish, { session }) => session.goals.changeGoal({ kind: "removeSubgoal", ...wish }),
  }),

  clearSubgoals: writeOperation({
    summary: "Remove all criteria",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeGoal({ kind: "clearSubgoals" }),
  }),

  addGate: writeOperation({
    summary: "Add a command that must exit with 0 before the goal can be reached",
    input: object({ command: string("the command") }),
    needs: ["session"],
    run: ({ command }, { session }) => session.goals.changeGoal({ kind: "addGate", command }),
  }),

  removeGate: writeOperation({
    summary: "Remove a command from the checks of the goal",
    input: object({ place }),
    needs: ["session"],
    run: (wish, { session }) => session.goals.changeGoal({ kind: "removeGate", ...wish }),
  }),

  wait: writeOperation({
    summary: "Pause the goal until a process ends or a time has passed; waiting costs nothing",
    input: object({
      pid: optional(integer("a process of this machine", { minimum: 1 })),
      process: optional(string("a background process of the session, or the beginning of its id")),
      seconds: optional(number("how long, at most 86400")),
    }),
    needs: ["session"],
    async run({ pid, process, seconds }, { session }, { clock }) {
      const waits: readonly GoalWait[] = [
        ...(pid === undefined ? [] : [{ kind: "pid", pid } as const]),
        ...(process === undefined ? [] : [{ kind: "process", id: process } as const]),
        ...(seconds === undefined ? [] : [{ kind: "time", until: clock.now() + seconds * 1_000 } as const]),
      ];
      if (seconds !== undefined && !(seconds > 0 && seconds <= 86_400))
        return err({ message: "A goal waits at most 86400 seconds.", kind: "input" as const });
      const [wait, more] = waits;
      if (!wait || more) return err({ message: "Name one process, or a number of seconds.", kind: "input" as const });
      return session.goals.changeGoal({ kind: "wait", wait });
    },
  }),

  unwait: writeOperation({
    summary: "End the wait of the goal",
    needs: ["session"],
    run: async (_input, { session }) => session.goals.changeGoal({ kind: "unwait" }),
  }),
};
