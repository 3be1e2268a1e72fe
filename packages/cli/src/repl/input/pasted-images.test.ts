import { expect, test } from "vitest";
import { PastedImages } from "./pasted-images.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("an image gets a mark, and only images whose marks are left are sent", () => {
  const images = new PastedImages({});
  expect([images.add(PNG), images.add(PNG)]).toEqual(["[Image #1]", "[Image #2]"]);
  const source = { type: "base64", media_type: "image/png", data: PNG.toString("base64") };
  expect(images.in("see [Image #2] and [Image #7]")).toEqual([{ type: "image", source }]);
  expect(images.in("see nothing")).toEqual([]);
  expect(() => images.add(Buffer.from("text"))).toThrow("it is not a PNG, JPEG, GIF or WebP image.");
  expect(() => images.add(Buffer.concat([PNG, Buffer.alloc(4_000_000)]))).toThrow(
    "4.0 MB, and models take at most 3.75 MB",
  );
});

test("without a clipboard the message says what to do instead", async () => {
  await expect(new PastedImages({}).take("linux")).rejects.toThrow("Use @file.");
});
