import { err, ok, type Result } from "../../base/result.ts";
import type { CdpWire } from "./connection.ts";

/** A WebSocket of a running browser (`ws://…/devtools/browser/…`). Resolves when it is open. */
export async function openSocketWire(url: string, signal: AbortSignal): Promise<Result<CdpWire>> {
  let socket: WebSocket;
  try {
    socket = new WebSocket(url);
  } catch {
    return err({ message: `${url} is not the address of a WebSocket.` });
  }
  const hasOpened = await new Promise<boolean>((resolve) => {
    const give = (isOpen: boolean) => () => resolve(isOpen);
    socket.addEventListener("open", give(true), { once: true });
    socket.addEventListener("error", give(false), { once: true });
    socket.addEventListener("close", give(false), { once: true });
    signal.addEventListener("abort", give(false), { once: true });
    if (signal.aborted) resolve(false);
  });
  if (!hasOpened) {
    socket.close();
    return err({ message: `No browser answers at ${url}.` });
  }
  return ok({
    send: (text) => void (socket.readyState === WebSocket.OPEN && socket.send(text)),
    listen(onMessage, onEnd) {
      socket.addEventListener("message", ({ data }) => {
        if (typeof data === "string") onMessage(data);
      });
      socket.addEventListener("close", () => onEnd("the browser closed the connection"));
      if (socket.readyState !== WebSocket.OPEN) onEnd("the browser closed the connection");
    },
    close: () => socket.close(),
  });
}
