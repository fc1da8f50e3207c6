// covers: test/fixtures/secrets
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { testSize } from "../../../test/support/test-size.ts";
import { createRedactor, type RedactionMode, redactSecrets } from "./redact.ts";
import { vendorTokens } from "./vendor-tokens.ts";

interface Line {
  readonly id: string;
  readonly text: string;
  readonly mode: RedactionMode;
  readonly command?: string;
  /** The values that must be masked. Empty for text that must stay unchanged. */
  readonly secrets: readonly string[];
}

const fixtures = join(import.meta.dirname, "../../../test/fixtures/secrets");
const corpus = (name: string) =>
  readFileSync(join(fixtures, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const shown = ({ text, mode, command }: Line) => redactSecrets(text, mode, command === undefined ? {} : { command });

for (const name of ["rules", "held-out", "blind"]) {
  test(`secrets of the ${name} corpus are masked, harmless lines stay unchanged`, () => {
    const lines = corpus(name);
    const secret = lines.filter(({ secrets }) => secrets.length > 0);
    const harmless = lines.filter(({ secrets }) => secrets.length === 0);
    const missed = secret.filter((line) => line.secrets.some((value) => shown(line).includes(value)));
    const damaged = harmless.filter((line) => shown(line) !== line.text);
    assert.ok(missed.length <= secret.length * 0.03, `missed: ${missed.map(({ id }) => id).join(" ")}`);
    assert.ok(damaged.length <= harmless.length * 0.01, `damaged: ${damaged.map(({ id }) => id).join(" ")}`);
  });
}

test("secrets whose names are not in a list are masked by the class of the name", () => {
  const random = "Zk3D0LXCM3EIMbgJpUNnkRtOfOueHznB";
  for (const [text, secret] of [
    ["API_TOKEN=~aB3dE9fGh1JkLm2N", "~aB3dE9fGh1JkLm2N"],
    ["password: ~Sunny7days!x", "~Sunny7days!x"],
    [`ACME_KEY=${random}`, random],
    ["export ZENITH_KEY='8f3kd92kslq0a8fj'", "8f3kd92kslq0a8fj"],
    ["DB_PW=hunter2024", "hunter2024"],
    ["root_pw: Sommer2023!", "Sommer2023!"],
    ["PGPASS=k3yb0ardCat", "k3yb0ardCat"],
    ["ACMEAPIKEY=hT7kLp9vQz2Wx8RmB", "hT7kLp9vQz2Wx8RmB"],
    ['"theapikey": "hT7kLp9vQz2Wx8RmB"', "hT7kLp9vQz2Wx8RmB"],
    ['slapi_key="hT7kLp9vQz2Wx8RmB"', "hT7kLp9vQz2Wx8RmB"],
    ["SMTPPASS=Blue42Sky", "Blue42Sky"],
    ['{"password": "CorrectHorse"}', "CorrectHorse"],
    ["user=bob;password=BlueMoonRising;host=db", "BlueMoonRising"],
    ["token is ghp_Kq8sLp2xZv9mWn4bTr\n6yQ1w2e3r4t5y6u7i8 and more", "6yQ1w2e3r4t5y6u7i8"],
    ["key: AKIAQ3EGRIN\nM7XPLK2ZT end", "M7XPLK2ZT"],
    ["> glpat-abcdEFGH\r\n> ijkl1234MNOP56", "ijkl1234MNOP56"],
    ["Authorization: NTLM TlRMTVNTUAADAAAAGAAYAEgAAAAYABgAYAAAAA==", "TlRMTVNTUAADAAAAGAAYAEgAAAAYABgAYAAAAA=="],
    ['Authorization: Digest username="a", response="6629fae49393a05397450978507c4ef1"', "6629fae49393a053974509"],
    ['Authorization: Hawk id="dh37", mac="6R4rV5iE+NPoym+WwjeHzjAGXUtLNIxmo1vpMofpLAE="', "6R4rV5iE+NPoym"],
    ["X-GitHub-OTP: 493817", "493817"],
    ["net use Z: \\\\srv\\share P@ssw0rd9 /user:bob", "P@ssw0rd9"],
    ["net use \\\\srv\\share /user:CORP\\bob Hunter2!x", "Hunter2!x"],
    ["curl https://a.example \\\n  -H 'Accept: x' \\\n  -u developer:yqDVtkqPECriaLRi", "yqDVtkqPECriaLRi"],
    ["GET /login?user=bob&password=hunter2x HTTP/1.1", "hunter2x"],
    ["https://app.acme.io/reset?token=9f8e7d6c5b4a", "9f8e7d6c5b4a"],
  ] as const)
    assert.ok(!redactSecrets(text, "log").includes(secret), text);
});

test("a value is masked in every notation that joins it to a name", () => {
  const value = "Zk3D0LXCM3EIMbgJpUNnkRtOfOueHznB";
  const hex = "8f1e602a43f3f51850e03f43eef31c0f51411821";
  for (const text of [
    `acmeToken .= "${value}"`,
    `$acmeToken ??= "${value}"`,
    `ACME_TOKEN ::= "${value}"`,
    `api_key[] = "${value}"`,
    `let acmeToken: string = "${value}"`,
    `var acmeToken string = "${value}"`,
    `acme_token: |\n  ${value}`,
    `acme_token: >-\n  ${value}\nnext: 1`,
    `<acmeToken>\n    ${value}\n</acmeToken>`,
    `<ns:password type="text"> ${value} </ns:password>`,
    `<name>fs.acme.secret.key</name>\n  <value>${value}</value>`,
    `<key>AcmeToken</key>\n<string>${value}</string>`,
    `{"name": "ACME_TOKEN", "slotSetting": false, "value": "${value}"}`,
    `acmeToken,${value},`,
    `secret "${value}";`,
    `ourprivate_key'${value}';`,
    `myapikeyeu "${value}";`,
    `#define API_TOKEN "${value}"`,
    `buildConfigField 'String', 'API_KEY', '"${value}"'`,
    `// ${value} is the password`,
    `os.getenv("API_TOKEN", "${value}")`,
    `if (token === "${value}") {`,
    `tokens = 3\napi_tokens: ["x", "y"]\npasswords:\n  - "${value}"\n  - other`,
    `secrets = ["${value}"]`,
    `new NetworkCredential("bob", "${value}")`,
    `requests.get(url, auth=("bob", "${value}"))`,
    `Authorization: SSWS ${value}`,
    `Authorization: ${value}`,
    `OpenDSObject("ldaps://a.example", "bob", "${value}", 1)`,
    `acme key='${value}' - secret='x'`,
    `curl --proxy-user bob:${value} https://a.example`,
    `acme_key: ${hex.replaceAll("e", "a")}`,
    `"acme-key": "${hex}"`,
    `const acmeKey = "${value}";`,
    `- Secret key: ${value}`,
    `**Token**: \`${value}\``,
    `│ secret_access_key │ ${value} │`,
    `Incorrect API key provided: ${value}.`,
    `[DEBUG] auth token=[${value}]`,
    `Token(value='${value}')`,
    `api_key: Some("${value}")`,
    `builder.apiKey("${value}")`,
    `const key = process.env.API_KEY || "${value}";`,
    `jwt.sign(payload, "${value}")`,
    `createHmac("sha256", "${value}")`,
    `INSERT INTO tokens (user, token) VALUES ('bob', '${value}')`,
    `{"auth":{"key":"${value}"}}`,
    `<string name="api_key">${value}</string>`,
    `<meta name="api-key" content="${value}">`,
    `name="api_key"\r\n\r\n${value}\r\n--boundary`,
    `echo ${value} | docker login -u bob --password-stdin`,
    `doctl auth init -t ${value}`,
    `vault login ${value}`,
    `git clone https://${value}:x-oauth-basic@github.com/a/b`,
    `HASH_SALT=${value}`,
  ])
    assert.ok(!new RegExp(`${value}|${hex}|${hex.replaceAll("e", "a")}`, "u").test(redactSecrets(text, "log")), text);
});

test("passwords that people choose are masked where a setting, an element or a sentence gives them", () => {
  for (const [text, secret] of [
    ["password=cobaltPepper", "cobaltPepper"],
    ["db:\n  password: CobaltPepper\n", "CobaltPepper"],
    ["<password>cobaltPepper</password>", "cobaltPepper"],
    ["The default password is 'cobaltpepper'", "cobaltpepper"],
    ['The password for the user "bob" is "cobaltpepper".', "cobaltpepper"],
    ["Ldap password        ----   H7kIC85R#@4d", "H7kIC85R#@4d"],
    ['static_password02 = "x7maple42q"', "x7maple42q"],
    ['if password == "x7maple42q":', "x7maple42q"],
    ['environ.get("pwd", "x7maple42q")', "x7maple42q"],
    ["pword: x7maple42q", "x7maple42q"],
    ["requirepass x7maple42q", "x7maple42q"],
    ["CREATE ROLE bob LOGIN PASSWORD 'maple42q'", "maple42q"],
    ["mysql --password=GuszopARYOCV app", "GuszopARYOCV"],
    ["smtp AUTH LOGIN user=bob pass=wmmkEohksTyl", "wmmkEohksTyl"],
    ["sqlplus scott/maple42q@orcl", "maple42q"],
    ["xfreerdp /v:host /u:bob /p:maple42q", "maple42q"],
    ["recovery code: 6jhsg-h941w", "6jhsg-h941w"],
    ["pin_code=4821", "4821"],
    ["login with admin / password Adm1nPassw0rd", "Adm1nPassw0rd"],
    ["enable secret 5 $1$3odsKOLo$BTlahbN1I1Yna8Co5lePg8", "3odsKOLo"],
  ] as const)
    assert.ok(!redactSecrets(text, "log").includes(secret), text);
});

test("a value of one case is masked in code if nobody can pronounce it, and words are not", () => {
  for (const secret of [
    "aleyqbn51vrmd19rftdroj5fvpl",
    "6zy4l2er14vir6180dlp",
    "icco1yh9ai4nezb3",
    "wJqXkzLmNvBtRpGdHsYcFw",
  ])
    for (const text of [`client_secret: "${secret}"`, `export ACME_TOKEN='${secret}'`])
      assert.ok(!redactSecrets(text, "file").includes(secret), text);
  for (const text of ['api_token: "internationalization2"', 'secret: "cloud-formation-stack-name-7"'])
    assert.equal(redactSecrets(text, "file"), text);
  for (const text of [
    '"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3",',
    'accessToken: "getAccessTokenFromRequestHeader"',
    "id: toolu_01A09q90qw90lq917835lq9xYz2",
    "public key token: b77a5c561934e089",
    "status installed passwd:amd64 1:4.13+dfsg1-1",
    "password=test123",
  ])
    for (const mode of ["file", "log"] as const) assert.equal(redactSecrets(text, mode), text, mode);
});

test("the entries of a Kubernetes secret are masked, in YAML and JSON", () => {
  const value = Buffer.from("k3yb0ardCat").toString("base64");
  const certificate = Buffer.from("-----BEGIN CERTIFICATE-----\nMIID").toString("base64");
  for (const text of [
    `apiVersion: v1\nkind: Secret\ndata:\n  # note\n  conf: ${value}\ntype: Opaque`,
    `data:\n\textra: '${value}'\nkind: "Secret"`,
    `kind: Secret\ndata:\n  .dockercfg: |\n    ${value}\n`,
    `{"kind": "Secret", "data": {"conf": "${value}"}}`,
    `kind: Secret\nstringData:\n  conf: ${value}`,
  ])
    for (const mode of ["log", "file"] as const) assert.ok(!redactSecrets(text, mode).includes(value), text);
  for (const text of [
    `kind: ConfigMap\ndata:\n  conf: ${value}`,
    `kind: Secret\ndata:\n  ca.pem: ${certificate}\n---\nkind: ConfigMap\ndata:\n  conf: ${value}`,
    "kind: Secret\ndata:\n  conf: {{ .Values.conf }}",
  ])
    assert.equal(redactSecrets(text, "log"), text);
});

test("sample keys from documentation and names that only look like secrets stay unchanged", () => {
  for (const text of [
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "stripe.api_key = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'",
    "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "proxy=socks5h://<username>:<password>@proxy-host",
    "Token: '#d0d0d0',",
    'private_key: "_DSAPrivateKey",',
    "getpass = fallback_getpass",
    "PRIMARY_KEY=Zk3D0LXCM3EIMbgJpUNnkRtOfOueHznB",
    "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D",
    "SSH_KEY=~/.ssh/id_ed25519",
    "CACHE_KEY=user:profile:v2",
    "BYPASS=SomeClassName9",
    "net use Z: \\\\srv\\share /persistent:yes",
    "curl -u <user:password> https://a.example",
    "if ($password =~ /abc1/) {",
    "publicToken = 9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC",
    '"minipass": "^7.1.3"',
    'passwordLabel:"Password:",rememberLabel:"Remember me2:"',
    '"password": "&lt;YOUR-SECRET-9&gt;"',
    `export DB_PASSWORD="'$OTHER_PASSWORD'"`,
    "$PASSWORD = $CPAN::Config->{password}",
    "String password1 = DEFAULT_API_VALUE;",
    "cache_key: 8f1e602a43f3f51850e03f43eef31c0f51411821",
    '#define TXT_PSK_WITH_AES_128_CCM "PSK-AES128-CCM"',
    "secrets:\n  - db_password\n  - api_token_2\n",
    'if (token === "identifier2") {',
    "password: newPassword",
    "password=userInput",
  ])
    assert.equal(redactSecrets(text, "log"), text);
});

test("masking a text twice gives the same result as once", () => {
  for (const line of corpus("held-out")) {
    const once = shown(line);
    assert.equal(shown({ ...line, text: once }), once, line.id);
  }
});

test("the fast path for short texts masks everything that the full scan masks", () => {
  const harmless = "/usr/share/doc/version-1.2.3/readme\n".repeat(60);
  assert.deepEqual(vendorTokens(harmless), []);
  const redactor = createRedactor([]);
  const tokens = [...new Set(["rules", "held-out", "blind"].flatMap(corpus).flatMap(({ secrets }) => secrets))];
  const letters = "ghijKLMNOP";
  const token = fc
    .tuple(fc.constantFrom(...tokens), fc.boolean(), fc.oneof(fc.constant(24), fc.integer({ min: 1, max: 120 })))
    .map(([original, isOnlyLetters, chars]) =>
      (isOnlyLetters ? original.replaceAll(/\d/gu, (digit) => letters.charAt(Number(digit))) : original).slice(
        0,
        chars,
      ),
    );
  const word = fc.string({ unit: fc.constantFrom(..."abefkpwABEFKPW_=:@-/ '\"0123456789".split("")), maxLength: 26 });
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: token }, word), (text) => {
      assert.equal(redactor.redact(text, "log"), redactSecrets(text, "log"));
      const whole = vendorTokens(`${text}\n${harmless}`);
      assert.deepEqual(vendorTokens(text), whole);
    }),
    { numRuns: testSize({ quick: 1_000, full: 3_000 }) },
  );
  assert.equal(redactor.redact("gsk_vDOEwQIsiZZrJnGEaLFz", "log"), "gsk_vD***aLFz");
});

