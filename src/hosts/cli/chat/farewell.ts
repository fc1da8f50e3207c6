import type { SessionId } from "../../../base/ids.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { durationText } from "../../../base/text/time-text.ts";
import type { ProcessHandle } from "../../../contracts/environment/environment.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { wrap } from "../table.ts";
import { withoutControls } from "../without-controls.ts";

interface EndedChat {
  readonly deleted?: SessionId;
  /** Queued prompts that were not sent. */
  readonly unsent: readonly string[];
  readonly lastedMs: number;
}

/** The last lines of a chat: what ends with it, and how to resume its session. */
export async function farewellText(
  session: Session,
  ended: EndedChat,
  ctx: CliContext,
  translate = (text: string) => text,
): Promise<string> {
  const { unsent } = ended;
  const running = await runningProcesses(session);
  const lines = [
    ...(unsent.length > 0
      ? [
          translate(`${plural(unsent.length, "queued prompt")} not sent, kept for the next time:`),
          ...unsent.map(shortened),
        ]
      : []),
    ...(running.length > 0 ? [translate(`${plural(running.length, "background process")} stopped:`)] : []),
    ...running.map(({ id, command }) => shortened(`${id} ${command}`)),
  ];
  const [kept, ...resume] = await resumeLines(session, ended);
  const dim = kept === undefined ? [] : [wrap(translate(kept), ctx.io.columns), ...resume.map(translate)];
  const { paint } = ctx;
  return [...lines.map((line) => paint.warn(line)), ...dim.map((line) => paint.dim(line))]
    .map((line) => `${line}\n`)
    .join("");
}

function shortened(text: string): string {
  return `  ${oneLine(withoutControls(text), 160)}`;
}

/** The processes that end with this program. A remote backend that does not answer must not delay the exit. */
async function runningProcesses(session: Session): Promise<readonly ProcessHandle[]> {
  if (session.heldBy !== undefined || session.place().backend !== "local") return [];
  const signal = AbortSignal.timeout(listMs);
  try {
    const own = (await session.processes(signal)).filter(({ owner }) => !owner.isKept);
    const endings = await Promise.all(own.map((handle) => handle.ending(signal)));
    return own.filter((_, index) => endings[index] === undefined);
  } catch {
    return [];
  }
}

const listMs = 2_000;

/** Empty if there is nothing to resume. */
async function resumeLines(session: Session, { deleted, lastedMs }: EndedChat): Promise<readonly string[]> {
  if (deleted !== undefined)
    return [`Session ${deleted} was deleted. Restore it within a day: hermes sessions undelete ${deleted}`];
  const { messages, title } = await session.record();
  if (messages === 0 || session.heldBy !== undefined) return [];
  const called = title === undefined ? "" : ` as "${withoutControls(title)}"`;
  return [
    `${plural(messages, "message")} saved${called}, ${durationText(lastedMs)} here.`,
    `Resume: hermes -r ${session.id}`,
  ];
}
