import { systemClock } from "../../../base/clock.ts";
import type { Skin } from "../../../contracts/host/skin.ts";
import { servicesOf } from "../../../operations/operation.ts";
import { createRunner } from "../../../operations/run-operation.ts";
import type { OpenedChat } from "../chat/open-chat.ts";
import type { CliContext } from "../command.ts";
import { withoutControls } from "../without-controls.ts";

/** A skin by name. A skin that cannot be read is reported, and the default skin is used. */
export async function loadSkin(
  name: string,
  { runtime }: Pick<OpenedChat, "runtime">,
  { principal, signal, cwd }: CliContext,
  say: (sentence: string) => void,
): Promise<Skin> {
  const context = { principal, signal, clock: systemClock, cwd, report() {} };
  const run = createRunner(
    servicesOf(() => runtime.services, {}),
    context,
  );
  const read = await run("skins.show", { name });
  if (read.ok) return read.value.skin;
  say(withoutControls(read.error.message));
  const fallback = await run("skins.show", { name: "default" });
  if (!fallback.ok) throw new Error(fallback.error.message);
  return fallback.value.skin;
}
