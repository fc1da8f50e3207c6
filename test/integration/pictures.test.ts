// covers: src/media, src/tools/media, src/runtime/media, src/kernel/session/described-images.ts
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import sharp from "sharp";

import type { JsonObject } from "../../src/base/json.ts";
import type { ContentPart, ImagePart } from "../../src/contracts/model/message.ts";
import type { ModelFacts } from "../../src/contracts/model/model.ts";
import { pdfFile } from "../support/pdf-file.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel, type RequestWithoutModel } from "../support/scripted-model.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

interface Scene {
  readonly folder: string;
  readonly facts: Partial<ModelFacts>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly tool?: string;
  readonly prompt?: readonly ContentPart[];
}

/** One call of a tool in a session; returns its result and all requests. Auxiliary requests are answered with text. */
async function look(args: JsonObject | undefined, { folder, facts, settings = {}, tool, prompt }: Scene) {
  let calls = 0;
  const model = scriptedModel((request) => {
    if (request.tools.length === 0) return { text: "SEEN: a red square" };
    return args && calls++ === 0 ? { calls: [{ name: tool ?? "vision_analyze", args }] } : { text: "done" };
  }, facts);
  await using runtime = await runtimeRig({
    folder,
    model: { open: async () => ({ ok: true, value: model }), describesImages: () => true },
    settings: { toolsets: ["vision", "video", "file"], ...settings },
  });
  await using session = await runtime.openSession({ source: "test" });
  await session.prompt(prompt ?? [{ type: "text", text: "look" }]).done;
  const last = model.requests.findLast(({ tools }) => tools.length > 0);
  const result = last?.messages.findLast(({ role }) => role === "tool");
  return { result: result?.content ?? [], requests: model.requests, last: last as RequestWithoutModel };
}

const imagesIn = (content: readonly ContentPart[]) =>
  content.filter((part): part is ImagePart => part.type === "image");
const textOf = (content: readonly ContentPart[]) =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

