import type { EndpointRow } from "./endpoint-row.ts";

/** Clouds with endpoints compatible with OpenAI or Anthropic. */
export const cloudRows: readonly EndpointRow[] = [
  {
    id: "azure-foundry",
    title: "Azure AI Foundry",
    aliases: ["azure"],
    baseUrl: "",
    keyVars: ["AZURE_FOUNDRY_API_KEY"],
    baseUrlVar: "AZURE_FOUNDRY_BASE_URL",
    models: [{ match: "^claude", protocol: "anthropic-messages", quirks: { auth: "x-api-key" } }],
    externalProgram: "az",
    // Authentication with tokens of Entra ID.
    keyKinds: [{ prefix: "eyJ", auth: "bearer" }],
    quirks: { auth: "api-key", maxTokensField: "max_completion_tokens" },
    keyNote:
      "AZURE_FOUNDRY_BASE_URL names your resource: https://NAME.openai.azure.com/openai/v1, or https://NAME.services.ai.azure.com/anthropic for Claude.",
    signUpUrl: "https://ai.azure.com",
  },
  {
    id: "bedrock",
    title: "Amazon Bedrock",
    aliases: ["aws", "amazon-bedrock"],
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com/openai/v1",
    protocol: "openai-chat",
    models: [
      {
        match: "anthropic|claude",
        protocol: "anthropic-messages",
        baseUrl: "https://bedrock-mantle.{region}.api.aws/anthropic",
        quirks: { aws: { region: "{region}", service: "bedrock-mantle" } },
      },
    ],
    keyVars: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlVar: "BEDROCK_BASE_URL",
    signs: true,
    quirks: { auth: "bearer", aws: { region: "{region}", service: "bedrock" } },
    defaultModel: "anthropic.claude-opus-4-8",
    auxModel: "openai.gpt-oss-20b-1:0",
    modelsUrl: "https://bedrock-mantle.{region}.api.aws/v1/models",
    keyNote:
      "A Bedrock API key, or AWS keys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (including `aws sso login`), a role, or the credentials of this machine.",
    signUpUrl: "https://console.aws.amazon.com/bedrock/home#/api-keys",
  },
  {
    id: "vertex",
    title: "Google Vertex AI",
    aliases: ["vertex-ai", "google-vertex"],
    baseUrl: "https://{host}/v1/projects/{project}/locations/{region}/endpoints/openapi",
    protocol: "openai-chat",
    keyVars: ["VERTEX_ACCESS_TOKEN"],
    externalProgram: "gcloud",
    accountVars: ["VERTEX_CREDENTIALS_PATH", "GOOGLE_APPLICATION_CREDENTIALS"],
    baseUrlVar: "VERTEX_BASE_URL",
    defaultModel: "google/gemini-3.1-pro-preview",
    auxModel: "google/gemini-2.5-flash",
    modelsUrl: "none",
    keyNote:
      "vertex.project_id names your project: hermes config set vertex.project_id PROJECT. VERTEX_CREDENTIALS_PATH or GOOGLE_APPLICATION_CREDENTIALS names the JSON file of a service account; or VERTEX_ACCESS_TOKEN holds a token (`gcloud auth print-access-token`).",
    signUpUrl: "https://console.cloud.google.com/vertex-ai",
  },
];
