/**
 * Returns why an expression may not run under `browser.restrict_evaluate`. The engine itself refuses expressions with
 * side effects; this check refuses expressions that read identifying data.
 */
export function evaluateRefusal(expression: string): string | undefined {
  const [word] = forbidden.exec(expression) ?? [];
  if (word === undefined) return undefined;
  return `The expression uses ${word.trim()}, and browser.restrict_evaluate forbids it. Use the page itself, or ask the user to set browser.allow_unsafe_evaluate.`;
}

const forbidden =
  /\b(?:cookie|cookieStore|localStorage|sessionStorage|indexedDB|caches|credentials|fetch|XMLHttpRequest|sendBeacon|WebSocket|WebTransport|EventSource|RTCPeerConnection|importScripts|eval|Function|serviceWorker|clipboard|postMessage|BroadcastChannel|Worker|SharedWorker)\b|\bimport\s*\(|\\[ux]|\[\s*["'`]/u;
