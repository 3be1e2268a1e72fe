import { expect, test } from "vitest";
import { GIF_BYTES, pngBytes } from "../../test/support/image-bytes.ts";
import { imagePixels } from "./image-pixels.ts";

test("an image becomes pixels of the wanted size, and a corrupt one becomes none", async () => {
  const [whole, gif, cut, text] = await Promise.all(
    [pngBytes(30, 20), GIF_BYTES, pngBytes(30, 20, true).subarray(0, 300), Buffer.from("text")].map((bytes) =>
      imagePixels({ base64: bytes.toString("base64"), width: 6, height: 4 }),
    ),
  );
  expect([...(whole ?? [])]).toEqual(Array.from({ length: 24 }, () => [90, 90, 90, 255]).flat());
  expect([gif?.length, cut, text]).toEqual([96, undefined, undefined]);
});
