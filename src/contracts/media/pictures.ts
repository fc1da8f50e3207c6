import type { Result } from "../../base/result.ts";
import type { ContentPart, ImagePart, VideoPart } from "../model/message.ts";

/** Pictures and videos for the model of a session. Nothing is loaded before the first call. */
export interface Pictures {
  /**
   * Converts the bytes of an image or a page of a PDF to a picture that models accept: rotated upright, cropped, scaled
   * down, without metadata.
   */
  prepare(bytes: Uint8Array, wish: PictureWish, signal: AbortSignal): Promise<Result<Picture>>;
  /**
   * Returns the pictures themselves if the model accepts images; otherwise a description by the model in
   * `auxiliary.vision`.
   */
  answer(question: string, shown: readonly ContentPart[], signal: AbortSignal): Promise<Result<PictureAnswer>>;
  /** Downloads at most `maxDownloadBytes`, subject to the user's URL rules. */
  download(url: string, signal: AbortSignal): Promise<Result<Uint8Array>>;
  /** The image in the clipboard of this machine. */
  fromClipboard(signal: AbortSignal): Promise<Result<Uint8Array>>;
  /** Converts a video to a form that the model accepts: the whole video, or frames with their times. */
  prepareVideo(bytes: Uint8Array, signal: AbortSignal): Promise<Result<PreparedVideo>>;
}

export interface PictureWish {
  /** The name of the source for messages, such as "shot.png". */
  readonly name: string;
  /**
   * The region to keep as left, top, right and bottom: in pixels of the whole picture, or as fractions of it from 0 to
   * 1.
   */
  readonly region?: Region;
  /** The page of a PDF, starting at 1. */
  readonly page?: number;
}

export type Region = readonly [left: number, top: number, right: number, bottom: number];

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly content: ImagePart;
  /** The format of the source, such as "PNG". */
  readonly format: string;
  /** The size of the whole picture after rotation. */
  readonly original: PictureSize;
  /** The size of `content`. */
  readonly shown: PictureSize;
  /** The region of the original that is shown. Undefined: the whole picture. */
  readonly region?: Region;
  /** Notes for the model, one sentence each. */
  readonly notes: readonly string[];
}

export type PictureAnswer =
  | { readonly by: "session"; readonly content: readonly ContentPart[] }
  | { readonly by: "auxiliary"; readonly text: string };

export type PreparedVideo =
  | { readonly kind: "video"; readonly content: VideoPart; readonly seconds?: number }
  | {
      readonly kind: "frames";
      readonly seconds: number;
      readonly frames: readonly VideoFrame[];
      readonly notes: readonly string[];
    };

export interface VideoFrame {
  readonly atSeconds: number;
  readonly content: ImagePart;
}