const key = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

test("the mask of a long secret keeps both ends, that of a short one or of one in a file keeps nothing", () => {
  assert.equal(redactSecrets(`use ${key} here`, "log"), "use ghp_a1***q7R8 here");
  assert.equal(redactSecrets("password=hunter2", "log"), "password=***");
  assert.equal(redactSecrets(`token = "${key}"`, "file"), 'token = "***"');
});

test("command output is treated as code unless the command prints settings", () => {
  const text = "DB_PASSWORD=hunter2";
  assert.equal(redactSecrets(text, "terminal"), text);
  assert.equal(redactSecrets(text, "terminal", { command: "cat app.py" }), text);
  assert.equal(redactSecrets(text, "terminal", { command: "sudo env | sort" }), "DB_PASSWORD=***");
});

test("a token that is split by an invisible character is masked, and no other text changes", () => {
  const parted = `${key.slice(0, 9)}\u200b${key.slice(9, 20)}\x1b[0m${key.slice(20)}`;
  assert.equal(redactSecrets(`👩‍💻 ${parted} 👍🏽`, "egress"), "👩‍💻 ghp_a1***q7R8 👍🏽");
});

test("a secret in base64 or percent encoding is masked", () => {
  const encoded = Buffer.from(`{"token":"${key}"}`).toString("base64");
  assert.ok(!redactSecrets(`blob ${encoded}`, "log").includes(encoded));
  assert.ok(!redactSecrets(`q=%67hp_${key.slice(4)}&x=1`, "egress").includes(key.slice(10)));
});

