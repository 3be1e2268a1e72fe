/** Our loop against a real server: llama.cpp with a tiny model, whose calls the server's grammar constrains. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Shape, isShape, listOf, shapeOf } from "@runahead/base";
import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openai } from "../../src/model/openai.ts";
import { runQuery } from "../support/run-query.ts";
import { tinyModel } from "./gguf.ts";

const SCRIPT = fileURLToPath(new URL("../../../../scripts/llama-server.mjs", import.meta.url));
const CONTEXT_TOKENS = 65_536;
const PATHS = ["a.ts", "src/b.ts"] as const;

let folder = "";
let llama: ChildProcess | undefined;
let proxy: Server | undefined;
let address = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runahead-llama-"));
  writeFileSync(join(folder, "tiny.gguf"), tinyModel(CONTEXT_TOKENS));
  const origin = await startLlama();
  proxy = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const piece of request) text += String(piece);
      const body = JSON.stringify(withCall(JSON.parse(text) as Shape));
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${origin}${request.url ?? ""}`, { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      for await (const piece of answer.body ?? []) response.write(piece);
      response.end();
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => proxy?.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
}, 300_000);

afterAll(() => {
  proxy?.close();
  llama?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the address that the server prints when it is ready. */
async function startLlama(): Promise<string> {
  const { command, folder: inside } = JSON.parse(
    execFileSync(process.execPath, [SCRIPT, folder], { encoding: "utf8" }),
  ) as { readonly command: readonly string[]; readonly folder: string };
  const [program = "", ...rest] = command;
  // With a seed of its own each time, the model sometimes writes text up to the limit, and no call.
  const options = ["--jinja", "-c", String(CONTEXT_TOKENS), "-t", "1", "--seed", "1"];
  options.push("--host", "127.0.0.1", "--port", "0");
  llama = spawn(program, [...rest, "-m", `${inside}/tiny.gguf`, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const hear = (line: string): void => {
      said.push(line);
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [llama?.stdout, llama?.stderr])
      if (stream !== null && stream !== undefined) createInterface({ input: stream }).on("line", hear);
    llama?.once("error", reject);
    llama?.once("exit", (code) =>
      reject(new Error(`llama-server ended with ${code}: ${said.slice(-5).join("\n")}`)),
    );
  });
}

/** The first request must be answered with a call; later ones as the model likes. */
function withCall(body: Shape): Shape {
  const items = [...listOf(body["messages"]), ...listOf(body["input"])].map(shapeOf);
  const hasResult = items.some(({ role, type }) => role === "tool" || type === "function_call_output");
  return hasResult ? body : { ...body, tool_choice: "required" };
}

test.each(["chat", "responses"] as const)(
  "%s: calls of a real server run with valid input, and the server accepts the history with their results",
  async (api) => {
    const ran: unknown[] = [];
    const read = defineTool({
      name: "Read",
      description: "Reads a file",
      inputSchema: z.object({ path: z.enum(PATHS), line: z.int().min(1).max(9) }),
      isReadOnly: () => true,
      call: (input) => {
        ran.push(input);
        return `the text of ${input.path}`;
      },
    });
    const { events, result } = await runQuery({
      model: openai({ model: "tiny", apiKey: "none", baseURL: address, api }),
      tools: [read],
      prompt: "Read a.ts.",
      maxTokens: 3_000,
      maxTurns: 2,
      autoCompact: false,
    });
    expect([result.reason, result.detail]).toEqual(
      result.reason === "completed" ? ["completed", ""] : ["max_turns", "2 turns"],
    );
    expect(ran.length).toBeGreaterThan(0);
    const outcomes = events.flatMap((event) => (event.type === "call-settled" ? [event.outcome.type] : []));
    expect(outcomes).toContain("succeeded");
    for (const input of ran) expect(PATHS).toContain(isShape(input) ? input["path"] : undefined);
    expect(result.turns).toBeGreaterThan(1);
    expect(checkHistory(result.messages)).toEqual([]);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  },
  300_000,
);
