import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { type Server, createServer } from "node:http";
import { createServer as createNetServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main, program } from "../main.ts";

let root = "";
let model: Server;

type Event = Readonly<Record<string, unknown>>;

/** The events of a response with one block. */
function response(block: Event, delta: Event, stop: string): readonly Event[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return [
    { type: "message_start", message: { id: "m", role: "assistant", model: "claude", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop }, usage },
    { type: "message_stop" },
  ];
}

/** Writes a file in its first turn, and then says that it is done. */
function turn(body: string): readonly Event[] {
  const input = JSON.stringify({ file_path: join(root, "project", "new.txt"), content: "hello\n" });
  return body.includes('"tool_result"')
    ? response({ type: "text", text: "" }, { type: "text_delta", text: "Done." }, "end_turn")
    : response(
        { type: "tool_use", id: "toolu_1", name: "Write", input: {} },
        { type: "input_json_delta", partial_json: input },
        "tool_use",
      );
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-serve-")));
  for (const name of ["project", "home"]) mkdirSync(join(root, name));
  model = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of turn(body))
        answer.write(`event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
      answer.end();
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await new Promise((resolve) => model.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

interface Started {
  readonly url: string;
  readonly token: string;
  readonly stop: () => Promise<number>;
  readonly errors: readonly string[];
}

function serve(...flags: readonly string[]): Promise<Started> {
  return serveWith({ ANTHROPIC_API_KEY: "key" }, ...flags);
}

async function serveWith(
  keys: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<Started> {
  const { port } = model.address() as AddressInfo;
  const errors: string[] = [];
  const ending = new AbortController();
  let started: (text: string) => void = () => {};
  const printed: string[] = [];
  const ready = new Promise<string>((resolve) => (started = resolve));
  const running = main(["serve", "--port", "0", ...flags], {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: {
      PATH: process.env["PATH"],
      ...keys,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    },
    print: (text) => {
      printed.push(text);
      if (text.startsWith("Token")) started(printed.join("\n"));
    },
    complain: (text) => errors.push(text),
    input: { read: () => process.stdin, isTerminal: false, signal: ending.signal },
  });
  const text = await Promise.race([
    ready,
    running.then((code) => Promise.reject(new Error(`exit ${code}: ${errors.join()}`))),
  ]);
  return {
    url: /at (\S+) /.exec(text)?.[1] ?? "",
    token: /Token: (\S+)/.exec(text)?.[1] ?? "",
    stop: () => {
      ending.abort();
      return running;
    },
    errors,
  };
}

test("the coding agent writes a file over HTTP after a person has allowed it", async () => {
  const { url, token, stop, errors } = await serve();
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await sent.json()) as Record<string, unknown>;
  };
  expect(await send("POST", "/v1/sessions", { id: "writes", prompt: "Write new.txt." })).toEqual({
    id: "writes",
  });
  await expect
    .poll(() => send("GET", "/v1/sessions/writes"), { timeout: 30_000 })
    .toMatchObject({ status: "waiting", questions: [{ toolName: "Write" }] });
  const { questions } = (await send("GET", "/v1/sessions/writes")) as { questions: { id: string }[] };
  await send("POST", `/v1/sessions/writes/questions/${questions[0]?.id}/answer`, { behavior: "allow" });
  await expect
    .poll(() => send("GET", "/v1/sessions/writes"), { timeout: 30_000 })
    .toMatchObject({ status: "ended", run: { text: "Done." } });
  expect(readFileSync(join(root, "project", "new.txt"), "utf8")).toBe("hello\n");
  expect(await stop()).toBe(0);
  expect(errors.some((line) => line.includes('"route":"/v1/sessions"'))).toBe(true);
  expect(errors.join("\n")).not.toContain(token);
}, 90_000);

test("invalid usage is reported", async () => {
  await expect(serve("--role", "boss")).rejects.toThrow(/--role must be all, server, worker/);
  await expect(serve("--role", "worker")).rejects.toThrow(/needs --redis/);
  const redis = ["--redis", "redis://127.0.0.1:1"];
  await expect(serve("--role", "worker", ...redis)).rejects.toThrow(/needs --store or RUNAHEAD_STORE/);
  await expect(serve("--redis", "localhost")).rejects.toThrow(/--redis must be an address such as redis:/);
  await expect(serve("--tenant-limit", "0")).rejects.toThrow(/--tenant-limit must be a whole number from 1/);
  await expect(serve("--health-port", "0")).rejects.toThrow(/--health-port is for --role worker/);
  await expect(serve("--host", "0.0.0.0")).rejects.toThrow(/give --tokens or set RUNAHEAD_SERVE_TOKEN/);
  await expect(serve("--store", "mysql://x")).rejects.toThrow(/must be a URL that starts with postgres/);
  await expect(serve("--results", "https://s3.example/b")).rejects.toThrow(/--results needs --store/);
  const store = ["--store", "postgres://127.0.0.1:1/x"];
  await expect(serve(...store, "--results", "s3://b")).rejects.toThrow(
    /--results must be an address such as/,
  );
  await expect(serve(...store, "--results", "https://s3.example/b")).rejects.toThrow(
    /--results needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
  );
  await expect(serve("--tokens", "missing.json")).rejects.toThrow(/cannot read --tokens/);
});

test("what would fail in every session ends the program at its start", async () => {
  await expect(serveWith({})).rejects.toThrow(/exit 2: runahead: No model is configured/);
  await expect(serve("--model", "opus", "--permission-mode", "nonsense")).rejects.toThrow(/nonsense/);
  if (process.getuid?.() === 0)
    await expect(serve("--permission-mode", "bypassPermissions")).rejects.toThrow(
      /exit 2: runahead: bypassPermissions is not allowed as root/,
    );
  const taken = createNetServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  await expect(serve("--port", String(port))).rejects.toThrow(
    `--port 127.0.0.1:${port} is in use by another process`,
  );
  taken.close();
});

test("the files for containers use options that exist", () => {
  const help: string[] = [];
  const serving = program(
    { cwd: root, home: root, env: {}, print: (text) => help.push(text), complain: (text) => help.push(text) },
    () => {},
  ).commands.find((command) => command.name() === "serve");
  const known = serving?.options.map(({ long }) => long) ?? [];
  const files = ["Containerfile", "compose.yaml"].map(
    (name) => new URL(`../../../../deploy/${name}`, import.meta.url),
  );
  const commands = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /^\s*(?:CMD|command:) \["--/.test(line)),
  );
  expect(commands.length).toBe(3);
  const used = commands.flatMap((line) => [...line.matchAll(/"(--[\w-]+)"/g)].map((match) => match[1]));
  expect(used.filter((flag) => !known.includes(flag))).toEqual([]);
});
