import { z } from "zod";

import { setting } from "./setting.ts";

export const vision = setting(
  z.object({
    max_side: setting(
      z.int().min(0).max(7_900).default(0),
      "Maximum pixels of the longer side of an image that is sent to a model. 0: the maximum of the model (1568 to 3072).",
    ),
  }),
  "Images that models look at. The model that describes them for others: `auxiliary.vision`.",
);

const seconds = (value: number) =>
  setting(z.int().min(1).max(7_200).default(value), "Time limit of the command in seconds.");

/** Settings of a feature that creates media: the service, its model, own servers and programs. */
function generation(kind: "image" | "video", names: string, formats: string) {
  return z.object({
    provider: setting(
      z.string().max(100).default(""),
      `The service: ${names}, a name of \`${kind}_gen.providers\` or of a plugin. Empty: the first one with a key.`,
    ),
    model: setting(z.string().max(200).default(""), "Its model. Empty: the default of the service."),
    use_gateway: setting(z.boolean().default(false), "Use fal through the Nous tool gateway even if there is a key."),
    base_urls: setting(
      z.record(z.string(), setting(z.string().max(2_000), "Its address.")),
      "Addresses of your own servers that implement the API of a service, by its name.",
    ),
    providers: setting(
      z.record(
        z.string(),
        z.object({
          type: setting(z.string().max(20).default("command"), "Its kind: command, a program of this machine."),
          command: setting(
            z.string().min(1).max(10_000),
            "Shell command. Placeholders: {prompt_path}, {prompt}, {input_path}, {output_path}, {aspect_ratio}, {width}, {height}, {model}, {format}.",
          ),
          model: setting(z.string().max(200).default(""), "For the placeholder {model}."),
          output_format: setting(z.string().max(10).default(formats), "File extension of its output."),
          timeout: seconds(kind === "image" ? 300 : 1_800),
        }),
      ),
      "Programs of this machine, by a name of your choice.",
    ),
  });
}

export const imageGen = setting(
  generation("image", "fal, openai, openai-codex, openrouter, gemini, xai, krea, deepinfra", "png").extend({
    quality: setting(z.enum(["low", "medium", "high"]).default("medium"), "Quality of images of OpenAI."),
  }),
  "Images that `image_generate` creates.",
);

export const videoGen = setting(
  generation("video", "fal, xai, deepinfra", "mp4"),
  "Videos that `video_generate` creates.",
);
