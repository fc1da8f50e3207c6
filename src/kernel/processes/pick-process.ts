import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ProcessFault, ProcessHandle } from "../../contracts/environment/environment.ts";

/** The one that is meant by an id, or by four and more of its digits. A fault says what there is. */
export function pickProcess(id: string, handles: readonly ProcessHandle[]): Result<ProcessHandle, ProcessFault> {
  const text = id.trim();
  const digits = text.replace(/^proc_/u, "");
  const exact = handles.find((handle) => handle.id === text);
  if (exact) return ok(exact);
  const alike = digits.length < minDigits ? [] : handles.filter((handle) => handle.id.startsWith(`proc_${digits}`));
  const [only] = alike;
  if (only && alike.length === 1) return ok(only);
  const shown = JSON.stringify(oneLine(text, 60));
  if (alike.length > 1)
    return err({ message: `${shown} is the beginning of several: ${listed(alike)}. Give more digits.` });
  const short = digits.length < minDigits && digits !== "" ? ` A beginning needs ${minDigits} digits or more.` : "";
  return err({
    message: `There is no background process ${shown}.${short} ${
      handles.length === 0
        ? "None is there: start one with terminal and background: true."
        : `There are: ${listed(handles)}.`
    }`,
  });
}

const minDigits = 4;
const maxListed = 10;

/** Newest first. */
function listed(handles: readonly ProcessHandle[]): string {
  const shown = handles
    .toReversed()
    .slice(0, maxListed)
    .map(({ id, command }) => `${id} (${oneLine(command, 40)})`);
  const more = handles.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
