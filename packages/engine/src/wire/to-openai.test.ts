import { expect, test } from "vitest";
import type { ToolResult } from "../core/outcome.ts";
import { toOpenAi } from "./to-openai.ts";

function result(content: ToolResult["content"], is_error = false): ToolResult {
  return { type: "tool_result", tool_use_id: "call_a", content, is_error };
}

const chatText = (content: ToolResult["content"], isError = false): unknown =>
  toOpenAi([result(content, isError)]).chat[0]?.content;
const output = (content: ToolResult["content"], isError = false): unknown =>
  toOpenAi([result(content, isError)]).responses[0]?.output;

const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } } as const;
const pdf = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
} as const;
const linked = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
const linkedPdf = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } } as const;
const plain = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "words" },
} as const;
const stored = { type: "image", source: { type: "file", file_id: "file_1" } } as const;

test("Text goes to both APIs unchanged, one message per result", () => {
  expect(toOpenAi([result("hello"), { ...result("bye"), tool_use_id: "call_b" }])).toEqual({
    chat: [
      { role: "tool", tool_call_id: "call_a", content: "hello" },
      { role: "tool", tool_call_id: "call_b", content: "bye" },
    ],
    responses: [
      { type: "function_call_output", call_id: "call_a", output: "hello" },
      { type: "function_call_output", call_id: "call_b", output: "bye" },
    ],
  });
});

test("Text blocks, and documents that are text, become one text", () => {
  const blocks = [{ type: "text", text: "one" } as const, plain];
  expect(chatText(blocks)).toBe("one\nwords");
  expect(output(blocks)).toBe("one\nwords");
  expect(output([])).toBe("");
});

test("Chat Completions accepts only text, so other blocks are named", () => {
  expect(chatText([{ type: "text", text: "see" }, png])).toBe(
    "see\n[image: image/png, not shown: this API accepts only text results]",
  );
  expect(chatText([linkedPdf])).toBe(
    "[document: https://example.com/a.pdf, not shown: this API accepts only text results]",
  );
  expect(chatText([stored])).toBe("[image: source file, not shown: this API accepts only text results]");
});

test("Responses accepts images and files as parts", () => {
  expect(output([{ type: "text", text: "see" }, png, linked, pdf, linkedPdf, stored])).toEqual([
    { type: "input_text", text: "see" },
    { type: "input_image", image_url: "data:image/png;base64,aGVsbG8=" },
    { type: "input_image", image_url: "https://example.com/a.png" },
    { type: "input_file", filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
    { type: "input_file", file_url: "https://example.com/a.pdf" },
    { type: "input_text", text: "[image: source file, not shown: this API accepts only text results]" },
  ]);
});

test("An error is marked in its first word, because neither API has a field for it", () => {
  expect(chatText("exit code 1", true)).toBe("Error: exit code 1");
  expect(chatText([png], true)).toMatch(/^Error: the call failed\.\n\[image/);
  for (const text of [
    "Error: x",
    "Not run: x",
    "Stopped after 1 s: x",
    "<tool_use_error>x</tool_use_error>",
  ]) {
    expect(chatText(text, true)).toBe(text);
    expect(output(text, true)).toBe(text);
  }
  expect(chatText("exit code 1", false)).toBe("exit code 1");
});
