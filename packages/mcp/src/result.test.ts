import { expect, test } from "vitest";
import { errorWords, resourceBlocks, resultBlocks } from "./result.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const png = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
const text = (words: string) => ({ type: "text", text: words });
const shown = (...content: unknown[]) => resultBlocks({ content }, "srv");

test("images are shown by their content, not by their declared type", () => {
  expect(shown({ type: "image", data: PNG, mimeType: "image/jpeg" })).toEqual([png]);
  const others = [
    ["PHN2Zz4=", "image/svg+xml"],
    ["not base64!", "image/png"],
    [`${PNG.slice(0, 20)}!`, "image/png"],
    [7, "image/png"],
  ];
  expect(others.flatMap(([data, mimeType]) => shown({ type: "image", data, mimeType }))).toEqual([
    text("[image of type image/svg+xml, 5 bytes: cannot be shown.]"),
    text("[image of type image/png, 8 bytes: cannot be shown.]"),
    text("[image of type image/png, 15 bytes: cannot be shown.]"),
    text("[image of type image/png, 0 bytes: cannot be shown.]"),
  ]);
});

test("H06: audio, resources, links and unknown blocks are described", () => {
  const blocks = shown(
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "a://1", mimeType: "text/x", text: "inside" } },
    { type: "resource", resource: { uri: "a://2", blob: PNG } },
    { type: "resource", resource: { uri: "a://3", mimeType: "application/zip", blob: "AAAA" } },
    { type: "resource" },
    {
      type: "resource_link",
      uri: "a://4",
      name: "four",
      description: "the fourth",
      mimeType: "text/plain",
      size: 12,
    },
    { type: "text" },
    { type: "hologram", beam: 7 },
    "bare",
    null,
  );
  expect(blocks).toEqual([
    text("[audio of type audio/wav, 3 bytes: cannot be shown.]"),
    text("[Resource a://1, text/x:]\ninside"),
    text("[Resource a://2:]"),
    png,
    text("[Resource a://3, application/zip:]\n[data of type application/zip, 3 bytes: cannot be shown.]"),
    text('[Unknown content block from srv:]\n{\n  "type": "resource"\n}'),
    text(
      '[Link to the resource a://4 (four, the fourth, text/plain, 12 bytes); read it with ReadMcpResource and server "srv".]',
    ),
    text('[Unknown content block from srv:]\n{\n  "type": "text"\n}'),
    text('[Unknown content block from srv:]\n{\n  "type": "hologram",\n  "beam": 7\n}'),
    text('[Unknown content block from srv:]\n"bare"'),
    text("[Unknown content block from srv:]\nnull"),
  ]);
});

test("structured content is shown once, whatever its format", () => {
  const both = (structuredContent: unknown, ...words: string[]) =>
    resultBlocks({ structuredContent, content: words.map(text) }, "srv");
  expect(both({ a: 1, b: [2] }, '{"b": [2], "a": 1}')).toEqual([text('{"b": [2], "a": 1}')]);
  expect(both({ content: "same" }, "same")).toEqual([text("same")]);
  expect(both({ a: 1 }, "one")).toEqual([text("one"), text('[Structured content:]\n{\n  "a": 1\n}')]);
  expect(both([1])).toEqual([text("[Structured content:]\n[\n  1\n]")]);
  expect(both(null)).toEqual([text("[Structured content:]\nnull")]);
});

test("H06: empty answers and unknown formats are described", () => {
  expect(resultBlocks({}, "srv")).toEqual([text("[The tool returned nothing.]")]);
  expect(resultBlocks({ isError: true, content: [] }, "srv")).toEqual([
    text("[The tool failed without a message.]"),
  ]);
  expect(resultBlocks({ content: "text" }, "srv")).toEqual([
    text('[Answer in an unknown format:]\n{\n  "content": "text"\n}'),
  ]);
  expect(resourceBlocks({}, "srv")).toEqual([text("[The resource is empty.]")]);
  expect(errorWords([text("a") as never, png as never])).toBe("a\n[image, left out]");
});
