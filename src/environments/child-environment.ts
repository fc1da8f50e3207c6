/**
 * Environment variable that marks every process of one run, so that it can be found in any group or session and below
 * any parent.
 */
export const runMarker = "HERMES_RUN";

/**
 * The variables of `env` that commands may see. Removes provider keys, platform tokens and variables of this program,
 * unless `passthrough` names them.
 */
export function childVariables(
  env: Readonly<Record<string, string | undefined>>,
  passthrough: readonly string[],
): Map<string, string> {
  const listed = new Set(passthrough);
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (listed.has(name) || !isWithheld(name))) seen.set(name, value);
  }
  return seen;
}

/**
 * Whether commands see this variable only if the user lists it. The user's own variables, such as `NPM_TOKEN`, pass.
 */
export function isWithheld(name: string): boolean {
  return withheld.has(name) || patterns.some((pattern) => pattern.test(name));
}

const patterns: readonly RegExp[] = [
  /** Hermes' own variables, except the home: a `hermes` that a command starts should use the same home. */
  /^_?HERMES_(?!HOME$)/u,
  /** Variables with provider keys. */
  /_API_KEY\d*$/u,
  /^(?:OPENAI|ANTHROPIC|CLAUDE_CODE)_/u,
  /** Addresses of providers decide where keys are sent. */
  /^(?:OPENROUTER|GOOGLE|GEMINI|GROQ|MISTRAL|DEEPSEEK|XAI|NOUS|GLM|ZAI|KIMI|MOONSHOT|MINIMAX|DASHSCOPE|QWEN|HF|OLLAMA|LM|NVIDIA|CUSTOM|AI_GATEWAY|COPILOT)_BASE_URL$/u,
  /^AUXILIARY_.+_(?:API_KEY|BASE_URL)$/u,
  /^GATEWAY_(?:RELAY_.+_(?:SECRET|KEY|TOKEN)|ALLOW.+)$/u,
  /^AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|PROFILE|DEFAULT_PROFILE|SHARED_CREDENTIALS_FILE|CONFIG_FILE|WEB_IDENTITY_TOKEN_FILE|ROLE_ARN|BEARER_TOKEN.*|CONTAINER_.+)$/u,
  /^AZURE_(?:OPENAI_.+|FOUNDRY_.+|TENANT_ID|CLIENT_ID|CLIENT_SECRET|CLIENT_CERTIFICATE.*|FEDERATED_TOKEN_FILE|USERNAME|PASSWORD|AUTHORITY_HOST)$/u,
  /^(?:TELEGRAM|DISCORD|SLACK|HASS|EMAIL|MATRIX|SIGNAL|WHATSAPP|MATTERMOST|TWILIO|FEISHU|DINGTALK|WECOM|TEAMS|MODAL|DAYTONA|GITHUB_APP)_.*(?:TOKEN|SECRET|PASSWORD|KEY|KEY_ID|KEY_PATH|ALLOWED_USERS|ACCOUNT_SID)(?:_ID)?$/u,
];

const withheld: ReadonlySet<string> = new Set([
  "GOOGLE_APPLICATION_CREDENTIALS",
  "VERTEX_CREDENTIALS_PATH",
  "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
  "SUDO_PASSWORD",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "HF_TOKEN",
  "COPILOT_GITHUB_TOKEN",
  "LLM_MODEL",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
]);
