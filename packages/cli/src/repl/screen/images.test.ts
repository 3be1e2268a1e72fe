import { afterEach, expect, test } from "vitest";
import { type DrawnImage, imageBytes, imageLine, isImageLine, setImages } from "./images.ts";
import { LiveRegion } from "./live-region.ts";

afterEach(() => setImages("unknown"));

const image: DrawnImage = { mediaType: "image/png", base64: "AAAA", size: { widthPx: 900, heightPx: 540 } };
const SIZE = { columns: 80, rows: 24 };

test("a PNG is drawn with kitty's protocol, once, with room for it and in its proportions", () => {
  setImages("kitty");
  const line = imageLine(image) ?? "";
  const written = new LiveRegion().draw({ above: ["before", `    ${line}`, "after"], live: ["input"] }, SIZE);
  const rows = "\r\n".repeat(12);
  expect(written).toContain(
    `before\r\n${rows}\u001b[12A\u001b[4C\u001b7\u001b_Ga=T,f=100,q=2,C=1,c=40,r=12;AAAA`,
  );
  expect(written).toContain("\u001b8\u001b[12B\rafter\r\n");
  expect(imageBytes(line)).toBe("");
});

test("in the live region an image is an empty row", () => {
  setImages("iterm");
  const line = imageLine({ ...image, mediaType: "image/jpeg" }) ?? "";
  expect(isImageLine(line)).toBe(true);
  const written = new LiveRegion().draw({ above: [], live: ["a", line, "b"] }, SIZE);
  expect(written).not.toContain("1337");
  expect(imageBytes(line)).toContain("\u001b]1337;File=inline=1;width=40;height=12:AAAA\u0007");
});

test("no image where the terminal cannot draw it, and no data that is not Base64", () => {
  setImages(undefined);
  expect(imageLine(image)).toBe(undefined);
  setImages("kitty");
  expect(imageLine({ ...image, mediaType: "image/jpeg" })).toBe(undefined);
  expect(imageLine({ ...image, base64: "AA\u001b[2J" })).toBe(undefined);
  expect(imageLine({ ...image, size: undefined })).toBe(undefined);
});
