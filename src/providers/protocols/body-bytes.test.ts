import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { JsonObject } from "../../base/json.ts";
import { createBodyWriter } from "../provider.ts";

test("a body is serialised exactly as by JSON.stringify, even when cached parts are used again", () => {
  const write = createBodyWriter();
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
      // Safe cast: the value consists of JSON values.
      const json = body as JsonObject;
      assert.equal(write(json).toString(), JSON.stringify(json));
      assert.equal(
        write({ ...json, messages: [json, json] }).toString(),
        JSON.stringify({ ...json, messages: [json, json] }),
      );
    }),
  );
});
