import assert from "node:assert/strict";
import { test } from "node:test";

import { type ContainerSettings, plainName, planContainer } from "./container-plan.ts";

test("`plainName` returns short plain names that differ for different texts", () => {
  assert.equal(plainName("ses_abc-1.2"), "ses_abc-1.2");
  const texts = [
    "",
    ".",
    "..",
    "../x",
    "A",
    "a b",
    "a-b",
    "é",
    "x".repeat(63),
    "x".repeat(64),
    "x".repeat(65),
    "-",
    "a\nb",
    "/",
  ];
  const names = texts.map(plainName);
  assert.equal(new Set(names).size, texts.length);
  for (const name of names) assert.match(name, /^[a-z0-9][a-z0-9_.-]{0,62}$/u);
});

const settings: ContainerSettings = {
  image: "small",
  cpus: 1,
  memoryMb: 512,
  diskMb: 1_000,
  isPersistent: true,
  isKeptAcrossPrograms: true,
  sandboxFolder: "/home/me/sandboxes",
  volumes: [],
  extraArgs: [],
  readOnly: [],
  hasNetwork: false,
  shmSize: "1g",
  lifetimeMs: 60_000,
};

test("containers with the same persistent folders have the same host name, whatever their other settings", () => {
  const hostName = (changes: Partial<ContainerSettings>, key = "20260101_000000_abc") => {
    const plan = planContainer({ ...settings, ...changes }, { home: "/home/me", profile: "default", key });
    const args = plan.runArguments(new Set(), false);
    return args.includes("--hostname") ? args[args.indexOf("--hostname") + 1] : undefined;
  };
  assert.equal(hostName({}), hostName({ readOnly: [{ from: "/a", to: "/b" }], memoryMb: 1_024 }));
  assert.match(hostName({}) ?? "", /^hermes-20260101-000000-abc-[0-9a-f]{8}$/u);
  const names = ["a_b", "a-b", "x".repeat(70), `${"x".repeat(70)}y`].map((key) => hostName({}, key) ?? "");
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z0-9][a-z0-9-]{0,62}$/u);
  assert.equal(hostName({ isPersistent: false }), undefined);
  assert.equal(hostName({ extraArgs: ["--hostname=own"] }), undefined);
});
