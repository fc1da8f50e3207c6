import type { Settings } from "../../../operations/settings/load-settings.ts";

/** Whether the settings select the plain chat. */
export function isPlain({ values }: Settings): boolean {
  return values.display.interface === "plain" || values.display.interface === "cli";
}
