/** One action of a traced browser. No text contains a secret. */
export interface TraceStep {
  /** The time in ISO format. */
  readonly startedAt: string;
  readonly tookMs: number;
  /** `click @e4`. */
  readonly action: string;
  readonly url?: string;
  /** The text that the model read, or the failure. */
  readonly result: string;
  readonly isFailed: boolean;
  /** New lines of the console. */
  readonly console: readonly string[];
  /** A screenshot of the page after the action. */
  readonly picture?: { readonly mimeType: string; readonly data: string };
}

/** Page text is untrusted: the content security policy of the trace allows no script and no request. */
export function traceHead(name: string, startedAt: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Browser trace ${escaped(name)}</title><style>
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif } body { margin: 1rem auto; max-width: 1200px; padding: 0 1rem }
section { border-top: 1px solid #8886; padding: .6rem 0; display: grid; grid-template-columns: 1fr 2fr; gap: 1rem }
h2 { font-size: 1rem; margin: 0 } .failed h2 { color: #c33 } small, .url { color: #888; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20rem; overflow: auto; background: #8881; padding: .5rem; margin: .4rem 0 }
img { max-width: 100%; border: 1px solid #8886 } @media (max-width: 700px) { section { grid-template-columns: 1fr } }
</style></head><body><h1>Browser trace</h1><p>${escaped(name)}, started ${escaped(startedAt)}. Typed text is left out; pictures show what was visible on the page.</p>
`;
}

export function traceStep(step: TraceStep, number: number): string {
  const { picture } = step;
  const image =
    picture === undefined || !/^image\/(?:png|jpeg|webp)$/u.test(picture.mimeType) || !/^[\w+/=]*$/u.test(picture.data)
      ? ""
      : `<img alt="The page after step ${number}" src="data:${picture.mimeType};base64,${picture.data}">`;
  const lines = step.console.length === 0 ? "" : `<h3>Console</h3><pre>${escaped(step.console.join("\n"))}</pre>`;
  return `<section id="step-${number}"${step.isFailed ? ' class="failed"' : ""}><div><h2>${number}. ${escaped(step.action)}</h2><small>${escaped(step.startedAt)} · ${Math.round(step.tookMs)} ms</small><div class="url">${escaped(step.url ?? "")}</div><pre>${escaped(step.result)}</pre>${lines}</div><div>${image}</div></section>
`;
}

/** Also escapes control characters and those that change the text direction, which could hide text. */
function escaped(text: string): string {
  return text
    .replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
