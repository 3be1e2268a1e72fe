import { afterEach, expect, test } from "vitest";
import { anthropic } from "../../src/model/anthropic.ts";
import { openai } from "../../src/model/openai.ts";
import { type ModelServer, modelServer } from "../support/model-server.ts";
import { WIRES, type Wire, bytesOf, callsOf, collect, expectSound, hear, lines, textOf } from "./support.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

for (const wire of WIRES) {
  const text = textOf(wire.recording);
  const bytes = bytesOf(text);
  const whole = hear(wire, [bytes]);

  test(`${wire.name}: the recording is read completely`, async () => {
    const heard = await whole;
    expect(heard.error).toBeUndefined();
    expect(callsOf(heard).map(({ id }) => id)).toEqual(Object.keys(wire.recording.wholeAt));
    expect(heard.events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });
    expectSound(heard);
  });

  test(`A01: ${wire.name}: split at every byte, the events are the same and no character is lost`, async () => {
    const expected = await whole;
    for (let at = 1; at < bytes.length; at++)
      expect(await hear(wire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    const single = await hear(
      wire,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    );
    expect(single).toEqual(expected);
    expect(JSON.stringify(single)).not.toContain("\ufffd");
  });

  test(`A02: ${wire.name}: every form that the standard allows means the same`, async () => {
    const expected = await whole;
    for (const [form, other] of Object.entries(formsOf(wire, text))) {
      const heard = await hear(wire, [bytesOf(other)]);
      expect([form, heard]).toEqual([form, expected]);
      const byte = await hear(
        wire,
        Array.from(bytesOf(other), (each) => Uint8Array.of(each)),
      );
      expect([form, byte]).toEqual([form, expected]);
    }
  });

  test(`A01, A02: ${wire.name}: the same over HTTP`, async () => {
    const expected = await whole;
    const pieces = [[bytes], [bytes.subarray(0, 777), bytes.subarray(777)], [text.replaceAll("\n", "\r\n")]];
    for (const each of pieces) {
      const server = await modelServer({ pieces: each });
      servers.push(server);
      const heard = await collect(modelAt(wire, server.url).stream(REQUEST, new AbortController().signal));
      expect(heard).toEqual(expected);
      expect(server.requests[0]?.path).toBe(wire.path);
    }
  });
}

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;

function modelAt({ path }: Wire, url: string) {
  if (path === "/v1/messages") return anthropic({ model: "m", apiKey: "key", baseURL: url });
  const api = path === "/v1/responses" ? "responses" : "chat";
  return openai({ model: "m", apiKey: "key", baseURL: `${url}/v1`, api });
}

function formsOf({ recording }: Wire, text: string): Record<string, string> {
  const unknown = 'event: mystery\ndata: {"type":"mystery","index":0}\n\n';
  return {
    CRLF: text.replaceAll("\n", "\r\n"),
    "lone CR": text.replaceAll("\n", "\r"),
    "a byte order mark": `\ufeff${text}`,
    "no space": text.replaceAll("data: ", "data:").replaceAll("event: ", "event:"),
    comments: text.replaceAll("\n\n", "\n\n: keep-alive\n\n:\n"),
    "other fields": text.replaceAll("data: ", "id: 7\nretry: 10\nnonsense\ndata: "),
    "the event after its data": text.replaceAll(/(event: .*\n)(data: .*\n)/g, "$2$1"),
    "no event lines": text.replaceAll(/event: .*\n/g, ""),
    "an empty event": text.replaceAll("\n\n", "\n\nevent: nothing\n\n"),
    // White space between the members of an object may be a line end, and then every line has its own `data:`.
    "data of several lines": recording.events.map(inLines).join(""),
    "unknown events": recording.events.map((event) => unknown + lines(event)).join(""),
  };
}

function inLines(event: object | string): string {
  if (typeof event === "string") return event;
  const data = JSON.stringify(event, null, 1).split("\n");
  return `${data.map((line) => `data: ${line}\n`).join("")}\n`;
}
