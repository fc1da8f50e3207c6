import { reasonOf } from "../../base/result.ts";
import type { ServiceFault } from "../hosted/service-fault.ts";

export interface ModalFault extends ServiceFault {
  /** `gone`: the object no longer exists or is in the wrong state; nothing was done. */
  readonly kind: "settings" | "gone" | "unclear" | "aborted";
}

/** Maps an error of the SDK: its own error classes, or gRPC errors with a status code. */
export function modalFault(thrown: unknown): ModalFault {
  const name = thrown instanceof Error ? thrown.name : "";
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  // The gRPC details, without the path of the method.
  const details = thrown instanceof Error && "details" in thrown ? thrown.details : undefined;
  const reason = typeof details === "string" && details !== "" ? details : reasonOf(thrown);
  if (code === unauthenticated || code === denied || reason.includes("missing credentials")) {
    return {
      kind: "settings",
      message: `Modal does not accept the credentials: ${reason}`,
      hint: "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET; `modal token new` creates a pair.",
    };
  }
  if (code === "ERR_MODULE_NOT_FOUND") {
    return {
      kind: "settings",
      message: `the SDK of Modal cannot be loaded: ${reason}`,
      hint: "Reinstall Hermes with all of its packages.",
    };
  }
  if (code === exhausted || name === "ResourceExhaustedError") {
    return {
      kind: "unclear",
      message: `a Modal limit is exceeded: ${reason}`,
      hint: "Wait and try again, or raise the limits of the workspace.",
    };
  }
  if (code === notFound || code === failedPrecondition || goneNames.includes(name))
    return { kind: "gone", message: reason };
  if (code === invalid || name === "InvalidError") {
    return { kind: "settings", message: `Modal refuses: ${reason}`, hint: "Check the terminal settings for modal." };
  }
  if (reason.startsWith("Image build")) {
    return { kind: "settings", message: reason, hint: "Check modal_image." };
  }
  return {
    kind: "unclear",
    message: `Modal cannot be reached: ${reason}`,
    hint: "Check the network, and the status page of Modal; then try again.",
  };
}

const goneNames: readonly string[] = ["NotFoundError", "ConflictError", "ClientClosedError"];

// gRPC status codes.
const invalid = 3;
const notFound = 5;
const denied = 7;
const exhausted = 8;
const failedPrecondition = 9;
const unauthenticated = 16;
