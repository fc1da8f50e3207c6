import type { Toolset } from "../contracts/tool/toolset.ts";

const web = ["web_search", "web_extract"];
const terminal = ["terminal", "process"];
const file = ["read_file", "write_file", "patch", "search_files"];
const skills = ["skills_list", "skill_view", "skill_manage"];
const browser = [
  "browser_navigate",
  "browser_snapshot",
  "browser_click",
  "browser_type",
  "browser_scroll",
  "browser_back",
  "browser_press",
  "browser_get_images",
  "browser_vision",
  "browser_console",
  "browser_fill",
  "browser_select",
  "browser_hover",
  "browser_wait",
  "browser_tabs",
  "browser_upload",
  "browser_download",
  "browser_pdf",
  "browser_close",
];
const browserCdp = ["browser_cdp", "browser_dialog"];
const homeassistant = ["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"];
const feishuDrive = [
  "feishu_drive_list_comments",
  "feishu_drive_list_comment_replies",
  "feishu_drive_reply_comment",
  "feishu_drive_add_comment",
];
const yuanbao = ["yb_query_group_info", "yb_query_group_members", "yb_send_dm", "yb_search_sticker", "yb_send_sticker"];

/** The tools for work on code: without images, speech, schedules, smart home and desktop. */
const codingTools = [
  ...web,
  ...terminal,
  ...file,
  "vision_analyze",
  ...skills,
  ...browser,
  ...browserCdp,
  "todo",
  "memory",
  "session_search",
  "clarify",
  "execute_code",
  "delegate_task",
  "read_back",
  "checkpoint",
];

/** The tools of the terminal host, which are the base of every platform. They are kept when a preset is disabled. */
export const coreTools: readonly string[] = [
  ...codingTools,
  "image_generate",
  "text_to_speech",
  "cronjob",
  "send_message",
  "sessions_send",
  ...homeassistant,
  "computer_use",
];

