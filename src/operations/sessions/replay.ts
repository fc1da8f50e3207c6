import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import { writeOperation } from "../operation.ts";

export const operations = {
  run: writeOperation({
    summary: "Replay a recorded session offline and report where it differs from the recording",
    input: object({
      session: string("A session id or a prefix of it, latest, or the file of a recording"),
      from: optional(integer("First turn to show; earlier turns are replayed without output", { minimum: 1 })),
      liveTools: optional(flag("Really run the tools of the shown turns")),
    }),
    needs: ["config", "replayView"],
    async run({ session, from = 1, liveTools = false }, { config, replayView }, { cwd, principal, signal, report }) {
      const { replaySession } = await import("../../runtime/replay-session.ts");
      return replaySession(config, {
        recording: session,
        cwd,
        principal,
        from,
        liveTools,
        signal,
        say: (message) => report({ message }),
        ...replayView,
      });
    },
  }),
};
