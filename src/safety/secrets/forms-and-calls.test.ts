import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { redactSecrets } from "./redact.ts";

/** The secret is between « and ». */
function assertMasked(lines: readonly string[]): void {
  for (const line of lines) {
    const text = line.replaceAll(/[«»]/gu, "");
    const secret = /«(.*)»/su.exec(line)?.[1] ?? "";
    const shown = redactSecrets(text, "log");
    assert.ok(secret !== "" && !shown.includes(secret), `${text} => ${shown}`);
  }
}

function assertUnchanged(lines: readonly string[]): void {
  for (const line of lines) assert.equal(redactSecrets(line, "log"), line);
}

test("values of forms and addresses are masked, even words, and with an encoded name", () => {
  assertMasked([
    "POST /login password=«something»&user=bob",
    "grant_type=x&client%5Fsecret=«lamp-post»&scope=a",
    "GET /cb?jwt=«one.two.three9»&safe=1",
    "GET /done?code=«Zq81-grant-07»",
    "redirected to code=«kp2277»&state=abc",
    "GET /file?X-Amz-Signature=«abc123xyz»&x=1",
    'login failed: token="«rain;drop»"',
    "dsn: host=db port=5432 password=«orangetree» user=bob",
  ]);
  assertUnchanged([
    "GET /list?token=true&page=2",
    "GET /search?code=404",
    "GET /x?signature=rsa&y=1",
    "login(password=dbpass, user=dbuser)",
  ]);
});

test("arguments of calls that set or compare a password are masked", () => {
  assertMasked([
    "user.set_password('«piano88»')",
    'account.setPassword("«gr4pefruit»")',
    'env.put(Context.SECURITY_CREDENTIALS, "«ro5e_gardn»");',
    'if (password.equals("«tr33house»")) {',
    'if ("«tr33house»".equals(passwordInput)) {',
  ]);
  assertUnchanged(["user.set_password(form.password)", 'if (password.equals("password")) {', "setPassword(EMPTY);"]);
});

test("words with hyphens, phrases and groups of letters are passwords where no code stands", () => {
  assertMasked([
    "connect failed (password=«blue-door-lamp»); retry",
    "  password: «three blind mice 7»\n",
    'password: "«the purple cow»"',
    "app password «wxyz-kjhg-tyui-bnmq»",
  ]);
  assertUnchanged([
    "helm install --set auth.existingSecret=pg-credentials",
    "kubectl create secret generic x --from-file=secret=db-files",
    "password: must have 8 characters or more",
    "token=ca-token",
  ]);
});

test("names in Korean, Japanese and Chinese may have a particle", () => {
  assertMasked(["비밀번호는 «salmon42x» 입니다", "パスワードは «salmon42x» です", "密码是«salmon42x»"]);
  assertUnchanged(["비밀번호는 8자 이상이어야 합니다", "密码是必填项"]);
});

test("a name may go on after the word for a password, and a vendor need not be listed", () => {
  assertMasked([
    "password_mysql: «rain2go»",
    'variablePasswordInUse = "«gaa6_xv»"',
    'acme_key = "«k9Xw2LqP7vRt4ZsB»"',
    "community_string: «n3twork!»",
    "privacy_key: «n3tw0rks»",
    "token=«deadbeef»",
  ]);
  assertUnchanged([
    "self._passphrase_userdata = userdata",
    "password_policy_days: 90",
    'cache_key = "k9Xw2LqP7vRt4ZsB"',
  ]);
});

test("headers with escaped quotes, folded lines and rare schemes are masked", () => {
  assertMasked([
    String.raw`{"Authorization":"Digest username=\"bob\", response=\"«a1b2c3d4-e5f6-a7b8»\""}`,
    'Authorization: Digest username="bob",\r\n response="«a1b2c3d4-e5f6-a7b8»"',
    String.raw`Authorization:\tBearer «Zm9sZGVkOnNlY3JldA»`,
    "Authorization: Foo+Bar «extension-1234567890ab»; status=401",
    "Authorization: «plain-header-1234567890»",
    "headers: { cookie: 'session_value_a1b2c3d4e5' }".replace("session_value_a1b2c3d4e5", "«session_value_a1b2c3d4e5»"),
  ]);
  assertUnchanged(["the authorization model is open", "Authorization: see the chapter on tokens"]);
});

test("numbers of payment cards and encrypted values of Ansible are masked", () => {
  assertMasked([
    '{"card_number":"«4000056655665556»"}',
    "--card-number «4000 0566 5566 5556»",
    "cvc=«731»",
    `$ANSIBLE_VAULT;1.1;AES256\n          «${"6231336539".repeat(8)}»\n`,
  ]);
  assertUnchanged(["card_number: 1234567812345678", "order number 4000056655665556", "cvc validation failed"]);
});

