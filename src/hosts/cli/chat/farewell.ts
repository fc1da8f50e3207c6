import type { SessionId } from "../../../base/ids.ts";
import { plural } from "../../../base/text/text.ts";
import { durationText } from "../../../base/text/time-text.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { wrap } from "../table.ts";
import { withoutControls } from "../without-controls.ts";

/** The last lines of a chat: how to resume its session. Empty if there is nothing to resume. */
export async function farewellText(
  session: Session,
  { deleted, lastedMs }: { readonly deleted?: SessionId; readonly lastedMs: number },
  { io, paint }: CliContext,
): Promise<string> {
  if (deleted !== undefined) {
    const text = `Session ${deleted} was deleted. Restore it within a day: hermes sessions undelete ${deleted}`;
    return `${paint.dim(wrap(text, io.columns))}\n`;
  }
  const { messages, title } = await session.record();
  if (messages === 0 || session.heldBy !== undefined) return "";
  const called = title === undefined ? "" : ` as "${withoutControls(title)}"`;
  const kept = `${plural(messages, "message")} saved${called}, ${durationText(lastedMs)} here.`;
  return `${paint.dim(wrap(kept, io.columns))}\n${paint.dim(`Resume: hermes -r ${session.id}`)}\n`;
}
