import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import { type FormField, formFault, typedValue } from "./form.ts";

const several: FormField = {
  kind: "choice",
  name: "days",
  isRequired: false,
  hasSeveral: true,
  min: 1,
  max: 2,
  choices: [
    { value: "2", title: "Monday, early" },
    { value: "1", title: "Tuesday" },
    { value: "3", title: "Friday" },
  ],
};
const text = (more: object): FormField => ({ kind: "text", name: "t", isRequired: true, ...more });

test("typed text becomes the value of its field, or an error phrase that says what is missing", () => {
  for (const [field, typed, value] of [
    [text({}), " a b ", ok("a b")],
    [text({ format: "email" }), "anna@example.org", ok("anna@example.org")],
    [text({ format: "date" }), "2026-02-28", ok("2026-02-28")],
    [text({ format: "date-time" }), "2026-02-28T10:00:00+01:00", ok("2026-02-28T10:00:00+01:00")],
    [{ kind: "number", name: "n", isRequired: true, isWhole: true }, "12", ok(12)],
    [{ kind: "number", name: "n", isRequired: true, isWhole: true }, "1.5", err("it must be a whole number")],
    [{ kind: "number", name: "n", isRequired: true, isWhole: false, max: 2 }, "2.5", err("it must be at most 2")],
    [{ kind: "number", name: "n", isRequired: true, isWhole: false }, "two", err("it must be a number")],
    [{ kind: "yes_no", name: "y", isRequired: true }, "No", ok(false)],
    [{ kind: "yes_no", name: "y", isRequired: true }, "perhaps", err("it must be yes or no")],
    [several, "2", ok(["2"])],
    [several, "tuesday, 3", ok(["1", "3"])],
    [several, "Monday, early", ok(["2"])],
    [several, "1,2,3", err("choose at most 2")],
    [several, "1,1", err("each must be one of the choices, and none twice")],
    [{ ...several, hasSeveral: false }, "friday", ok("3")],
    [{ ...several, hasSeveral: false }, "4", err("it must be one of the choices")],
  ] as const satisfies readonly (readonly [FormField, string, unknown])[])
    assert.deepEqual(typedValue(field, typed), value, typed);
  for (const [format, typed] of [
    ["email", "anna@"],
    ["uri", "example"],
    ["date", "2026-02-30"],
    ["date-time", "2026-02-28 10:00"],
  ])
    assert.ok(!typedValue(text({ format }), typed ?? "").ok, typed);
});

test("values that a program supplied are checked against the whole form", () => {
  const form = { fields: [text({ maxChars: 3 }), several] };
  assert.equal(formFault(form, { t: "abc", days: ["1"] }), undefined);
  assert.equal(formFault(form, { t: "abc" }), undefined);
  assert.equal(formFault(form, { t: "abcd" }), "t: it may have at most 3 characters");
  assert.equal(formFault(form, {}), "t: a value is needed");
  assert.equal(formFault(form, { t: "abc", more: 1 }), "there is no field more");
  assert.equal(formFault(form, { t: "abc", days: "1" }), "days: each must be one of the choices, and none twice");
});
