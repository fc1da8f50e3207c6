import { err, ok } from "../../base/result.ts";
import { object, oneOf } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  read: readOperation({
    summary: "Read an image or a text of this machine's clipboard",
    input: object({ kind: oneOf("image: only an image; any: an image, else the text", ["image", "any"]) }),
    needs: ["config", "pictures"],
    async run({ kind }, { config, pictures }, { signal, clock }) {
      const [{ readClipboard }, { promptImage }] = await Promise.all([
        import("../../media/clipboard/clipboard-programs.ts"),
        import("./images.ts"),
      ]);
      const read = await readClipboard(kind, { env: config.env, platform: process.platform, signal, clock });
      if (!read.ok) return err({ message: read.error.message });
      if ("text" in read.value) return ok({ text: read.value.text });
      const image = await promptImage(read.value.image, "The clipboard", pictures, signal);
      return image.ok ? ok({ image: image.value }) : image;
    },
  }),
};
