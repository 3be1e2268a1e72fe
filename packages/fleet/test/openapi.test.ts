/** The OpenAPI document against what the server really answers: every status, type and body. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { fileStore, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import {
  type AgentQueue,
  type AgentServer,
  type AgentWorker,
  createAgentQueue,
  serveAgents,
  startAgentWorker,
} from "../src/index.ts";

const ALL = "all-0123456789abcdefgh";
const READ = "read-0123456789abcdefg";
const LIMITED = "limited-0123456789abcd";

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly components: { readonly schemas: object };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let home: string;
let queue: AgentQueue;
let worker: AgentWorker;
let server: AgentServer;
let limited: AgentServer;
let document: Document;
let ajv: Ajv2020;
/** The operations and statuses that the tests have seen. */
const seen = new Set<string>();

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "fleet-openapi-"));
  queue = createAgentQueue({ store: fileStore({ home }) });
  const tokens = [
    { token: ALL, scopes: ["read", "write", "answer", "metrics"] as const },
    { token: READ, scopes: ["read"] as const },
  ];
  server = await serveAgents({ queue, tokens, limits: { bodyBytes: 2_000 } });
  limited = await serveAgents({ queue, tokens: [{ token: LIMITED }], limits: { perMinute: 1 } });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
  ajv = new Ajv2020({ strict: true, formats: { "date-time": date, uri: (text) => URL.canParse(text) } });
  ajv.addSchema({ $id: "openapi", $defs: asDefinitions(document.components.schemas) });
});
afterAll(async () => {
  await worker?.drain();
  for (const one of [server, limited]) await one?.close();
  await queue?.close();
  await rm(home, { recursive: true, force: true });
});

/** Refers to the schemas of the document as JSON Schema does. */
function asDefinitions(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "openapi#/$defs/")) as object;
}

function validator(schema: object): ValidateFunction {
  return ajv.compile(asDefinitions(schema));
}

interface Request {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: string;
  readonly isInvalid?: boolean;
}

