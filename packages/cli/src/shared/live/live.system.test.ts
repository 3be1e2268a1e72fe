import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { LiveSession } from "./publish.ts";
import { Watcher } from "./watch.ts";
import { type WebView, startWebView } from "./web-server.ts";

let home = "";
let session: LiveSession;
let view: WebView;
let modes: string[] = [];
beforeEach(async () => {
  modes = [];
  home = await mkdtemp(join(tmpdir(), "runahead-live-"));
  session = new LiveSession({
    home,
    info: () => ({ id: "s1", title: "/repo", model: "m", mode: "default" }),
    timeline: () => Promise.resolve("<p>timeline</p>"),
    setMode: (mode) => void modes.push(mode),
  });
  await session.open();
  view = await startWebView({ sessions: new Watcher(home) });
});
afterEach(async () => {
  await view.close();
  await session.close();
  await rm(home, { recursive: true, force: true });
});

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;
/** What the page adds to the addresses that it calls. */
let key = "";

/** Unlike fetch, this can set the Host header. */
function call(address: string, headers: Headers = {}, body?: object): Promise<Answered> {
  const { hostname, port } = new URL(view.url);
  const path = address.startsWith("/api/") ? `${address}?key=${key}` : address;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request({ hostname, port, path, method, headers: { ...json, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Opens the address once, and returns the headers of a browser that did. */
async function entered(): Promise<Headers> {
  const { search } = new URL(view.url);
  const { headers, text } = await call(`/${search}`);
  const [cookie = ""] = headers["set-cookie"] as string[];
  key = /url=\/#([\w-]+)"/.exec(text)?.[1] ?? "";
  return { cookie: cookie.split(";")[0] ?? "" };
}

function question(callId: string, signal = new AbortController().signal): PersonQuestion {
  const input = { command: "npm test" };
  return {
    callId,
    toolName: "Bash",
    input,
    description: "npm test",
    reason: "No rule.",
    choices: [],
    from: undefined,
    waiting: 0,
    signal,
  };
}

const never = (): Promise<PersonAnswer> => new Promise(() => {});
const SESSION = `/api/sessions/${process.pid}.sock`;

test("only a browser that opened the address once gets in, and no other host or site", async () => {
  const { search, host } = new URL(view.url);
  expect((await call("/")).status).toBe(401);
  expect((await call("/?token=wrong")).status).toBe(403);
  const browser = await entered();
  expect((await call(`/${search}`)).status).toBe(403);
  const page = await call("/", browser);
  expect([page.status, page.text.includes("/app.js")]).toEqual([200, true]);
  expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'/);
  expect(page.text + (await call("/app.js", browser)).text).not.toMatch(/https?:\/\//);
  for (const other of [
    { host: "evil.test" },
    { host: host.replace("127.0.0.1", "evil.test") },
    { origin: "http://evil.test" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ])
    expect([other, (await call("/api/sessions", { ...browser, ...other })).status]).toEqual([other, 403]);
  const answer = { callId: "c1", answer: { type: "once" } };
  expect((await call(`${SESSION}/answer`, { ...browser, origin: "http://evil.test" }, answer)).status).toBe(
    403,
  );
  expect((await call(`${SESSION}/answer`, { ...browser, "content-type": "text/plain" }, answer)).status).toBe(
    415,
  );
  expect((await call("/api/sessions", { ...browser, origin: `http://${host}` })).status).toBe(200);
});

test("only a browser that opens the address uses it up, and --host 0.0.0.0 answers to the addresses of this machine", async () => {
  const { search } = new URL(view.url);
  for (const method of ["HEAD", "POST", "OPTIONS"])
    expect((await fetch(view.url, { method })).status).toBe(401);
  expect((await call(`/${search}`)).status).toBe(200);
  const open = await startWebView({ sessions: new Watcher(home), host: "0.0.0.0" });
  onTestFinished(() => open.close());
  const { port, hostname } = new URL(open.url);
  expect(hostname).not.toBe("0.0.0.0");
  const status = (host: string): Promise<number> =>
    new Promise((resolve) =>
      request({ hostname: "127.0.0.1", port, headers: { host } }, (one) => {
        one.resume();
        resolve(one.statusCode ?? 0);
      }).end(),
    );
  expect([await status(`${hostname}:${port}`), await status(`127.0.0.1:${port}`)]).toEqual([401, 401]);
  expect([await status(`evil.test:${port}`), await status(`0.0.0.0:${port}`)]).toEqual([403, 403]);
});

test("the cookie alone opens nothing, because browsers send it to servers of others on this host", async () => {
  const browser = await entered();
  expect((await call("/api/sessions", browser)).status).toBe(200);
  for (const wrong of ["", "wrong", (browser["cookie"] ?? "").split("=")[1] ?? ""]) {
    key = wrong;
    const answer = { callId: "c1", answer: { type: "once" } };
    expect((await call("/api/sessions", browser)).status).toBe(401);
    expect((await call(`${SESSION}/events`, browser)).status).toBe(401);
    expect((await call(`${SESSION}/answer`, browser, answer)).status).toBe(401);
  }
  expect((await call("/", browser)).text + (await call("/app.js", browser)).text).not.toMatch(/[\w-]{40}/);
});

test("a viewer that sends nonsense does not end the session, and a question shows hidden characters", async () => {
  const socket = connect(join(home, "live", `${process.pid}.sock`));
  const seen = new Promise<string>((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.includes('"question"')) resolve(text);
    });
  });
  socket.write(
    'null\n1\n{}\n{"type":"answer"}\n{"type":"answer","callId":"question-1","answer":{"type":"always","choice":7}}\n{"type":\n',
  );
  const asked = session.ask({ ...question("c1"), description: "rm \u202Etxt.x" }, never);
  expect(await seen).not.toContain("\u202E");
  socket.write(`${JSON.stringify({ type: "answer", callId: "question-1", answer: { type: "no" } })}\n`);
  expect(await asked).toEqual({ type: "no" });
  socket.destroy();
});

test("the model's own questions are answered in the browser or here, and the other is closed", async () => {
  const browser = await entered();
  const questions = [{ question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }];
  const { signal } = new AbortController();
  let isClosed = false;
  const asked = session.askUser(questions, signal, (_, here) => {
    here.addEventListener("abort", () => (isClosed = true));
    return new Promise(() => {});
  });
  const send = (callId: string, answers: readonly object[]) =>
    call(`${SESSION}/answer`, browser, { callId, answer: { type: "answers", answers } });
  await expect.poll(async () => (await call("/api/sessions", browser)).text).toContain('"questions":1');
  expect((await send("asked-1", [{ options: [1] }])).status).toBe(200);
  expect(await asked).toEqual({ type: "answered", answers: [{ type: "chosen", labels: ["blue"] }] });
  expect(isClosed).toBe(true);
  const here = { type: "declined", words: "" } as const;
  expect(await session.askUser(questions, signal, () => here)).toEqual(here);
  await expect.poll(async () => (await send("asked-2", [{ options: [0] }])).status).toBe(409);
});

test("a question is answered by the first who answers, there or here, and the other is closed", async () => {
  const browser = await entered();
  let isClosed = false;
  const here = (one: PersonQuestion): Promise<PersonAnswer> => {
    one.signal.addEventListener("abort", () => (isClosed = true));
    return never();
  };
  const answered = session.ask(question("c1"), here);
  const list = async (): Promise<{ questions: number }[]> =>
    JSON.parse((await call("/api/sessions", browser)).text);
  expect(await list()).toMatchObject([{ title: "/repo", model: "m", mode: "default", questions: 1 }]);
  const given = { callId: "question-1", answer: { type: "no", comment: "use pnpm" } };
  expect((await call(`${SESSION}/answer`, browser, given)).status).toBe(200);
  expect([await answered, isClosed]).toEqual([{ type: "no", message: "use pnpm" }, true]);
  await expect.poll(list).toMatchObject([{ questions: 0 }]);
  expect((await call(`${SESSION}/answer`, browser, given)).status).toBe(409);
  expect(await session.ask(question("c2"), () => Promise.resolve({ type: "once" }))).toEqual({
    type: "once",
  });
  const allowed = session.ask(question("c3"), never);
  await expect.poll(list).toMatchObject([{ questions: 1 }]);
  await call(`${SESSION}/answer`, browser, { callId: "question-3", answer: { type: "once" } });
  expect(await allowed).toEqual({ type: "once" });
});

test("a rule of the question can be chosen, a plan can be changed and its mode chosen, and nothing else", async () => {
  const browser = await entered();
  const choices = [
    { label: "npm test", rules: ["Bash(npm test)"], scopes: ["session", "always"] as const },
    { label: "npm", rules: ["Bash(npm:*)"], scopes: ["session"] as const },
  ];
  const give = async (callId: string, answer: object): Promise<number> =>
    (await call(`${SESSION}/answer`, browser, { callId, answer })).status;
  const first = session.ask({ ...question("c1"), choices }, never);
  await expect.poll(async () => (await call("/api/sessions", browser)).text).toContain('"questions":1');
  // Neither a choice without this scope, nor one that was not offered, nor rules of the viewer.
  expect(await give("question-1", { type: "always", choice: 1 })).toBe(200);
  expect(await give("question-1", { type: "always", choice: 9 })).toBe(200);
  expect(await give("question-1", { type: "always", rules: ["Bash"] })).toBe(400);
  expect(await give("question-1", { type: "plan", mode: "bypassPermissions", plan: "x" })).toBe(400);
  expect(await give("question-1", { type: "plan", mode: "acceptEdits", plan: "x" })).toBe(200);
  expect(await give("question-1", { type: "always", choice: 0 })).toBe(200);
  expect([await first, modes]).toEqual([{ type: "always", rules: ["Bash(npm test)"] }, []]);
  const plan = { ...question("c2"), toolName: "ExitPlanMode", input: { plan: "One." } };
  const second = session.ask(plan, never);
  await expect.poll(async () => (await call("/api/sessions", browser)).text).toContain('"questions":1');
  expect(await give("question-2", { type: "plan", mode: "acceptEdits", plan: "One. Two." })).toBe(200);
  expect([await second, modes]).toEqual([{ type: "once", input: { plan: "One. Two." } }, ["acceptEdits"]]);
});

test("calls with the same id are different questions, so that no answer counts for another call", async () => {
  const browser = await entered();
  const asked = (command: string): Promise<PersonAnswer> =>
    session.ask({ ...question("call_0"), description: command, input: { command } }, never);
  const [first, second] = [asked("ls"), asked("rm -rf build")];
  const shown = session.ask({ ...question("call_0"), description: "ls again" }, never);
  await expect.poll(async () => (await call("/api/sessions", browser)).text).toContain('"questions":3');
  const give = async (callId: string, type: string): Promise<number> =>
    (await call(`${SESSION}/answer`, browser, { callId, answer: { type } })).status;
  expect(await give("call_0", "once")).toBe(409);
  expect(await give("question-1", "once")).toBe(200);
  expect(await give("question-2", "no")).toBe(200);
  expect(await give("question-3", "once")).toBe(200);
  expect([await first, await second, await shown]).toEqual([
    { type: "once" },
    { type: "no" },
    { type: "once" },
  ]);
});

test("of two answers that arrive at once, only the first has an effect", async () => {
  const socket = connect(join(home, "live", `${process.pid}.sock`));
  const plan = { ...question("c1"), toolName: "ExitPlanMode", input: { plan: "One." } };
  const asked = session.ask(plan, never);
  const answer = (given: object): string =>
    `${JSON.stringify({ type: "answer", callId: "question-1", answer: given })}\n`;
  socket.write(answer({ type: "no" }) + answer({ type: "plan", mode: "acceptEdits", plan: "Two." }));
  expect([(await asked).type, modes]).toEqual(["no", []]);
  socket.destroy();
});

test("the transcript is there for who comes later, and the timeline on request", async () => {
  const browser = await entered();
  session.begin([
    { role: "user", content: "hello" },
    { role: "assistant", content: [{ type: "text", text: "Good \u001b[2Jday." }] },
  ]);
  session.hear({ type: "text", text: "More." });
  const { port } = new URL(view.url);
  const events = await new Promise<string>((resolve) => {
    const headers = { ...browser };
    const sent = request(
      { hostname: "127.0.0.1", port, path: `${SESSION}/events?key=${key}`, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (!text.includes("More.")) return;
          sent.destroy();
          resolve(text);
        });
      },
    );
    sent.on("error", () => {});
    sent.end();
  });
  expect(events).toContain('"kind":"prompt","agent":"","text":"hello"');
  expect(events).toContain('"text":"Good day."');
  const timeline = await call(`${SESSION}/timeline`, browser);
  expect(timeline.text).toBe("<p>timeline</p>");
  expect(timeline.headers["content-security-policy"]).toMatch(/^sandbox allow-scripts; default-src 'none'; /);
});

test("a session that ends leaves no socket, and one that crashed is not listed", async () => {
  const browser = await entered();
  expect(await readdir(join(home, "live"))).toEqual([`${process.pid}.sock`]);
  await session.close();
  expect(await readdir(join(home, "live"))).toEqual([]);
  await expect.poll(async () => (await call("/api/sessions", browser)).text).toBe("[]");
});
