/** The part of the README that is the same for both languages. */
export function usageText(name: string, tool: string): string {
  return `## Use it

\`\`\`sh
hermes plugins enable ${name}
hermes plugins info ${name}
hermes tools list
\`\`\`

Then ask the agent: "Greet Anna with ${tool}."

## What it may do

A plugin runs in a process of its own. It can read its own folder and write its data folder, and nothing else. What more it
needs, it declares in \`plugin.yaml\`, and you see it before you enable the plugin:

\`\`\`yaml
permissions:
  read: ["~/notes"]
  write: ["~/notes/out"]
  net: ["api.example.com"]
  env: ["EXAMPLE_REGION"]
  exec: false
  tools: ["read_file"]
requires_env:
  - name: EXAMPLE_API_KEY
    prompt: Your key for example.com
    url: https://example.com/keys
\`\`\`

\`hermes plugins grant ${name} net:api.example.com\` adds one later, \`hermes plugins doctor ${name}\` shows what is wrong.
`;
}

/** Names are quoted, because YAML reads a name such as `1.0` or `true` as another type. */
export function templateManifest(name: string, comment: string): string {
  return `name: ${JSON.stringify(name)}
version: 0.1.0
description: Greets people
author: ""
${comment}`;
}