test("weak passwords and phrases next to a name are masked in logs, and placeholders stay visible", () => {
  assertMasked([
    "DB_PASSWORD=«secret123»",
    'PGPASSWORD="«admin1234»"',
    'password="changeme;«woodPecker42»"',
    "password='«r4in coat»'",
    "secret: «h3r0n.n3st»",
    "password=«cat-on-a-mat»",
    'db {\n  user = "ann"\n  password = "«copper-kettle»"\n}',
    'run.py --password "«two words»"',
    "postgres://app:«pwd741»@db.example.com/app",
    "secret_key: «my-super-secret-key-98765»",
    'curl -H "Authorization: Bearer «blue-lamp-post»" https://api.example.com',
    "card=«4111 1111 1111 1111» amount=42.00",
    "-----BEGIN PRIVATE KEY-----\n«MIIBVgIBADANBgkqhkiG»\n-----END PRIVATE KEY-----",
    'TRAIN_PAT="«MTIzNDU2Nzg5MDEyOkExYjJDM2Q0RTVmNkc3aDhJOWow»"',
    'Depot_key = "«DjqyBrny2rtpvydF4zAphcqc»"',
  ]);
  assertUnchanged([
    "password=test123",
    "password=changeme",
    'secret = "ENC[AES256_GCM,data:abc123xyz]"',
    'NEXT_PUBLIC_KEY="sb_publishable_probe_20260710_7f91c2d8e4a6b3f0"',
    "https://user:pass@example.com/path",
    "Authorization: Bearer <token>",
    "pat: src/*.ts",
    'file_pat = "src/main1/*.ts"',
    'HEX_PAT = "[0-9A-Fa-f]{1,4}"',
    "BUILD_NAME-20260710-linux_x64_release_with_symbols",
  ]);
});

test("in code, only passwords that mix four kinds of characters and keys of a vendor are masked", () => {
  for (const line of [
    'password = "Maple9Tree!"',
    "SQL_PASSWORD=Compl3x!Pass#2024",
    'conn = "Server=tcp:db,1433;User ID=ann;Password=MyP@ssw0rd!123;"',
    'Depot_key = "DjqyBrny2rtpvydF4zAphcqc"',
  ])
    assert.notEqual(redactSecrets(line, "file"), line, line);
  for (const line of ['password = "hunter2"', 'password = "P@ssw0rd1"', 'cache_key = "DjqyBrny2rtpvydF4zAphcqc"'])
    assert.equal(redactSecrets(line, "file"), line);
  const compose = "    environment:\n      MYSQL_PASSWORD: heron42\n";
  assert.notEqual(redactSecrets(compose, "file", { path: "docker-compose.yml" }), compose);
});

test("tokens of issuers with a mark are masked", () => {
  assertMasked([
    "key=«SCWITIEI56QD4CL7AZPU» end",
    "«da2-abcdefghij1234567890klmnop»",
    "«xaat-3f1d8a52-9c1e-4f9e-8a3a-0d6f6bb1c2d3»",
    "«2ab9c8d7e6msh1f2e3d4c5b6a798p1a0b1cjsn0a1b2c3d4e5f»",
    "token «st.0123456789abcdef01234567.89abcdef0123456789abcdef01234567.89abcdef0123456789abcdef01234567»",
    "«CCDB1_z4m5MjGmTx3O4sK2IxvHIh_zv4Cbt3lNujc7f9TO9cZ1qGU7tyJhxrw01I0rWnZ»",
    'train_pat = "«iyfmob6xjrfmit67anxbot64umfx2clwx7dz5ynxi4q2z3uqegvq»"',
    "«cnvcav3RRFkl36rsXClN3-Dsygjl_oGT1-xMhXV70oxnGi6s811bfada»",
  ]);
});

test("repeated beginnings of these notations cost linear time", async () => {
  const pieces = [
    "password=a-",
    "authorization: digest response=",
    "card number 4",
    "set_password(",
    "$ANSIBLE_VAULT;1.1;AES256 ",
    "?code=a1",
    "?code=",
    "authorization:",
    "비밀번호는 ",
    "password: a 1 ",
    "password=a;",
    'password="a;1',
    "x_pat",
    "AB_aB1",
    "CCDB1_aB1aB1aB1aB1aB1aB1_",
    "secret: a1b.",
    "-----BEGIN PRIVATE KEY-----",
  ];
  for (const piece of pieces) {
    const text = piece.repeat(40_000 / piece.length);
    await assertGrowsLinearly(text.length, (size) => redactSecrets(text.slice(0, size), "log"), piece);
  }
});
