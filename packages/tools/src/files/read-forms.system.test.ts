import { expect, test } from "vitest";
import { runInProcess } from "../shared/own-process.ts";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { GIF_BYTES, WEBP_BYTES, pdfBytes, pngBytes } from "../../test/support/image-bytes.ts";
import { readImageHeader } from "./image-header.ts";

const image = (mediaType: string, bytes: Buffer) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") },
});

test("images are returned as image blocks, by their content and not by their name", async () => {
  const folder = new TestFolder();
  const png = pngBytes(20, 10);
  folder.write("a.png", png);
  folder.write("really-a-png.JPG", png);
  folder.write("a.gif", GIF_BYTES);
  folder.write("a.webp", WEBP_BYTES);
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "a.png" })).content).toEqual([image("image/png", png)]);
  expect((await call("Read", { file_path: "really-a-png.JPG" })).content).toEqual([image("image/png", png)]);
  expect((await call("Read", { file_path: "a.gif" })).content).toEqual([image("image/gif", GIF_BYTES)]);
  expect((await call("Read", { file_path: "a.webp" })).content).toEqual([image("image/webp", WEBP_BYTES)]);
});

test("C15: images that are empty, corrupt, truncated or not images get a clear error", async () => {
  const folder = new TestFolder();
  const png = pngBytes(200, 200, true);
  folder.write("empty.png", "");
  folder.write("cut.png", png.subarray(0, png.length / 2));
  folder.write("header.png", png.subarray(0, 10));
  folder.write("page.png", "<html>not found</html>");
  const flipped = Buffer.from(png);
  flipped.fill(0xff, 60, 4_000);
  folder.write("flipped.png", flipped);
  const call = agentIn(folder.path);
  const texts = [];
  for (const name of ["empty", "cut", "header", "page", "flipped"])
    texts.push((await call("Read", { file_path: `${name}.png` })).text);
  expect(texts).toEqual([
    "Error: Cannot show the image empty.png: the file is empty.",
    "Error: Cannot show the image cut.png: its image/png data is corrupt or truncated.",
    "Error: Cannot show the image header.png: it starts like image/png but is corrupt or truncated.",
    "Error: Cannot show the image page.png: its content is not PNG, JPEG, GIF or WebP, whatever its name says.",
    "Error: Cannot show the image flipped.png: its image/png data is corrupt or truncated.",
  ]);
});

test("C15: images that are too large are made smaller, and those that are far too large are refused", async () => {
  const folder = new TestFolder();
  folder.write("wide.png", pngBytes(20_000, 10));
  folder.write("heavy.png", pngBytes(1_900, 1_900, true));
  const bomb = pngBytes(10, 10);
  bomb.writeUInt32BE(20_000, 16);
  bomb.writeUInt32BE(20_000, 20);
  folder.write("bomb.png", bomb);
  const call = agentIn(folder.path);
  const sizes = [];
  for (const name of ["wide.png", "heavy.png"]) {
    const { text, content, isError } = await call("Read", { file_path: name });
    const { source } = content[1] as unknown as { source: { data: string } };
    const bytes = Buffer.from(source.data, "base64");
    expect([isError, bytes.length < 3_750_000]).toEqual([false, true]);
    sizes.push([text.split("\n")[0], readImageHeader(bytes)]);
  }
  expect(sizes).toEqual([
    [
      expect.stringMatching(/^The image wide\.png is 20000 × 10 pixels, \d+ bytes; resized to 1568 × 1\.$/),
      { type: "image", mediaType: "image/png", width: 1_568, height: 1 },
    ],
    [
      expect.stringMatching(
        /^The image heavy\.png is 1900 × 1900 pixels, \d+ bytes; resized to 1568 × 1568\.$/,
      ),
      { type: "image", mediaType: "image/jpeg", width: 1_568, height: 1_568 },
    ],
  ]);
  expect((await call("Read", { file_path: "bomb.png" })).text).toBe(
    "Error: Cannot show the image bomb.png: it has 20000 × 20000 pixels, too many to resize " +
      "(limit: 64000000 in total).",
  );
});