function readBack({ data }: ImagePart, folder: string): string {
  const file = join(folder, "seen.img");
  writeFileSync(file, Buffer.from(data, "base64"));
  return execFileSync("tesseract", [file, "-", "--psm", "6"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

test(
  "text in a large screenshot or a PDF page is readable in the image that the model gets",
  { skip: missingPrograms({ tesseract: "tesseract-ocr", pdftoppm: "poppler-utils" }) },
  async () => {
    await using home = await tempHome();
    const folder = home.path;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="2400"><rect width="4000" height="2400" fill="#fff"/>
      <text x="200" y="400" font-size="110" font-family="DejaVu Sans, sans-serif">Invoice number 48213 is overdue</text>
      <text x="3000" y="2000" font-size="24" font-family="DejaVu Sans, sans-serif">tiny remark BLUEBIRD</text></svg>`;
    // Its name is wrong: the type comes from the content.
    writeFileSync(join(folder, "shot.jpg"), await sharp(Buffer.from(svg)).png().toBuffer());
    writeFileSync(join(folder, "letter.pdf"), pdfFile([["First page"], ["The code word is HARBOUR"]]));
    const scene = { folder, facts: { vision: true } };
    const whole = await look({ image_url: "shot.jpg", question: "What is overdue?" }, scene);
    const [image] = imagesIn(whole.result);
    assert.ok(image, textOf(whole.result));
    assert.match(textOf(whole.result), /PNG, 4000 x 2400 pixels, shown at 1568 x 941/u);
    assert.match(readBack(image, folder), /Invoice number 48213 is overdue/u);
    const detail = await look({ image_url: "shot.jpg", question: "?", region: [2900, 1900, 3500, 2100] }, scene);
    const [cropped] = imagesIn(detail.result);
    assert.ok(cropped, textOf(detail.result));
    assert.match(readBack(cropped, folder), /tiny remark BLUEBIRD/u);
    const page = await look({ image_url: "letter.pdf", question: "?", page: 2, region: [0, 0, 1, 0.3] }, scene);
    const [drawn] = imagesIn(page.result);
    assert.ok(drawn, textOf(page.result));
    assert.match(readBack(drawn, folder), /The code word is HARBOUR/u);
    const none = await look({ image_url: "letter.pdf", question: "?", page: 9 }, scene);
    assert.match(textOf(none.result), /Page 9 of letter.pdf cannot be shown: it has 2 pages/u);
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`hermes-media-${process.pid}.`)),
      [],
    );
  },
);

test(
  "a HEIC image is decoded by a program of this machine",
  { skip: missingPrograms({ "heif-enc": "libheif-examples", "heif-convert": "libheif-examples" }) },
  async () => {
    await using home = await tempHome();
    const folder = home.path;
    const [drawn, photo] = [join(folder, "drawn.png"), join(folder, "photo.jpg")];
    await sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: "#2040c0" } })
      .png()
      .toFile(drawn);
    execFileSync("heif-enc", [drawn, "-o", photo], { stdio: "ignore" });
    const scene = { folder, facts: { vision: true } };
    const whole = await look({ image_url: "photo.jpg", question: "?" }, scene);
    const [image] = imagesIn(whole.result);
    assert.ok(image, textOf(whole.result));
    assert.match(textOf(whole.result), /HEIC, 2000 x 1000 pixels, shown at 1568 x 784/u);
    const { channels } = await sharp(Buffer.from(image.data, "base64")).stats();
    assert.ok(channels.every(({ mean }, index) => Math.abs(mean - ([32, 64, 192][index] ?? 0)) < 6));
    writeFileSync(photo, Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"));
    const broken = await look({ image_url: "photo.jpg", question: "?" }, scene);
    assert.match(textOf(broken.result), /photo\.jpg is a HEIC image that cannot be decoded: .*Install heif-convert/u);
  },
);

test("a model without image input gets the auxiliary model's answer to its question", async () => {
  await using home = await tempHome();
  const folder = home.path;
  const red = await sharp({ create: { width: 3_000, height: 20, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  writeFileSync(join(folder, "red.png"), red);
  const args = { image_url: "red.png", question: "Which colour is it?" };
  for (const scene of [
    { folder, facts: { vision: false } },
    { folder, facts: { vision: true }, settings: { "agent.image_input_mode": "text" } },
  ]) {
    const { result, requests } = await look(args, scene);
    assert.match(textOf(result), /"analysis":"SEEN: a red square"/u);
    assert.deepEqual(imagesIn(result), []);
    const question = requests.find(({ tools }) => tools.length === 0);
    assert.match(textOf(question?.messages[0]?.content ?? []), /Question: Which colour is it\?/u);
    const [sent] = imagesIn(question?.messages[0]?.content ?? []);
    assert.equal((await sharp(Buffer.from(sent?.data ?? "", "base64")).metadata()).width, 1_568);
  }
});

test("agent.image_input_mode decides how images of a prompt are sent", async () => {
  await using home = await tempHome();
  const data = (
    await sharp({ create: { width: 9, height: 9, channels: 3, background: "#f00" } })
      .png()
      .toBuffer()
  ).toString("base64");
  const prompt: readonly ContentPart[] = [
    { type: "text", text: "look" },
    { type: "image", mimeType: "image/png", data },
  ];
  const seen = async (vision: boolean, mode: string) => {
    const scene = { folder: home.path, facts: { vision }, settings: { "agent.image_input_mode": mode }, prompt };
    const { last } = await look(undefined, scene);
    const content = last.messages.find(({ role }) => role === "user")?.content ?? [];
    return [imagesIn(content).length, textOf(content).includes("SEEN: a red square")];
  };
  assert.deepEqual(await seen(true, "auto"), [1, false]);
  assert.deepEqual(await seen(true, "text"), [0, true]);
  assert.deepEqual(await seen(false, "auto"), [0, true]);
  assert.deepEqual(await seen(false, "native"), [1, false]);
});

test("URLs are fetched under the URL rules, data URLs are decoded, and web pages are not images", async () => {
  await using home = await tempHome();
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  await using server = createServer((request, response) => {
    if (request.url === "/page") return response.end("<!doctype html><p>Not found");
    if (request.url === "/gone") return response.writeHead(404).end("no");
    return response.writeHead(200, { "content-type": "text/plain" }).end(png);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = (path: string) => ({ image_url: `http://127.0.0.1:${port}/${path}`, question: "?" });
  const scene = { folder: home.path, facts: { vision: true } };
  const open = { ...scene, settings: { "security.allow_private_urls": true } };
  assert.deepEqual(imagesIn((await look(url("a.png"), scene)).result), [], "private addresses are blocked");
  assert.equal(imagesIn((await look(url("a.png"), open)).result).length, 1);
  assert.match(textOf((await look(url("page"), open)).result), /page is a web page, not an image/u);
  assert.match(textOf((await look(url("gone"), open)).result), /HTTP status 404/u);
  const data = { image_url: `data:text/plain;base64,${png.toString("base64")}`, question: "?" };
  assert.equal(imagesIn((await look(data, scene)).result).length, 1);
});

test(
  "a video is shown as frames at its scene changes, and as a whole to a model that accepts videos",
  { skip: missingPrograms({ ffmpeg: "ffmpeg", ffprobe: "ffmpeg" }) },
  async () => {
    await using home = await tempHome();
    const folder = home.path;
    const colour = (name: string) => ["-f", "lavfi", "-i", `color=${name}:size=160x90:rate=10:duration=2`];
    const join2 = ["-filter_complex", "[0][1]concat=n=2:v=1", "-pix_fmt", "yuv420p"];
    execFileSync("ffmpeg", ["-v", "error", ...colour("red"), ...colour("blue"), ...join2, join(folder, "film.mp4")]);
    const args = { video_url: "film.mp4", question: "Which colours?" };
    const { result } = await look(args, { folder, facts: { vision: true }, tool: "video_analyze" });
    const frames = imagesIn(result);
    assert.equal(frames.length, 4, textOf(result));
    assert.match(textOf(result), /4 frames of 4 s/u);
    const channels = async (part: ImagePart | undefined) =>
      (await sharp(Buffer.from(part?.data ?? "", "base64")).stats()).channels.map(({ mean }) => mean > 128);
    assert.deepEqual(await channels(frames[0]), [true, false, false]);
    assert.deepEqual(await channels(frames[2]), [false, false, true], "right after the change");
    const whole = await look(args, { folder, facts: { vision: true, video: true }, tool: "video_analyze" });
    assert.ok(whole.result.some((part) => part.type === "video" && part.mimeType === "video/mp4"));
    writeFileSync(join(folder, "broken.mp4"), Buffer.concat([Buffer.from("\0\0\0\x18ftypisom"), Buffer.alloc(500)]));
    const broken = await look(
      { ...args, video_url: "broken.mp4" },
      { folder, facts: { vision: true }, tool: "video_analyze" },
    );
    assert.match(textOf(broken.result), /broken.mp4: The video cannot be read/u);
  },
);
