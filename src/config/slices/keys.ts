import { z } from "zod";

import { setting } from "./setting.ts";

export const keyBindings = setting(
  z.record(
    z.string().regex(/^[a-z_]+$/u),
    setting(z.array(z.string().min(1).max(60)), "Its keys. An empty list: no key."),
  ),
  "Keys of the full screen. The name is an action of docs/reference/keys.md; its value replaces all keys of this action, such as `history_search: [ctrl+r, f3]` or `edit_in_program: [ctrl+x ctrl+e]`.",
);
