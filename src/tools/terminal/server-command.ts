/** Does the command look like one that runs until somebody ends it? Good for advice, never for a decision. */
export function looksLikeServer(command: string): boolean {
  const beginning = command.slice(0, maxChars);
  return servers.some((server) => server.test(beginning));
}

const maxChars = 2_000;

const start = String.raw`(?:^|[;&|(]|\b(?:npx|bunx|pnpx|uv run|poetry run|env|exec|sudo))\s*(?:\w+=\S*\s+)*(?:\S*/)?`;
const servers: readonly RegExp[] = [
  String.raw`(?:npm|pnpm|yarn|bun|deno)\s+(?:task\s+|run\s+)?(?:dev|start|serve|watch|preview)\b`,
  String.raw`(?:next|astro|nuxt|gatsby|remix|wrangler)\s+dev\b`,
  String.raw`vite(?!\s+(?:build|--version|--help))\b`,
  String.raw`(?:nodemon|uvicorn|gunicorn|hypercorn|daphne|http-server|live-server|json-server|caddy\s+run|nginx|redis-server)\b`,
  String.raw`python[\d.]*\s+-m\s+http\.server\b`,
  String.raw`python[\d.]*\s+(?:\S+/)?manage\.py\s+runserver\b`,
  String.raw`(?:flask|streamlit|fastapi)\s+(?:run|dev)\b`,
  String.raw`rails\s+s(?:erver)?\b`,
  String.raw`(?:hugo|jekyll|mkdocs|ng|webpack)\s+(?:serve|server)\b`,
  String.raw`php\s+(?:-S\b|artisan\s+serve)`,
  String.raw`docker(?:-|\s+)compose\s+(?:-\S+\s+\S+\s+)*up\b(?!.*\s(?:-d|--detach)\b)`,
  String.raw`tail\s(?:[^;|&]*\s)?-[a-zA-Z]*[fF]\b`,
  String.raw`watch\s`,
]
  .map((pattern) => new RegExp(start + pattern, "mu"))
  .concat(/\s--watch(?:=|\s|$)/u);
