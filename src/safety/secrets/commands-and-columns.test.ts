import assert from "node:assert/strict";
import { test } from "node:test";

import { redactSecrets } from "./redact.ts";

const generated = "Zg8RakGnRAxPcTM8";
const chosen = "Falcon2019!";

const commands = [
  String.raw`psexec \\web01 -u corp\bob -p VALUE cmd`,
  "crackmapexec smb 10.0.0.0/24 -u bob -p 'VALUE'",
  "psexec.py corp/bob:VALUE@10.0.0.5",
  "winexe -U corp/bob%VALUE //10.0.0.5 cmd.exe",
  "schtasks /create /tn x /tr y /ru bob /rp VALUE",
  "ipmitool -H 10.0.0.9 -U admin -P VALUE power status",
  "lftp -u bob,VALUE sftp://host",
  "rabbitmqctl add_user bob VALUE",
  "echo 'VALUE' | passwd --stdin bob",
  "db2 connect to sample user bob using VALUE",
  "poetry config http-basic.corp bob VALUE",
  "mc alias set minio http://host:9000 minioadm VALUE",
  "ALTER LOGIN sa WITH PASSWORD = N'VALUE';",
  "ACL SETUSER alice on >VALUE ~* +@all",
  "a1 LOGIN bob VALUE",
  "username bob password 0 VALUE",
  'expect "assword:"; send "VALUE\\r"',
  "sshpass -p VALUE ssh bob@host",
  "curl -u bob:VALUE https://host/x",
];

test("passwords in arguments and statements are masked: chosen ones in logs, generated ones in code too", () => {
  const shown = (text: string, mode: "log" | "file" | "terminal") => redactSecrets(text, mode);
  for (const command of commands) {
    const inLog = command.replace("VALUE", chosen);
    assert.equal(shown(inLog, "log").includes(chosen), false, inLog);
    for (const mode of ["file", "terminal"] as const) {
      const text = command.replace("VALUE", generated);
      assert.equal(shown(text, mode).includes(generated), false, `${mode}: ${text}`);
      const weak = command.replace("VALUE", "hunter22");
      assert.equal(shown(weak, mode), weak);
    }
  }
});

test("options of other programs are not passwords", () => {
  for (const text of [
    "mkdir -p build2/Output3x",
    "ssh -p 2222 bob@host",
    "docker run -p 8080:80 image",
    "psexec -p password cmd",
    "curl -u user:password https://example.com",
    "sshpass -p $PASSWORD ssh bob@host",
    "netstat -P tcp4Sockets",
  ])
    assert.equal(redactSecrets(text, "log"), text);
});

test("a key of 12 to 19 characters next to its name is masked in code", () => {
  assert.equal(redactSecrets(`const apiKey = "${generated}";`, "file"), 'const apiKey = "***";');
  for (const text of ['token = "Sha256WithRsa2048"', 'const secretName = "MyService2Secret1"', "password: hunter2"])
    assert.equal(redactSecrets(text, "file"), text);
});

test("a generated part between signs makes a value next to its name a secret", () => {
  const token = "0pf-j25nxkrkhp8t62qh6k4921ptv09ozq9k0kva";
  assert.equal(redactSecrets(`ACME_API_TOKEN: '${token}'`, "file"), "ACME_API_TOKEN: '***'");
  const versioned = "v1.0-e26de050e02ddeaeef6de8d5ee267df5-eda77de60e8e76077e162727656787de";
  assert.equal(redactSecrets(`service_key: "${versioned}"`, "log").includes(versioned), false);
  assert.equal(redactSecrets('token: "v1.0-beta2"', "file"), 'token: "v1.0-beta2"');
  assert.equal(
    redactSecrets('ACME_API_KEY_SECRET="QktxVUtFU1dKV1FlJBYXdnTVlRemFZ"', "file"),
    'ACME_API_KEY_SECRET="***"',
  );
});

test("the text in a constructor of texts is the value", () => {
  const shown = (text: string) => redactSecrets(text, "log");
  assert.equal(shown('String password = new String("grape1999");'), 'String password = new String("***");');
  assert.equal(shown('password = str("grape1999")'), 'password = str("***")');
  assert.equal(shown('secret_key = "402750613792034973"'), 'secret_key = "402750***4973"');
  for (const text of ['password = new Field("password")', 'token = new Token("if", 3)', "token: 402750613792034973"])
    assert.equal(shown(text), text);
});

test("columns for secrets are masked", () => {
  assert.equal(
    redactSecrets(
      `name,url,username,password\nmail,https://m.example,bob,${chosen}\ngit,https://g.example,ann,x1!yz\n`,
      "log",
    ),
    "name,url,username,password\nmail,https://m.example,bob,***\ngit,https://g.example,ann,***\n",
  );
  assert.equal(
    redactSecrets(`"Title","Password","Note"\n"Mail","${generated}","a, b"\n`, "file"),
    '"Title","Password","Note"\n"Mail","***","a, b"\n',
  );
  assert.equal(redactSecrets(`user;passwd\nbob;${generated}\n`, "terminal"), "user;passwd\nbob;***\n");
  assert.equal(
    redactSecrets(`INSERT INTO users (name, password) VALUES ('bob', '${chosen}'), ('ann', 'it''s7!x');`, "log"),
    "INSERT INTO users (name, password) VALUES ('bob', '***'), ('ann', '***');",
  );
  for (const text of [
    "    password,\n    len(password),\n    buffer1,\n",
    "user, password, role\nare the three fields of the form\n",
    "token,count\nif,12\nelse,7\n",
    "password,\nvalue12345,\n",
  ])
    assert.equal(redactSecrets(text, "log"), text);
});
