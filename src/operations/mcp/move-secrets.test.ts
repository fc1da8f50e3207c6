import assert from "node:assert/strict";
import { test } from "node:test";

import { secretsMoved } from "./move-secrets.ts";

test("secrets of a server go to variables, wherever its settings contain them", () => {
  assert.deepEqual(
    secretsMoved("my-server", {
      url: "https://host/mcp?api_key=abc%2Fdef&team=core#x",
      headers: { Authorization: "Bearer abcdef", "X-Team": "core" },
      env: { GITHUB_TOKEN: "ghp_1", LEVEL: "info", OPENAI_API_KEY: "${OPENAI_API_KEY}", COUNT: 3 },
    }),
    {
      settings: {
        url: "https://host/mcp?api_key=${MCP_MY_SERVER_API_KEY}&team=core#x",
        headers: { Authorization: "${MCP_MY_SERVER_AUTHORIZATION}", "X-Team": "core" },
        env: {
          GITHUB_TOKEN: "${MCP_MY_SERVER_GITHUB_TOKEN}",
          LEVEL: "info",
          OPENAI_API_KEY: "${OPENAI_API_KEY}",
          COUNT: 3,
        },
      },
      variables: {
        MCP_MY_SERVER_API_KEY: "abc%2Fdef",
        MCP_MY_SERVER_AUTHORIZATION: "Bearer abcdef",
        MCP_MY_SERVER_GITHUB_TOKEN: "ghp_1",
      },
    },
  );
});

test("secrets in arguments go to variables, and other arguments stay", () => {
  const args = [
    "-y",
    "mcp-remote",
    "https://host/x",
    "--header",
    "Authorization: Bearer abc",
    "--api-key",
    "k1",
    "--token=t1",
  ];
  const more = ["--max-tokens", "5", "--token", "--verbose", "--password=${PW}", "C:\\key", 7];
  assert.deepEqual(secretsMoved("r", { command: "npx", args: [...args, ...more] }), {
    settings: {
      command: "npx",
      args: [
        "-y",
        "mcp-remote",
        "https://host/x",
        "--header",
        "Authorization: ${MCP_R_AUTHORIZATION}",
        "--api-key",
        "${MCP_R_API_KEY}",
        "--token=${MCP_R_TOKEN}",
        ...more,
      ],
    },
    variables: { MCP_R_AUTHORIZATION: "Bearer abc", MCP_R_API_KEY: "k1", MCP_R_TOKEN: "t1" },
  });
});

test("different secrets of the same name get different variables, and equal ones share one", () => {
  const args = ["--api-key=two", "--api_key=one", "--api-key", "three"];
  assert.deepEqual(secretsMoved("r", { env: { API_KEY: "one" }, args }), {
    settings: {
      env: { API_KEY: "${MCP_R_API_KEY}" },
      args: ["--api-key=${MCP_R_API_KEY_2}", "--api_key=${MCP_R_API_KEY}", "--api-key", "${MCP_R_API_KEY_3}"],
    },
    variables: { MCP_R_API_KEY: "one", MCP_R_API_KEY_2: "two", MCP_R_API_KEY_3: "three" },
  });
});
