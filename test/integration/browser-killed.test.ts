// covers: src/browser/launch, src/browser/sessions, src/runtime/browser, src/base/process
import { test } from "node:test";

import { killBrowserOwner } from "../support/killed-browsers.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });

test("after kill -9 no browser process, profile lock or temporary folder is left", { skip }, async () => {
  await killBrowserOwner(false);
  await killBrowserOwner(true);
});
