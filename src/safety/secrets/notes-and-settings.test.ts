import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
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

/** The secrets that stay visible in a log. */
function visible(cases: readonly (readonly [text: string, secret: string])[]): readonly string[] {
  return cases.filter(([text, secret]) => redactSecrets(text, "log").includes(secret)).map(([text]) => text);
}

test("passwords in notes, words and phrases as passwords, and keys below the name of their use are masked", () => {
  const key = "8f7e6d5c4b3a29180f9e8d7c6b5a4f3e";
  assert.deepEqual(
    visible([
      ["new root pw on web-3: 4Wq!zT9m, please rotate it", "4Wq!zT9m"],
      [`API key for the weather page: ${key}`, key],
      ["the staging login is admin / Mango-Tango7", "Mango-Tango7"],
      ["creds: svc-report / yT7#kLp2wQ", "yT7#kLp2wQ"],
      ['I set the passphrase to "copper kettle morning fog"', "copper kettle"],
      ["password = 'open sesame'", "open sesame"],
      ["  username: robot\n  password: grapes-of-math\n", "grapes-of-math"],
      ['{"user":"ann","passwd":"Orchid.Frost"}', "Orchid.Frost"],
      ["<password> wordsInCamel </password>", "wordsInCamel"],
      ["?user=bob&password=super_secret", "super_secret"],
      [`encryption:\n  mode: gcm\n  key: ${key}\n`, key],
      ["two_factor: 771204", "771204"],
      ["User login failed with password=secret123", "secret123"],
      [`code_verifier=${key}${key}`, key],
      [`appkey=${key}`, key],
      [`"kty":"oct",\n "k":"ByN2TzsQqczEghAme4vnk2rz\n   LPcxWNlprR-FtuKRMs"`, "LPcxWNlprR"],
      ["?next=%2Fx%3Faccess_token%3DnG_4.C7k-2.9TwQ%26p%3Dq", "nG_4.C7k-2.9TwQ"],
      ['["redis-server", "--requirepass", "h8Gf3Kd0Lq"]', "h8Gf3Kd0Lq"],
      ['new PDO("mysql:host=db", "shop", "Harbor-Lights2")', "Harbor-Lights2"],
      ["npm_abcdefghijklmnopqrst in a test", "npm_abcdefghijklmnopqrst"],
      ['secret = "m{{h}o)p${e]nob(ody[finds>-_$#thisone}}"', "thisone"],
    ]),
    [],
  );
  const connection = 'var text = "Server=tcp:db;User ID=sa;Password=Ivy_Trellis6;Encrypt=true";';
  assert.ok(!redactSecrets(connection, "file").includes("Ivy_Trellis6"), "in code too");
});

