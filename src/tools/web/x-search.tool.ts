import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

const handles = () => z.array(z.string().min(1).max(100)).max(10).optional();

export default defineTool({
  name: "x_search",
  toolset: "x_search",
  description:
    "Search posts, profiles and threads on X (Twitter) by xAI's own search. Answers with citations. For web pages use web_search.",
  emoji: "🐦",
  input: z.object({
    query: z.string().min(1).max(4_000),
    allowed_x_handles: handles().describe("Only posts of these accounts (at most 10)"),
    excluded_x_handles: handles().describe("No posts of these accounts; not with allowed_x_handles"),
    from_date: z.string().optional().describe("YYYY-MM-DD"),
    to_date: z.string().optional().describe("YYYY-MM-DD"),
    enable_image_understanding: z.boolean().optional(),
    enable_video_understanding: z.boolean().optional(),
  }),
  needs: ["pages"],
  // The requests have their own timeouts (x_search.timeout_seconds and retries).
  traits: { readOnly: true, parallel: true, untrusted: true, timeoutMs: Number.POSITIVE_INFINITY },
  effects: () => [{ kind: "network", url: "https://api.x.ai/v1/responses" }],
  async run(args, { pages, signal }) {
    const wish = withoutUndefined({
      query: args.query,
      allowedHandles: args.allowed_x_handles,
      excludedHandles: args.excluded_x_handles,
      fromDate: args.from_date,
      toDate: args.to_date,
      understandsImages: args.enable_image_understanding,
      understandsVideos: args.enable_video_understanding,
    });
    const answered = await pages.searchPosts(wish, signal);
    if (!answered.ok) return fail(answered.error.message, signal.aborted ? "aborted" : "failed");
    const { answer, citations, inlineCitations, model, credentialSource, degradedReason } = answered.value;
    const inline = inlineCitations.map(({ url, title, startIndex, endIndex }): JsonObject =>
      withoutUndefined({ url, title, start_index: startIndex, end_index: endIndex }),
    );
    return json({
      success: true,
      answer,
      citations: [...citations],
      inline_citations: inline,
      model,
      credential_source: credentialSource,
      degraded: degradedReason !== undefined,
      ...(degradedReason !== undefined && { degraded_reason: degradedReason }),
    });
  },
});