test("pages of a PDF are returned as text, with a note on how to continue", async () => {
  const folder = new TestFolder();
  folder.write("a.pdf", pdfBytes(["first page", "", "third page"]));
  folder.write("long.pdf", pdfBytes(Array.from({ length: 25 }, (_, at) => `page ${at + 1}`)));
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "a.pdf" })).text).toBe(
    "[Page 1 of 3]\nfirst page\nsecond line\n\n[Page 2 of 3]\n(This page has no text; it may be a scanned image.)\n\n" +
      "[Page 3 of 3]\nthird page\nsecond line",
  );
  expect((await call("Read", { file_path: "a.pdf", pages: "3" })).text).toBe(
    "[Page 3 of 3]\nthird page\nsecond line",
  );
  expect((await call("Read", { file_path: "long.pdf" })).text).toMatch(
    /\[Page 20 of 25\]\npage 20\nsecond line\n\n\[More pages follow\. Continue with pages "21-25"\.\]$/,
  );
});

test("errors in a PDF or its page range are reported", async () => {
  const folder = new TestFolder();
  folder.write("a.pdf", pdfBytes(["one"]));
  folder.write("broken.pdf", "%PDF-1.4 and then nothing");
  folder.write("a.txt", "text");
  const call = agentIn(folder.path);
  const texts = [];
  for (const input of [
    { file_path: "broken.pdf" },
    { file_path: "a.pdf", pages: "2-3" },
    { file_path: "a.pdf", pages: "1-30" },
    { file_path: "a.pdf", pages: "all" },
    { file_path: "a.txt", pages: "1" },
  ])
    texts.push((await call("Read", input)).text);
  expect(texts).toEqual([
    "Error: Cannot read the PDF broken.pdf: Invalid PDF structure.",
    "Error: The PDF a.pdf has 1 page, so there is no page 2.",
    'Error: pages "1-30" exceeds the limit of 20 pages per call. Read them in several calls.',
    'Error: pages must be a page or a range such as "3" or "1-5", not "all".',
    "Error: pages works only for PDF files, and a.txt is not one. Use offset and limit.",
  ]);
});

test("notebooks are returned as cells with their outputs", async () => {
  const folder = new TestFolder();
  const png = pngBytes(3, 3);
  const cells = [
    { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      id: "sum",
      metadata: {},
      execution_count: 1,
      source: "1 + 1",
      outputs: [
        { output_type: "execute_result", data: { "text/plain": ["2"] } },
        { output_type: "stream", name: "stdout", text: ["printed\n"] },
        { output_type: "display_data", data: { "image/png": png.toString("base64") } },
        { output_type: "error", ename: "E", evalue: "bad", traceback: ["at 1"] },
        { output_type: "display_data", data: { "image/png": "AAAA" } },
      ],
    },
  ];
  folder.write("a.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  folder.write("broken.ipynb", "{");
  folder.write("other.ipynb", "{}");
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "a.ipynb" })).content).toEqual([
    { type: "text", text: '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>' },
    {
      type: "text",
      text:
        '<cell id="sum" type="code" language="python">\n1 + 1\n</cell>\n<output of="sum">\n2\nprinted\n\n' +
        "E: bad\nat 1\n</output>",
    },
    image("image/png", png),
    {
      type: "text",
      text: "(Cannot show the image in the output of cell sum: its content is not PNG, JPEG, GIF or WebP, whatever its name says.)",
    },
  ]);
  expect((await call("Read", { file_path: "a.ipynb", limit: 1 })).text).toBe(
    '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>\n[1 more of 2 cells. Continue with offset 2.]',
  );
  expect((await call("Read", { file_path: "broken.ipynb" })).text).toMatch(
    /^Error: broken\.ipynb is not a notebook: it is not valid JSON/,
  );
  expect((await call("Read", { file_path: "other.ipynb" })).text).toBe(
    'Error: other.ipynb is not a notebook of format 4: it has no "cells" array.',
  );
});

test("a process that loops is ended by its limit, and an aborted one ends at once", async () => {
  const job = { script: "for (;;);", input: {} };
  const { signal } = new AbortController();
  expect(await runInProcess({ ...job, limitMs: 300, signal })).toEqual({
    type: "failed",
    message: "it took longer than 0.3 s",
  });
  const stop = new AbortController();
  const stopped = runInProcess({ ...job, limitMs: 60_000, signal: stop.signal });
  setTimeout(() => stop.abort(new Error("stopped")), 50);
  await expect(stopped).rejects.toThrow("stopped");
});
