import { z } from "zod";

import { maxMessageChars } from "../../contracts/session/session-mail.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "sessions_send",
  toolset: "sessions",
  description:
    "Write to another session. Name it by id or title (session_search lists them). The agent there gets it " +
    "between its steps or in its next turn, if the user permits it, and can answer the same way. Do not wait for an answer.",
  emoji: "📨",
  input: z.object({
    session: z.string().min(1).describe("Id or title"),
    message: z.string().min(1).describe("Complete: the other agent does not see this conversation"),
  }),
  needs: ["sessionMail"],
  effects: ({ session }) => [{ kind: "spawn", agent: `session ${session}` }],
  async run({ session, message }, { sessionMail }) {
    if (message.trim() === "") return fail("message is empty.", "invalid_args");
    if (message.length > maxMessageChars)
      return fail(
        `message has ${message.length} characters; ${maxMessageChars} are allowed. Write the text to a file and send its path.`,
        "invalid_args",
      );
    const sent = await sessionMail.send(session, message);
    if (!sent.ok) return fail(`The message was not sent: ${sent.error}.`);
    const { id, sessionId, title } = sent.value;
    return json({
      sent: true,
      message_id: id,
      session_id: sessionId,
      ...(title !== undefined && { title }),
      note: "It is stored and waits for that session. An answer would arrive as a message.",
    });
  },
});
