// A typed client from an OpenAPI 3 document (JSON). Usage: node make-client.mjs FILE OUT [ID,ID…]
import { readFileSync, writeFileSync } from "node:fs";

const [file, out, wanted] = process.argv.slice(2);
if (!file || !out) {
  console.error("usage: make-client.mjs FILE OUT [ID,ID...]");
  process.exit(2);
}
const api = JSON.parse(readFileSync(file, "utf8"));
const chosen = wanted ? new Set(wanted.split(",")) : undefined;
const methods = ["get", "put", "post", "delete", "patch", "head", "options"];
const used = new Set();

const resolve = (node) =>
  node?.$ref
    ? node.$ref
        .replace("#/", "")
        .split("/")
        .reduce((at, key) => at?.[key.replaceAll("~1", "/")], api)
    : node;
const typeName = (name) => name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(\d)/, "_$1");
const property = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema) {
  if (schema === undefined || schema === true) return "unknown";
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    used.add(name);
    return typeName(name);
  }
  const base = plainType(schema);
  return schema.nullable === true && base !== "unknown" ? `${base} | null` : base;
}

function plainType(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  for (const [key, sign] of [
    ["oneOf", " | "],
    ["anyOf", " | "],
    ["allOf", " & "],
  ])
    if (schema[key]) return schema[key].map((each) => `(${typeOf(each)})`).join(sign);
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type, enum: undefined })).join(" | ");
  if (schema.type === "array") return `(${typeOf(schema.items)})[]`;
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "string") return schema.format === "binary" ? "Blob" : "string";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "null") return "null";
  if (schema.properties || schema.type === "object") {
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {}).map(
      ([name, of]) => `${property(name)}${required.has(name) ? "" : "?"}: ${typeOf(of)}`,
    );
    const more = schema.additionalProperties;
    if (more !== undefined && more !== false)
      fields.push(`[key: string]: ${fields.length > 0 ? "unknown" : typeOf(more)}`);
    return fields.length === 0 ? "Record<string, unknown>" : `{ ${fields.join("; ")} }`;
  }
  return "unknown";
}

const jsonOf = (content) =>
  content && (content["application/json"] ?? Object.entries(content).find(([type]) => /json/.test(type))?.[1]);

function operations() {
  const found = [];
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const id = operation.operationId ?? `${method}_${path}`;
      if (chosen && !chosen.has(id)) continue;
      const byName = new Map(
        [...(item.parameters ?? []), ...(operation.parameters ?? [])]
          .map(resolve)
          .map((each) => [`${each.in} ${each.name}`, each]),
      );
      found.push({
        id,
        path,
        method,
        operation,
        parameters: [...byName.values()].filter((each) => each.in !== "cookie"),
      });
    }
  }
  return found;
}

function functionOf({ id, path, method, operation, parameters }) {
  const body = resolve(operation.requestBody);
  const bodySchema = jsonOf(body?.content)?.schema;
  const answer = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
  const answerSchema = jsonOf(resolve(answer)?.content)?.schema;
  const fields = parameters.map(
    ({ name, required, schema }) => `${property(name)}${required ? "" : "?"}: ${typeOf(schema)}`,
  );
  if (body) fields.push(`body${body.required ? "" : "?"}: ${bodySchema ? typeOf(bodySchema) : "unknown"}`);
  const isOptional = fields.every((field) => /^[^:]*\?:/.test(field));
  const args = fields.length === 0 ? "" : `args: { ${fields.join("; ")} }${isOptional ? " = {}" : ""}, `;
  const names = (where) => JSON.stringify(parameters.filter((each) => each.in === where).map(({ name }) => name));
  const result = answerSchema ? typeOf(answerSchema) : "void";
  const given = fields.length === 0 ? "{}" : "args";
  return [
    ...(operation.summary ? [`    /** ${operation.summary.replaceAll("*/", "* /")} */`] : []),
    `    ${typeName(id)}: (${args}init: RequestInit = {}): Promise<${result}> =>`,
    `      call<${result}>(${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}, ${given}, ${names("query")}, ${names("header")}, ${body ? "true" : "false"}, init),`,
  ].join("\n");
}

const list = operations();
const missing = [...(chosen ?? [])].filter((id) => !list.some((each) => each.id === id));
if (missing.length > 0) {
  console.error(`no such operation: ${missing.join(", ")}`);
  process.exit(1);
}
const functions = list.map(functionOf);
const types = new Map();
for (let size = -1; size !== used.size;) {
  size = used.size;
  for (const name of used)
    if (!types.has(name))
      types.set(name, `export type ${typeName(name)} = ${typeOf(api.components?.schemas?.[name])};`);
}

const server = api.servers?.[0]?.url ?? "";
writeFileSync(
  out,
  `// Made from ${api.info?.title ?? file} ${api.info?.version ?? ""}. Make it again instead of editing it.

${[...types.values()].join("\n")}

export interface ClientOptions {
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

export class ApiError extends Error {
  readonly status: number;
  readonly body: string;
  constructor(method: string, path: string, status: number, body: string) {
    super(\`\${method} \${path}: \${status} \${body.slice(0, 200)}\`);
    this.status = status;
    this.body = body;
  }
}

export function createClient(options: ClientOptions = {}) {
  const base = (options.baseUrl ?? ${JSON.stringify(server)}).replace(/\\/$/, "");
  const send = options.fetch ?? fetch;

  async function call<T>(
    method: string, path: string, args: Record<string, unknown>,
    query: readonly string[], headerNames: readonly string[], hasBody: boolean, init: RequestInit,
  ): Promise<T> {
    const search = new URLSearchParams();
    for (const name of query) {
      const value = args[name];
      for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) search.append(name, String(each));
    }
    const headers = new Headers({ accept: "application/json", ...options.headers });
    for (const name of headerNames) if (args[name] !== undefined) headers.set(name, String(args[name]));
    const filled = path.replace(/\\{([^}]+)\\}/g, (_, name: string) => encodeURIComponent(String(args[name])));
    const body = hasBody && args["body"] !== undefined ? JSON.stringify(args["body"]) : undefined;
    if (body !== undefined) headers.set("content-type", "application/json");
    const url = base + filled + (search.size > 0 ? \`?\${search}\` : "");
    const answer = await send(url, { ...init, method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new ApiError(method, filled, answer.status, text);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  return {
${functions.join("\n")}
  };
}
`,
);
console.log(`${out}: ${list.length} operations, ${types.size} types`);
