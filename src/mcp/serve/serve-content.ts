import type { Server, ServerContext, UriTemplate } from "@modelcontextprotocol/server";

import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import type { ServedContent, ServedPrompt, ServedResource } from "../../contracts/mcp/served.ts";
import { contentBlock } from "./call-result.ts";
import type { ContentList, ServedClient } from "./served-client.ts";
import type { ServerLibrary } from "./server-library.ts";
import { type ResourceWatch, watchResources } from "./watch-resources.ts";

/** Handles requests about resources, prompts and completions. */
export function serveContent(
  library: ServerLibrary,
  server: Server,
  contentOf: (ctx: ServerContext) => ServedClient["content"],
  /** Undefined if the client cannot subscribe. */
  clock: Clock | undefined,
): Disposable {
  const { ProtocolError, UriTemplate: Template } = library;
  const all = (ctx: ServerContext, list?: ContentList) => partsOf(contentOf(ctx)(ctx.mcpReq.signal, list));
  const partsOf = async (reading: Promise<readonly ServedContent[]>) => {
    const content = await reading;
    return {
      resources: content.flatMap(({ resources = [] }) => resources),
      prompts: content.flatMap(({ prompts = [] }) => prompts),
    };
  };

  server.setRequestHandler("resources/list", async (_request, ctx) => {
    const { resources } = await all(ctx, "resources");
    return { resources: resources.filter((one) => !Template.isTemplate(one.uri)).map(aboutResource) };
  });
  server.setRequestHandler("resources/templates/list", async (_request, ctx) => {
    const { resources } = await all(ctx, "resources");
    const templates = resources.filter(({ uri }) => Template.isTemplate(uri));
    return { resourceTemplates: templates.map(({ uri, ...rest }) => ({ uriTemplate: uri, ...aboutPart(rest) })) };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, ctx) => {
    const { resources } = await all(ctx);
    const match = findResource(uri, resources, (text) => new Template(text));
    if (!match) throw new ProtocolError(resourceNotFound, `There is no resource ${uri}`, { uri });
    const { resource, variables } = match;
    const content = await resource.read(uri, variables, ctx.mcpReq.signal).catch((thrown: unknown) => {
      throw new ProtocolError(internalError, `${uri} cannot be read: ${reasonOf(thrown)}`);
    });
    const mimeType = resource.mimeType === undefined ? {} : { mimeType: resource.mimeType };
    const body = "text" in content ? { text: content.text } : { blob: content.data };
    return { contents: [{ uri, ...mimeType, ...body }] };
  });
  let watch: ResourceWatch | undefined;
  const watchBy = (read: ServedClient["content"], by: Clock) =>
    watchResources({
      clock: by,
      async version(uri, signal) {
        const { resources } = await partsOf(read(signal));
        const match = findResource(uri, resources, (text) => new Template(text));
        if (!match) return "";
        const { resource, variables } = match;
        return resource.version?.(signal) ?? JSON.stringify(await resource.read(uri, variables, signal));
      },
      changed: (uri) => void server.sendResourceUpdated({ uri }).catch(() => {}),
    });
  if (clock) {
    server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, ctx) => {
      await (watch ??= watchBy(contentOf(ctx), clock)).add(uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
      watch?.remove(uri);
      return {};
    });
  }
  server.setRequestHandler("prompts/list", async (_request, ctx) => {
    const { prompts } = await all(ctx, "prompts");
    return { prompts: prompts.map(aboutPrompt) };
  });
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }, ctx) => {
    const prompt = (await all(ctx)).prompts.find((one) => one.name === name);
    if (!prompt) throw new ProtocolError(invalidParams, `There is no prompt ${name}`);
    const missing = prompt.arguments.filter((one) => one.isRequired && !Object.hasOwn(args, one.name));
    if (missing.length > 0)
      throw new ProtocolError(
        invalidParams,
        `The prompt ${name} needs the arguments ${missing.map((one) => one.name).join(", ")}`,
      );
    const messages = await prompt.get(args, ctx.mcpReq.signal).catch((thrown: unknown) => {
      throw new ProtocolError(internalError, `${name} failed: ${reasonOf(thrown)}`);
    });
    return {
      description: prompt.description,
      messages: messages.map(({ role, content }) => ({ role, content: contentBlock(content) })),
    };
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }, ctx) => {
    const { prompts } = await all(ctx);
    const prompt = ref.type === "ref/prompt" ? prompts.find(({ name }) => name === ref.name) : undefined;
    const values = (await prompt?.complete?.(argument.name, argument.value, ctx.mcpReq.signal)) ?? [];
    const shown = values.slice(0, maxValues);
    return { completion: { values: shown, total: values.length, hasMore: shown.length < values.length } };
  });
  return { [Symbol.dispose]: () => watch?.[Symbol.dispose]() };
}

/** Error codes of JSON-RPC and of the protocol. */
const [invalidParams, internalError, resourceNotFound] = [-32602, -32603, -32002];
const maxValues = 100;

function aboutResource({ uri, ...rest }: ServedResource) {
  return { uri, ...aboutPart(rest) };
}

function aboutPart({ name, description, mimeType }: Omit<ServedResource, "uri">) {
  return { name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

function aboutPrompt({ name, description, arguments: args }: ServedPrompt) {
  return {
    name,
    description,
    arguments: args.map((one) => ({ name: one.name, description: one.description, required: one.isRequired })),
  };
}

/** The resource with this address. A fixed resource wins over a template. */
function findResource(
  uri: string,
  resources: readonly ServedResource[],
  template: (text: string) => UriTemplate,
): { readonly resource: ServedResource; readonly variables: Readonly<Record<string, string>> } | undefined {
  const fixed = resources.find((one) => one.uri === uri);
  if (fixed) return { resource: fixed, variables: {} };
  for (const resource of resources.filter((one) => one.uri.includes("{"))) {
    const matched = template(resource.uri).match(uri);
    if (!matched) continue;
    const variables = Object.entries(matched).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(",") : value,
    ]);
    return { resource, variables: Object.fromEntries(variables) };
  }
  return undefined;
}