test("values between NUL characters are treated as separate settings", () => {
  assert.equal(redactSecrets("A=1\0DB_PASSWORD=hunter2\0B=2", "log"), "A=1\0DB_PASSWORD=***\0B=2");
});

test("the body of a private key is removed, and its first and last line stay", () => {
  const body = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n${"x1Yz".repeat(16)}`;
  const pem = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
  for (const mode of ["log", "terminal", "file", "egress"] as const) {
    const hidden = redactSecrets(pem, mode);
    assert.ok(hidden.startsWith("-----BEGIN PRIVATE KEY-----") && hidden.endsWith("-----END PRIVATE KEY-----"));
    assert.ok(!hidden.includes("x1Yz"));
  }
});

test("a key without its frame is masked in the output of a command that prints settings", () => {
  const body = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n`.repeat(3);
  const text = `A\nKEY\n${body}x1Yz==\nB\n`;
  assert.equal(redactSecrets(text, "terminal", { command: "cut -d= -f1 .env" }), "A\nKEY\n***\nB\n");
  assert.equal(redactSecrets(text, "terminal", { command: "cat notes.txt" }), text);
});

test("configured values are masked in any form, along with patterns", () => {
  const redactor = createRedactor(["plain words of ours"]);
  redactor.add("another one");
  assert.equal(redactor.redact(`plain words of ours, another one, ${key}`, "file"), "***, ***, ***");
});

