import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";

/** The failure of a call that was interrupted before it started. */
export function cancelled(tool: string): ToolFailure {
  return fail(`${tool} was cancelled before it started; nothing was done`, "aborted").error;
}
