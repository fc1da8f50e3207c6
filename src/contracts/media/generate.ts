import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";

export const aspectRatios = ["landscape", "square", "portrait"] as const;
export type AspectRatio = (typeof aspectRatios)[number];

export interface ImageWish {
  readonly prompt: string;
  readonly aspectRatio: AspectRatio;
  /** Input images: an image to change, or images to use as a reference. */
  readonly references: readonly MediaReference[];
  readonly upscale: boolean;
}

export interface VideoWish extends ImageWish {
  readonly seconds?: number;
  readonly resolution?: string;
  readonly negativePrompt?: string;
  readonly audio?: boolean;
  readonly seed?: number;
  readonly model?: string;
}

export interface MediaReference {
  readonly base64: string;
  readonly mimeType: string;
}

export interface GeneratedMedia {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** The URL at which the service keeps the result for a limited time. */
  readonly url?: string;
}

export interface Generated {
  readonly provider: string;
  readonly model: string;
  readonly media: readonly GeneratedMedia[];
  readonly isUpscaled: boolean;
  /** One sentence each, for the model and the person. */
  readonly notes: readonly string[];
}

export interface GeneratorFacts {
  readonly provider: string;
  readonly model: string;
  readonly maxReferences: number;
  readonly canUpscale: boolean;
  /** The servers that receive the prompt. Empty: a program on this machine creates the result. */
  readonly targets: readonly ServiceTarget[];
}

/** Creates images and videos with the service that the settings choose. Nothing is loaded before the first call. */
export interface MediaGenerator {
  /** The service that would currently be used. */
  facts(kind: "image" | "video", signal: AbortSignal): Promise<Result<GeneratorFacts>>;
  image(wish: ImageWish, signal: AbortSignal, progress: (note: string) => void): Promise<Result<Generated>>;
  video(wish: VideoWish, signal: AbortSignal, progress: (note: string) => void): Promise<Result<Generated>>;
}