test("configured values are masked in base64 and hex across several lines", () => {
  const { redact } = createRedactor(["an ordinary sentence of ours"]);
  const printed = Buffer.from(`${"A=1\n".repeat(12)}B=an ordinary sentence of ours\n${"C=3\n".repeat(30)}`);
  const wrapped = (text: string, width: number) => text.replaceAll(new RegExp(`.{${width}}`, "gu"), "$&\n");
  assert.equal(redact(wrapped(printed.toString("base64"), 76), "terminal"), "***");
  assert.equal(redact(wrapped(printed.toString("hex"), 60), "terminal").trim(), "***");
});

test("the time to redact a text grows linearly with its length", async () => {
  const shapes = [
    "token=",
    "cookie:",
    "password='",
    "a://b:c",
    "eyJabcdefgh.",
    "-----BEGIN PRIVATE KEY-----\n",
    "\x1b[0ma",
    "%41",
    "mysql ",
    'kind: Secret\n"data": {',
    "kind: Secret\n data:\n",
    'passwords: ["a", ',
    "<password ",
    "x7maple42q is the password ",
    "acme_key: ",
  ];
  for (const shape of shapes) {
    await assertGrowsLinearly(100_000, (size) => redactSecrets(shape.repeat(size / shape.length), "log"), shape);
  }
});