test("passwords of directives, calls and sentences in other languages are masked", () => {
  assert.deepEqual(
    visible([
      ["ssl.keystore.password=Marsh.Mallow6\n", "Marsh.Mallow6"],
      ["app --mysqld.password=Heath.Moor8 --port=1", "Heath.Moor8"],
      ["deploy:\n\tAPI_TOKEN=9wQz1LwVbN3xTy5K ./deploy.sh\n", "9wQz1LwVbN3xTy5K"],
      ['proxy_set_header Authorization "Basic YWRtaW46SGF6ZWwtTnV0LTk=";', "YWRtaW46SGF6ZWwtTnV0LTk="],
      ['AuthLDAPBindPassword "Thorn&Rose7"', "Thorn&Rose7"],
      ['storePassword "Cobalt-Fjord2"', "Cobalt-Fjord2"],
      ['smtp.login("robot@example.org", "Velvet-Crow-8")', "Velvet-Crow-8"],
      ['sql.Open("mysql", "app:Tulip_Field9@tcp(10.0.0.4:3306)/shop")', "Tulip_Field9"],
      ["OTP for your transaction is 904417", "904417"],
      ["la contraseña del wifi es Girasol_2026", "Girasol_2026"],
      ["пароль от сервера: Берёза-77", "Берёза-77"],
      ["ログインパスワードは Sakura-2026 です", "Sakura-2026"],
      ["recovery codes: 8f3k-92ks", "8f3k-92ks"],
      ["Enter the password for CORP\\admin: Papaya+42", "Papaya+42"],
      ["    DefaultPassword    REG_SZ    Cactus88bloom", "Cactus88bloom"],
      ["crypto isakmp key Drift-Wood-55 address 203.0.113.9", "Drift-Wood-55"],
      ["for the demo: user demo, pass Clay.Pot.19", "Clay.Pot.19"],
      ["AuthenticationError: AUTH 9vLmT4bRw1By failed", "9vLmT4bRw1By"],
      ["mount -o username=ops,password=Gannet.Dive3,vers=3.0", "Gannet.Dive3"],
      ['ENV["SMTP_PASSWORD"] ||= "Dipper-Stream7"', "Dipper-Stream7"],
      ['Configuration["Jwt:Key"] = "7Kq9vLmT4bRw1ByNh7KxGd5Jf8sPcQ2W"', "7Kq9vLmT4bRw1ByN"],
      ['new MongoCredential("app", "admin", "Godwit-Bill6".toCharArray())', "Godwit-Bill6"],
      [`api.openweathermap.org/data?q=Oslo&appid=9f2c4e61b7a80d35c1e9f04b6a7d2c88`, "9f2c4e61b7a80d35"],
      ["# pw Redshank-9 until friday", "Redshank-9"],
      ["the login?\nadmin / Sanderling#2", "Sanderling#2"],
      ["iwconfig wlan0 essid home key s:Bramble99", "Bramble99"],
      ["seed phrase: ribbon orchard velvet lamp cousin dust gallop moral onion pepper quick river", "gallop moral"],
    ]),
    [],
  );
});

test("references, settings and words about passwords stay visible", () => {
  for (const text of [
    "the value to pass to `resolveCommand` first",
    "    update_password: on_create\n",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-9xKqTz",
    "INSERT INTO users (email, password) VALUES ('a@b.org', '$2b$12$KIXQ0Yp5Q8v1m2n3o4p5qOeR6s7t8u9v0w1x2y3z4A5B6C7D8E9F0');",
    "password = 'Must be at least eight characters'",
    "encryption:\n  key: KMS\n",
    "password: \"{{ lookup('env', 'DB_PASSWORD') }}\"",
    'password = "somefakekey"',
    "password=test123",
    "writing new private key to '/home/ann/pki/easy-rsa-5515.0PwyXl/tmp.g1c6u6'",
    "server: AUTH CRAM-MD5 and AUTH LOGIN are supported",
    "password=request.form.Password1",
    "Failed password for invalid user admin from 203.0.113.7 port 51234 ssh2",
    "| password | password of the user | (empty) |",
    "connect(password=super_secret, user=bob)",
    'cs = "Server=db;User Id=sa;Password=myPassword1;"',
  ])
    assert.equal(redactSecrets(text, "log"), text);
});

test("the search for them takes linear time", async () => {
  for (const piece of [
    '"kty":"oct","k":"abcdefghijklmnopqrst ',
    "encryption:\n  a: b\n",
    "server=a;",
    "creds: bob / ",
    "npm_abcdefghij",
    "pw on a b c ",
    "otp for a b c is ",
    '.login("a", "',
    " a:@tcp(",
    '"a:a:key',
    "seed: abc abc ",
    "admin / a",
    "openweathermap.org/?appid=",
    "AUTH ",
    "user bob, pass ",
    'token to "',
    "access_token%3D",
    "{{",
    "${a",
    "password=a_secret ",
    'PDO("a", "b", "',
  ])
    await assertGrowsLinearly(40_000, (size) => redactSecrets(piece.repeat(size / piece.length), "log"), piece);
});
