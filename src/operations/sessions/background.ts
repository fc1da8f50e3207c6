import { err, ok } from "../../base/result.ts";
import { integer, object, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

const number = integer("its number", { minimum: 1 });

/** Background sessions of the live session: same model and tools, no history. */
export const operations = {
  start: writeOperation({
    summary: "Run a prompt in a separate session in the background",
    input: object({ prompt: string("the prompt") }),
    needs: ["session"],
    run: ({ prompt }, { session }) => session.background.start(prompt),
  }),

  list: readOperation({
    summary: "List the background sessions of this session",
    needs: ["session"],
    run: async (_input, { session }) => ok({ sessions: session.background.list() }),
  }),

  show: readOperation({
    summary: "Show the answer of a background session",
    input: object({ number }),
    needs: ["session"],
    async run({ number: requested }, { session }) {
      const match = session.background.list().find((each) => each.number === requested);
      return match ? ok(match) : err({ message: `There is no background session ${requested}.` });
    },
  }),

  stop: writeOperation({
    summary: "Stop a background session",
    input: object({ number }),
    needs: ["session"],
    run: async ({ number: requested }, { session }) => session.background.stop(requested),
  }),
};
