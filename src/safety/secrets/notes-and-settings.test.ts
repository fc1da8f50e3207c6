import assert from "node:assert/strict";
import { test } from "node:test";

import { createRedactor, redactSecrets } from "./redact.ts";

const value = "kT4mpQ9x";

test("a password in a note is masked, whatever stands between it and its name", () => {
  const notes = [
    `ssh bob@10.0.0.5 password ${value}`,
    `ID bob@example.org Password ${value}`,
    `password in staging is ${value}`,
    `pwd of bob is ${value}`,
    `${value} is the password`,
    `ID/PW: bob/${value}`,
    `(ID & PWD) bob/${value}`,
    `10.0.0.5 (bob/${value})`,
    `password(${value})`,
    `password(default: ${value})`,
    `-User:bob -Password:${value}`,
    `P/W: ${value}`,
    `paasword: ${value}`,
    `비번: ${value}`,
    `SRVpassword=${value}`,
    `adminsecret=${value}`,
    `pwd2-string : ${value}`,
    `  APP_PASSWORD=${value}    # for tests`,
  ];
  assert.deepEqual(
    notes.filter((note) => redactSecrets(note, "log").includes(value)),
    [],
  );
});

test("a value after `? … :` or `||` is masked like an assigned one", () => {
  const generated = "9fK2mZ7qRt4Lw8Xc1Vb6";
  for (const text of [
    `password = ENV["X"] ? ENV["X"] : "${generated}"`,
    `define("TOKEN", getenv("T", true) ? getenv("T") : "${generated}");`,
    `const token = process.env.TOKEN || "${generated}";`,
  ]) {
    assert.ok(!redactSecrets(text, "file").includes(generated), text);
  }
  assert.ok(!redactSecrets("const password = isProd ? prodPassword : 'hunter22';", "log").includes("hunter22"));
});

test("words and references next to such a name stay visible", () => {
  for (const text of [
    "const label = isShown ? 'Hide password' : 'Show password';",
    "return password ? password : undefined;",
    "password reset Base64Encoder",
    "10.0.0.5 (api/v2Users)",
    "REACT_APP_FORGOT_PASSWORD=$BASE_URL/forgot_password",
    '\\$pwd = \\$_POST[\\"password\\"];',
    "id/password: required/optional",
  ]) {
    assert.equal(redactSecrets(text, "log"), text);
  }
});

test("in a file of settings every password is masked; in code only generated ones are", () => {
  const text = "password: hunter2\n";
  const redactor = createRedactor([]);
  for (const path of [".env", "config/database.yml", "/srv/app/application-prod.yml", "appsettings.json", "x.tfvars"])
    assert.equal(redactor.redact(text, "file", { path }), "password: ***\n", path);
  for (const path of ["src/app.ts", ".env.example", "README.md", "docs/database.md"])
    assert.equal(redactor.redact(text, "file", { path }), text, path);
});
