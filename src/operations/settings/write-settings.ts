import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { setValues } from "../../config/write.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import { configFault } from "./config-fault.ts";

type Changes = Parameters<typeof setValues>[1];

/** Writes settings to config.yaml. A value of `undefined` removes the setting. */
export async function writeSettings(
  { home }: LoadedConfig,
  changes: Changes,
  { signal, clock }: Pick<OperationContext, "signal" | "clock">,
): Promise<Result<{ readonly file: string; readonly changed: boolean }, OperationFault>> {
  const { setValues: write } = await import("../../config/write.ts");
  const written = await write(home, changes, { signal, clock });
  return written.ok ? ok(written.value) : err(configFault(written.error));
}
