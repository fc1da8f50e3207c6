import assert from "node:assert/strict";

/** Polls until the condition is true. Gives up after a minute, so that a failing test also ends. */
export async function eventually(condition: () => boolean | Promise<boolean>, message?: string): Promise<void> {
  for (let poll = 0; poll < 6_000; poll++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(message ?? `never true: ${String(condition)}`);
}
