import { abortable, linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { err } from "../../base/result.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { Asker } from "../../contracts/host/ports.ts";

/**
 * Limits the time of questions: unanswered questions and forms end with the reason `timeout`, even if the host ignores
 * the limit.
 */
export function boundedAsker(asker: Asker, timeoutMs: number, clock: Clock): Asker {
  async function inTime<T>(
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | ReturnType<typeof unanswered>> {
    using link = linkAbort(signal);
    const isOver = { value: false };
    using _timer = clock.after(timeoutMs, () => {
      isOver.value = true;
      link.abort(new DOMException(`nobody answered within ${durationText(timeoutMs)}`, "TimeoutError"));
    });
    const given = await abortable(work(link.signal), link.signal).catch(() => unanswered("aborted"));
    return isOver.value ? unanswered("timeout") : given;
  }
  return {
    ...asker,
    ask: (question, signal) => inTime((linked) => asker.ask({ timeoutMs, ...question }, linked), signal),
    fillIn: (form, signal) => inTime((linked) => asker.fillIn(form, linked), signal),
  };
}

function unanswered(reason: "timeout" | "aborted") {
  return err({ reason });
}
