import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./source.ts";

const home = mkdtempSync(join(tmpdir(), "runahead-chat-test-"));
let server: ChildProcess;
let url: string;

async function start(): Promise<void> {
  server = spawn(process.execPath, ["--import", "tsx", "examples/chat-server.ts"], {
    cwd: ROOT,
    env: { ...process.env, PORT: "0", CHAT_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (server.stdout === null) throw new Error("the server has no output");
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  url = String(line).trim();
}

async function stop(): Promise<void> {
  server.kill("SIGTERM");
  expect(await once(server, "exit")).toEqual([0, null]);
}

beforeAll(start);

afterAll(async () => {
  await stop();
  rmSync(home, { recursive: true });
});

interface ServerEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A browser: it keeps its cookie, and reads the events of its user. */
class Browser {
  #cookie = "";
  #events: AsyncGenerator<ServerEvent> | undefined;
  readonly #abort = new AbortController();

  async open(): Promise<string> {
    const page = await fetch(url);
    this.#cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    await this.watch();
    return page.text();
  }

  async watch(): Promise<void> {
    const { signal } = this.#abort;
    const response = await fetch(`${url}/events`, { headers: { cookie: this.#cookie }, signal });
    if (response.body === null) throw new Error("there are no events");
    this.#events = eventsOf(response.body);
  }

  async post(path: string, body: object): Promise<number> {
    const options = { method: "POST", headers: { cookie: this.#cookie }, body: JSON.stringify(body) };
    return (await fetch(url + path, options)).status;
  }

  /** The data of the next event of this type. */
  async next(type: string): Promise<ServerEvent["data"]> {
    for (;;) {
      const { value, done } = (await this.#events?.next()) ?? { done: true, value: undefined };
      if (done === true) throw new Error(`the events ended before ${type}`);
      if (value.type === type) return value.data;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (type !== undefined && data !== undefined)
        yield { type, data: JSON.parse(data) as ServerEvent["data"] };
    }
  }
}

test("a call that needs an approval runs when the user allows it in the page", async () => {
  const browser = new Browser();
  expect(await browser.open()).toContain("<title>Chat</title>");
  expect(await browser.post("/messages", { text: "Refund order 17" })).toBe(202);
  const { id, description } = await browser.next("question");
  expect(description).toBe("Refund order 17");
  expect(await browser.post("/answers", { id, answer: "once" })).toBe(204);
  expect(await browser.next("call")).toEqual({ description: "Refund order 17", outcome: "succeeded" });
  expect(await browser.next("text")).toEqual({ text: "Order 17 is refunded." });
  expect(await browser.next("ended")).toEqual({ reason: "completed" });
  expect(await browser.post("/answers", { id, answer: "once" })).toBe(409);
  browser.close();
});

test("a call that the user denies does not run, and the model continues", async () => {
  const browser = new Browser();
  await browser.open();
  await browser.post("/messages", { text: "Refund order 18" });
  const { id } = await browser.next("question");
  expect(await browser.post("/answers", { id, answer: "maybe" })).toBe(400);
  expect(await browser.post("/answers", { id, answer: "no" })).toBe(204);
  expect(await browser.next("call")).toEqual({ description: "Refund order 18", outcome: "denied" });
  expect((await browser.next("text"))["text"]).toContain("The user does not want this.");
  expect(await browser.next("ended")).toEqual({ reason: "completed" });
  await browser.post("/messages", { text: "Which orders are there?" });
  expect(await browser.next("call")).toEqual({ description: "List orders", outcome: "succeeded" });
  expect((await browser.next("text"))["text"]).toContain("18: paid");
  browser.close();
});

test("a user cannot answer the questions of another, and a new tab shows those that are open", async () => {
  const [alice, mallory] = [new Browser(), new Browser()];
  await Promise.all([alice.open(), mallory.open()]);
  await alice.post("/messages", { text: "Refund order 18" });
  const { id } = await alice.next("question");
  expect(await mallory.post("/answers", { id, answer: "once" })).toBe(409);
  await alice.watch();
  expect((await alice.next("question"))["id"]).toBe(id);
  expect(await alice.post("/answers", { id, answer: "no" })).toBe(204);
  await alice.next("ended");
  alice.close();
  mallory.close();
});

test("a session survives a restart of the server, and an approval for the session does not", async () => {
  const browser = new Browser();
  await browser.open();
  await browser.post("/messages", { text: "Refund order 18" });
  const { id } = await browser.next("question");
  await browser.post("/answers", { id, answer: "session" });
  await browser.next("ended");
  await browser.post("/messages", { text: "Refund order 17" });
  expect(await browser.next("call")).toEqual({ description: "Refund order 17", outcome: "succeeded" });
  await browser.next("ended");
  await stop();
  await start();
  await browser.watch();
  await browser.post("/messages", { text: "How many messages?" });
  expect(await browser.next("text")).toEqual({ text: "I have read 9 messages." });
  await browser.post("/messages", { text: "Refund order 18" });
  expect((await browser.next("question"))["description"]).toBe("Refund order 18");
  browser.close();
});
