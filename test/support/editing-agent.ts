import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Session } from "../../src/contracts/session/runtime.ts";
import { call } from "./obedient-model.ts";

/**
 * Adds lines to the files, one per round and file, alternately with write_file, a replacement and a patch. After a
 * refused call it reads the file again, as a model would. Returns the number of refusals.
 */
export async function addLines(
  session: Session,
  { name, rounds, files, folder }: { name: string; rounds: number; files: readonly string[]; folder: string },
): Promise<number> {
  let refusals = 0;
  for (let round = 0; round < rounds; round++)
    for (const file of files) {
      const line = `${name}-${round}`;
      for (let attempt = 0; ; attempt++) {
        assert.ok(attempt < 200, `${line} was refused 200 times`);
        await call(session, "read_file", { path: file });
        const text = await readFile(join(folder, file), "utf8");
        // Another program may have changed the file after the read: the tool must detect it.
        const answer = await call(
          session,
          ...(editings[(round + attempt) % editings.length] ?? byWriting)(file, text, line),
        );
        if (!/\\"(?:files_modified|success)\\":/u.test(answer)) {
          refusals++;
          assert.match(
            answer,
            /changed since you last saw it|changed by somebody else|Nothing was (?:written|changed)/u,
          );
          continue;
        }
        break;
      }
    }
  return refusals;
}

type Editing = (file: string, text: string, line: string) => readonly [string, Record<string, string>];

const byWriting: Editing = (path, text, line) => [
  "write_file",
  { path, content: text.replace(/end\n$/u, `${line}\nend\n`) },
];

const editings: readonly Editing[] = [
  byWriting,
  (path, _, line) => ["patch", { path, old_string: "end\n", new_string: `${line}\nend\n` }],
  (path, _, line) => [
    "patch",
    { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-end\n+${line}\n+end\n*** End Patch` },
  ],
];
