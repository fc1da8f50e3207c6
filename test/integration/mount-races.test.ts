// covers: src/safety, src/environments
import assert from "node:assert/strict";
import { test } from "node:test";

import { mountRaces, raceMounts } from "../support/mount-races.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ bwrap: "bubblewrap", python3: "python3" });

for (const name of Object.keys(mountRaces)) {
  test(`while a sandbox is being set up, ${name}: nothing outside is reached`, { skip }, async () => {
    const { escapes, broken } = await raceMounts(name, 4);
    assert.deepEqual({ escapes, broken }, { escapes: [], broken: [] });
  });
}