test("a word of two million characters is scanned like any other text", () => {
  const token = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;
  const long = `${"0123456789".repeat(200_000)} ${token} ${"x".repeat(1_000)}`;
  const seen = redactSecrets(long, "terminal");
  assert.equal(seen.includes(token), false);
  assert.equal(seen.length < long.length, true);
  assert.equal(seen.startsWith("0123456789".repeat(200_000)), true);
});

test("redacting any text never throws, and text without secrets stays unchanged", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), fc.constantFrom("log", "file", "egress"), (text, mode) => {
      assert.equal(typeof redactSecrets(text, mode as RedactionMode), "string");
    }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("the", "token", "password", "is", "in", "a", "key"), { maxLength: 20 }),
      (words) => {
        const text = words.join(" ");
        assert.equal(redactSecrets(text, "log"), text);
      },
    ),
  );
});

test("a value that is configured later is masked in a text that was shown before", () => {
  const redactor = createRedactor([]);
  const text = "open the door with maple-syrup";
  assert.equal(redactor.redact(text, "log"), text);
  redactor.add("maple-syrup");
  assert.equal(redactor.redact(text, "log"), "open the door with ***");
});

test("the same text is masked as output of one command and shown as output of another", () => {
  const redactor = createRedactor([]);
  const text = "DATABASE_PASSWORD=sunshine";
  const kindOfText = (command: string) => redactor.redact(text, "terminal", { command });
  assert.deepEqual(
    ["cat notes.txt", "env", "cat notes.txt"].map((command) => kindOfText(command) === text),
    [true, false, true],
  );
});