export const builtinToolsets: readonly Toolset[] = [
  { name: "web", description: "Search the web and read pages", tools: web },
  { name: "search", description: "Search the web only", tools: ["web_search"] },
  { name: "x_search", description: "Search posts on X", tools: ["x_search"] },
  { name: "vision", description: "Analyze images", tools: ["vision_analyze"] },
  { name: "video", description: "Analyze videos", tools: ["video_analyze"] },
  { name: "image_gen", description: "Generate images", tools: ["image_generate"] },
  {
    name: "video_gen",
    description: "Generate and edit videos",
    tools: ["video_generate", "xai_video_edit", "xai_video_extend"],
  },
  {
    name: "bfl",
    description: "Generate videos with FLUX",
    tools: [
      "bfl_flux3_text_to_video",
      "bfl_flux3_image_to_video",
      "bfl_flux3_keyframes_to_video",
      "bfl_flux3_video_continuation",
      "bfl_flux3_get_result",
      "bfl_flux3_prompting_guide",
    ],
  },
  { name: "computer_use", description: "Use the desktop: look, click, type", tools: ["computer_use"] },
  { name: "terminal", description: "Run commands and manage processes", tools: terminal },
  { name: "file", description: "Read, write, edit and search files", tools: file },
  { name: "skills", description: "Find, read and keep skills", tools: skills },
  { name: "browser", description: "Drive a web browser", tools: browser },
  { name: "browser-cdp", description: "Send protocol commands to a browser, answer its dialogs", tools: browserCdp },
  { name: "tts", description: "Turn text into speech", tools: ["text_to_speech"] },
  { name: "todo", description: "Plan the work of a session", tools: ["todo"] },
  { name: "checkpoint", description: "Undo file changes", tools: ["checkpoint"] },
  { name: "memory", description: "Remember facts across sessions", tools: ["memory"] },
  { name: "session_search", description: "Search earlier sessions", tools: ["session_search"] },
  { name: "clarify", description: "Ask the user a question", tools: ["clarify"] },
  { name: "delegation", description: "Hand work to other agents", tools: ["delegate_task"] },
  { name: "sessions", description: "Write to other sessions", tools: ["sessions_send"] },
  { name: "moa", description: "Ask several models one question", tools: ["mixture_of_agents"], role: "explicit" },
  { name: "code_execution", description: "Run scripts that call tools", tools: ["execute_code"] },
  { name: "cronjob", description: "Schedule jobs", tools: ["cronjob"] },
  { name: "messaging", description: "Send messages to chat platforms", tools: ["send_message"] },
  { name: "homeassistant", description: "See and control a smart home", tools: homeassistant },
  { name: "context_engine", description: "Read text omitted from the context", tools: ["read_back"] },
  {
    name: "tool_search",
    description: "Find and call deferred tools",
    tools: ["tool_search", "tool_describe", "tool_call"],
  },
  {
    name: "kanban",
    description: "Work on tasks of a shared board",
    tools: [
      "kanban_show",
      "kanban_list",
      "kanban_complete",
      "kanban_block",
      "kanban_heartbeat",
      "kanban_comment",
      "kanban_create",
      "kanban_link",
      "kanban_unblock",
      "kanban_request_review",
      "kanban_request_changes",
      "kanban_attach",
      "kanban_attach_url",
      "kanban_attachments",
    ],
    role: "explicit",
  },
  { name: "discord", description: "Read and write on Discord", tools: ["discord"] },
  { name: "discord_admin", description: "Look after Discord servers", tools: ["discord_admin"] },
  { name: "feishu_doc", description: "Read Feishu documents", tools: ["feishu_doc_read"] },
  { name: "feishu_drive", description: "Comments on Feishu files", tools: feishuDrive },
  { name: "yuanbao", description: "Groups, messages and stickers of Yuanbao", tools: yuanbao },
  {
    name: "spotify",
    description: "Play and find music on Spotify",
    tools: [
      "spotify_playback",
      "spotify_devices",
      "spotify_queue",
      "spotify_search",
      "spotify_playlists",
      "spotify_albums",
      "spotify_library",
    ],
  },
  {
    name: "desktop_ui",
    description: "Panes of a desktop session",
    tools: ["read_terminal", "close_terminal", "desktop_preview", "focus_pane"],
    role: "explicit",
  },

  { name: "debugging", description: "Find faults: commands, web, files", tools: terminal, includes: ["web", "file"] },
  { name: "safe", description: "Nothing that runs commands", tools: [], includes: ["web", "vision", "image_gen"] },
  { name: "coding", description: "Work on code", tools: codingTools, role: "posture" },

  preset("cli", "At a terminal"),
  preset("cron", "Scheduled jobs"),
  ...[
    ["telegram", "Telegram"],
    ["slack", "Slack"],
    ["whatsapp", "WhatsApp"],
    ["signal", "Signal"],
    ["matrix", "Matrix"],
    ["mattermost", "Mattermost"],
    ["email", "Email"],
    ["sms", "SMS"],
    ["bluebubbles", "BlueBubbles (iMessage)"],
    ["dingtalk", "DingTalk"],
    ["qqbot", "QQ"],
    ["wecom", "WeCom"],
    ["wecom-callback", "WeCom, through callbacks"],
    ["weixin", "Weixin"],
    ["homeassistant", "Home Assistant"],
  ].map(([platform = "", title = ""]) => preset(platform, title)),
  preset("discord", "Discord", [...coreTools, "discord", "discord_admin"]),
  preset("feishu", "Feishu", [...coreTools, "feishu_doc_read", ...feishuDrive]),
  preset("yuanbao", "Yuanbao", [...coreTools, ...yuanbao]),
  preset("acp", "Editors", without(codingTools, ["clarify"])),
  preset(
    "api-server",
    "Clients of the HTTP server",
    without(coreTools, ["clarify", "send_message", "text_to_speech", "computer_use"]),
  ),
  preset("webhook", "Webhooks, whose payloads nobody vouches for", [...web, "vision_analyze", "clarify"]),
  {
    name: "hermes-gateway",
    description: "Every chat platform together",
    tools: [],
    includes: [
      "hermes-telegram",
      "hermes-discord",
      "hermes-slack",
      "hermes-whatsapp",
      "hermes-signal",
      "hermes-matrix",
      "hermes-mattermost",
      "hermes-email",
      "hermes-sms",
      "hermes-bluebubbles",
      "hermes-dingtalk",
      "hermes-feishu",
      "hermes-qqbot",
      "hermes-wecom",
      "hermes-wecom-callback",
      "hermes-weixin",
      "hermes-yuanbao",
      "hermes-homeassistant",
      "hermes-webhook",
    ],
    role: "preset",
  },
];

function preset(platform: string, title: string, tools: readonly string[] = coreTools): Toolset {
  return { name: `hermes-${platform}`, description: `${title}: everything offered there`, tools, role: "preset" };
}

function without(tools: readonly string[], left: readonly string[]): readonly string[] {
  return tools.filter((tool) => !left.includes(tool));
}
