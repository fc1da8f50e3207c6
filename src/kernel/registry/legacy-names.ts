/** Names that older configurations use for groups of tools. They work for enabling and disabling. */
export const legacyToolsets: ReadonlyMap<string, readonly string[]> = new Map([
  ["web_tools", ["web_search", "web_extract"]],
  ["terminal_tools", ["terminal"]],
  ["vision_tools", ["vision_analyze"]],
  ["image_tools", ["image_generate"]],
  ["skills_tools", ["skills_list", "skill_view", "skill_manage"]],
  [
    "browser_tools",
    [
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
    ],
  ],
  ["file_tools", ["read_file", "write_file", "patch", "search_files"]],
  ["tts_tools", ["text_to_speech"]],
  ["cronjob_tools", ["cronjob"]],
]);
