// Lists the operations of an OpenAPI 3 document (JSON). Usage: node list-operations.mjs FILE
import { readFileSync } from "node:fs";

const api = JSON.parse(readFileSync(process.argv[2] ?? "openapi.json", "utf8"));
const methods = ["get", "put", "post", "delete", "options", "head", "patch"];
const resolve = (node) =>
  node?.$ref
    ? node.$ref
        .replace("#/", "")
        .split("/")
        .reduce((at, key) => at?.[key.replaceAll("~1", "/")], api)
    : node;

console.log(`${api.info?.title ?? "?"} ${api.info?.version ?? ""} (OpenAPI ${api.openapi ?? api.swagger ?? "?"})`);
console.log(`servers: ${(api.servers ?? []).map(({ url }) => url).join(", ") || "none"}`);
const schemes = Object.entries(api.components?.securitySchemes ?? {});
console.log(
  `sign in: ${schemes.map(([name, { type, scheme, in: where }]) => `${name} (${[type, scheme, where].filter(Boolean).join(" ")})`).join(", ") || "none"}\n`,
);
for (const [path, item] of Object.entries(api.paths ?? {})) {
  for (const method of methods) {
    const operation = item[method];
    if (!operation) continue;
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
    const named = parameters.map(({ name, in: where, required }) => `${name}${required ? "" : "?"}:${where}`);
    const body = resolve(operation.requestBody) ? " +body" : "";
    const answers = Object.keys(operation.responses ?? {}).join(",");
    console.log(
      `${method.toUpperCase().padEnd(6)} ${path}  ${operation.operationId ?? "(no id)"}(${named.join(", ")})${body} -> ${answers}`,
    );
    if (operation.summary) console.log(`       ${operation.summary}`);
  }
}