/** Sends a request, and checks the request and its response against the document. */
async function send(method: string, path: string, request: Request = {}): Promise<unknown> {
  const { token = ALL, body, headers = {}, at = server.url, isInvalid = false } = request;
  const names = Object.keys(document.paths);
  const [plain = ""] = path.split("?");
  const route =
    names.find((name) => new RegExp(`^${name.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain)) ?? "";
  const operation = document.paths[route]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document`);
  const asked = operation.requestBody?.content["application/json"]?.schema;
  if (asked !== undefined && body !== undefined)
    expect([path, body, validator(asked)(body)]).toEqual([path, body, !isInvalid]);
  const response = await fetch(`${at}${path}`, {
    method,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  const text = await response.text();
  const documented = operation.responses[String(status)];
  expect([method, path, status, documented?.description]).toEqual([method, path, status, expect.any(String)]);
  seen.add(`${method} ${route} ${status}`);
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  if (documented?.content === undefined) return text;
  expect(Object.keys(documented.content)).toContain(type);
  if (!type.endsWith("json")) return text;
  const value: unknown = JSON.parse(text);
  const check = validator(documented.content[type]?.schema ?? {});
  expect([path, check(value) ? [] : check.errors, text]).toEqual([path, [], text]);
  return value;
}

const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };

test("every request and every response is as the OpenAPI document says", async () => {
  await send("POST", "/v1/sessions", {
    body: { id: "fresh", prompt: [{ type: "text", text: "Hi" }, IMAGE] },
  });
  expect(await send("GET", "/v1/sessions/fresh")).toMatchObject({ status: "new" });
  await send("GET", "/v1/sessions/fresh/timeline");
  await send("DELETE", "/v1/sessions/fresh");
  const note = defineTool({
    name: "Note",
    description: "Notes.",
    inputSchema: z.object({}),
    call: () => "noted",
  });
  worker = await startAgentWorker({
    queue,
    sweepMs: 50,
    agent: () => ({
      model: scripted(
        Array.from(
          { length: 3 },
          () =>
            ({ messages }: { messages: readonly unknown[] }) =>
              messages.length === 1
                ? [{ type: "tool_use", id: "c/1 ?", name: "Note", input: {} }]
                : [{ type: "text", text: "Done." }],
        ),
      ),
      tools: [note],
      canUseTool: () => ({ behavior: "ask", reason: "it is a note" }),
    }),
  });
  const { id } = (await send("POST", "/v1/sessions", { body: { prompt: "Hi" } })) as { id: string };
  const session = `/v1/sessions/${id}`;
  const isIn = async (status: string): Promise<boolean> =>
    ((await send("GET", session)) as { status: string }).status === status;
  await expect.poll(() => isIn("waiting"), { timeout: 30_000 }).toBe(true);
  const { questions } = (await send("GET", `${session}/questions`)) as { questions: { id: string }[] };
  const question = `${session}/questions/${encodeURIComponent(questions[0]?.id ?? "")}`;
  await send("POST", `${question}/answer`, { body: { behavior: "perhaps" }, isInvalid: true });
  await send("POST", `${question}/answer`, { body: { behavior: "allow" }, token: READ });
  await send("POST", `${question}/answer`, { body: { behavior: "allow" } });
  await expect.poll(() => isIn("ended"), { timeout: 30_000 }).toBe(true);
  await send("POST", `${question}/answer`, { body: { behavior: "deny", message: "too late" } });
  await send("GET", `${session}/timeline`);
  const events = String(await send("GET", `${session}/events?until=now&deltas=true`));
  const last = [...events.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? "";
  await send("GET", `${session}/events?until=now`, { headers: { "last-event-id": last } });
  await send("GET", `${session}/events?from=${last}9`);
  await send("POST", `${session}/prompts`, { body: { prompt: "And?", id: "p1" } });
  await send("POST", `${session}/prompts`, { body: { prompt: "And?", id: "../p" } });
  await send("POST", `${session}/interrupt`);
  await send("GET", "/v1/sessions?limit=1");
  await send("GET", "/v1/sessions?limit=0");
  for (const path of ["/metrics", "/healthz", "/readyz", "/openapi.json"]) await send("GET", path);
  // Problems.
  await send("POST", "/v1/sessions", { body: { id, prompt: "Again" } });
  for (const prompt of [
    "",
    [],
    [{ type: "text", text: "" }],
    [{ type: "image" }],
    [{ type: "tool_result" }],
    7,
  ])
    await send("POST", "/v1/sessions", { body: { prompt }, isInvalid: true });
  const bad = { type: "image", source: { type: "base64", media_type: "image/png", data: "not base64!" } };
  await send("POST", "/v1/sessions", { body: { prompt: [bad] } });
  await send("POST", "/v1/sessions", { body: { prompt: "x".repeat(3_000) } });
  await send("POST", "/v1/sessions", { body: { prompt: "Hi" }, headers: { "content-type": "text/plain" } });
  await send("GET", "/v1/sessions", { headers: { origin: "https://evil.example" } });
  await send("GET", "/v1/sessions", { token: "" });
  const wanted = { at: limited.url, token: LIMITED };
  await send("GET", "/v1/sessions", wanted);
  await send("GET", "/v1/sessions", wanted);
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/events"],
    ["GET", "/questions"],
    ["GET", "/timeline"],
    ["POST", "/interrupt"],
    ["DELETE", ""],
  ] as const)
    await send(method, `/v1/sessions/nobody${path}`);
  await send("POST", "/v1/sessions/nobody/prompts", { body: { prompt: "Hi" } });
  await send("POST", "/v1/sessions/nobody/questions/1/answer", { body: { behavior: "allow" } });
  const lease = await fileStore({ home }).lease("held");
  await send("DELETE", "/v1/sessions/held");
  await lease.release();
  // Each operation was seen with each of its successes, and each status of a problem at least once.
  const successes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses)
        .filter((status) => status.startsWith("2"))
        .map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  expect(successes.filter((one) => !seen.has(one))).toEqual([]);
  const statuses = new Set([...seen].map((one) => one.split(" ").at(-1)));
  for (const status of ["400", "401", "403", "404", "409", "413", "415", "429"])
    expect([status, statuses.has(status)]).toEqual([status, true]);
});
