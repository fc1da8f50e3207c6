import assert from "node:assert/strict";
import { test } from "node:test";

import { looksLikeServer } from "./foreground.ts";

for (const command of [
  "npm run dev",
  "cd app && PORT=3 pnpm start",
  "npx vite --host",
  "vite",
  "uvicorn app:app --reload",
  "python3 -m http.server 8000",
  "docker compose -f x.yml up",
  "next dev",
  "tsc --watch",
  "tail -n 5 -f log",
]) {
  test(`${command} looks like a server`, () => assert.ok(looksLikeServer(command)));
}

for (const command of [
  "npm run build",
  "vite build",
  "docker compose up -d",
  "npm test",
  "cat nodemon.json",
  "grep vite x",
  "tail -5 log",
]) {
  test(`${command} does not look like a server`, () => assert.ok(!looksLikeServer(command)));
}
