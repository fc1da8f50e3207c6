import { linkAbort } from "../../base/abort.ts";
import type { AgentEventBody } from "../../contracts/event.ts";
import type { AssistantMessage } from "../../contracts/message.ts";
import type { ModelClient, ModelError, ModelFacts, ModelRequest, Usage } from "../../contracts/model.ts";

export type Asked =
  | { readonly how: "answered"; readonly message: AssistantMessage; readonly usage: Usage; readonly by: ModelFacts }
  | { readonly how: "failed"; readonly error: ModelError }
  /** The person said something that the model should hear first. */
  | { readonly how: "redirected" }
  | { readonly how: "aborted"; readonly said: string };

export interface ModelCallPorts {
  readonly model: ModelClient;
  emit(event: AgentEventBody): void;
  /** The model is being asked, and thinks for a while. */
  asking?(): void;
  /** Tells when the person redirects the turn, until it is disposed. */
  onRedirect(stop: () => void): Disposable;
}

/** Makes one request and tells what comes of it while it comes. Ends within milliseconds of an abort, whatever the client does. */
export async function askModel(
  request: Omit<ModelRequest, "model">,
  { model, emit, asking, onRedirect }: ModelCallPorts,
  signal: AbortSignal,
): Promise<Asked> {
  using link = linkAbort(signal);
  let isRedirected = false;
  using _redirect = onRedirect(() => {
    isRedirected = true;
    link.abort();
  });
  let said = "";
  const stopped = (): Asked => (isRedirected ? { how: "redirected" } : { how: "aborted", said });
  const events = model.stream(request, link.signal)[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = () => aborted.resolve(undefined);
  link.signal.addEventListener("abort", onAbort, { once: true });
  if (link.signal.aborted) return stopped();
  // Nobody asks for more, so that what it holds is let go. It is not waited for.
  using _events = { [Symbol.dispose]: () => void events.return?.().catch(() => undefined) };
  while (true) {
    const next = await Promise.race([events.next(), aborted.promise]);
    if (next === undefined || link.signal.aborted) return stopped();
    if (next.done)
      return { how: "failed", error: { kind: "malformed", message: "the model client ended without an answer" } };
    const event = next.value;
    switch (event.type) {
      case "text":
        said += event.delta;
        emit({ type: "text.delta", delta: event.delta });
        break;
      case "reasoning":
        emit({ type: "reasoning.delta", delta: event.delta });
        break;
      case "call":
        break;
      case "called":
        asking?.();
        emit({ type: "model.called", provider: event.provider, model: event.model, attempt: event.attempt });
        break;
      case "failed": {
        if (event.next !== "give_up") said = "";
        const { error, next: action, how, waitMs } = event;
        emit({ type: "model.failed", error, next: action, how, ...(waitMs !== undefined && { waitMs }) });
        break;
      }
      case "finish":
        return { how: "answered", message: event.message, usage: event.usage, by: event.by };
      case "error":
        return { how: "failed", error: event.error };
    }
  }
}
