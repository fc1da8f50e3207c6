import { err, type Result } from "../base/result.ts";
import type { OperationContext, OperationFault, OperationOutcome } from "../contracts/host/operation.ts";
import { fromJsonSchema } from "../contracts/tool/json-input.ts";
import { findOperation, type InputOf, type OperationName, type OutputOf } from "./catalog.ts";
import type { AnyOperation, OpenService } from "./operation.ts";

/** Runs an operation by name with input that the compiler has checked. */
export type RunOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
) => Promise<Result<OutputOf<Name>, OperationFault>>;

export function createRunner(open: OpenService, ctx: OperationContext): RunOperation {
  return async <Name extends OperationName>(name: Name, input: InputOf<Name>) => {
    const operation = await findOperation(name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const outcome = await run(name, operation, input, open, ctx);
    // The cast is safe: the catalog maps each name to the types of its operation.
    return outcome as Result<OutputOf<Name>, OperationFault>;
  };
}

/** Like `runOperation`, for an external name and input, such as the body of a request: both are validated first. */
export async function callOperation(
  name: string,
  input: unknown,
  open: OpenService,
  ctx: OperationContext,
): Promise<OperationOutcome> {
  const operation = await findOperation(name);
  if (!operation) return err({ message: `There is no operation "${name}".` });
  const verdict = await fromJsonSchema(operation.input.json)["~standard"].validate(input);
  if (verdict.issues) {
    const faults = verdict.issues.map(({ message, path = [] }) =>
      path.length > 0 ? `${path.map(String).join(".")}: ${message}` : message,
    );
    return err({ message: `Invalid input for ${name}: ${faults.join("; ")}`, kind: "input" });
  }
  return run(name, operation, verdict.value, open, ctx);
}

async function run(
  name: string,
  { needs, run: start }: AnyOperation,
  input: unknown,
  open: OpenService,
  ctx: OperationContext,
): Promise<OperationOutcome> {
  const opening = needs.map((need) => [need, open(need)] as const);
  const missing = opening.filter(([, service]) => service === undefined).map(([need]) => need);
  if (missing.length > 0) return err({ message: `${name} is not available here: it needs ${missing.join(", ")}.` });
  const opened = await Promise.all(opening.map(async ([need, service]) => [need, await service] as const));
  // The input was checked by the compiler or by its schema, and exactly the named services were opened.
  return start(input as never, Object.fromEntries(opened) as never, ctx);
}
