import type { LoadedConfig } from "../config/load.ts";
import type { Schema } from "../contracts/host/input-schema.ts";
import type { Operation, OperationContext, OperationOutcome } from "../contracts/host/operation.ts";
import type { Session } from "../contracts/session/runtime.ts";
import type { SessionSearch } from "../contracts/session/session-search.ts";
import type { SessionStore } from "../contracts/session/session.ts";
import type { StoreUpkeep } from "../contracts/session/store-upkeep.ts";

/** What operations work on, by name. A host has openers for those that it can offer. */
export interface OperationServices {
  readonly config: LoadedConfig;
  /** Undefined while there is no session: reading creates no store. */
  readonly sessions: SessionStore | undefined;
  readonly storeUpkeep: StoreUpkeep | undefined;
  readonly sessionSearch: SessionSearch;
  /** The live session that the caller is in. */
  readonly session: Session;
}

export type OperationService = keyof OperationServices;

/** Called when an operation first needs the service; what it opens, its owner closes. */
export type ServiceOpeners = {
  readonly [Name in OperationService]?: () => OperationServices[Name] | Promise<OperationServices[Name]>;
};

/** Any operation, for code that lists or runs them by name. The runner hands over exactly what `input` and `needs` say. */
export interface AnyOperation {
  readonly summary: string;
  readonly input: Schema<unknown>;
  readonly needs: readonly OperationService[];
  readonly effect: "read" | "write";
  run(input: never, services: never, ctx: OperationContext): Promise<OperationOutcome>;
}

/** Heavy modules are imported inside `run`: a host loads the operations of a noun to run one of them. */
export function defineOperation<Input, Outcome extends OperationOutcome, const Need extends OperationService>(
  operation: Operation<Input, Outcome, OperationServices, Need>,
): Operation<Input, Outcome, OperationServices, Need> {
  return operation;
}
