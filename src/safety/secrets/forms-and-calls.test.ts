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
  ];
  for (const piece of pieces) {
    const text = piece.repeat(40_000 / piece.length);
    await assertGrowsLinearly(text.length, (size) => redactSecrets(text.slice(0, size), "log"), piece);
  }
});
