import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ClientApp, RequestError, methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { textBlock } from "../../../agent/test/support/responses.ts";
import { callEvents } from "../repl/answers.ts";
import { begin } from "./begin.ts";
import { choose } from "./editor.ts";

const SERVER = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));

/** Buffers of an editor, by path. */
class Buffers {
  readonly texts = new Map<string, string>();
  readonly written: string[] = [];

  serve(app: ClientApp): void {
    app
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => ({
        content: this.texts.get(path) ?? readFileSync(path, "utf8"),
      }))
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        this.written.push(path);
        this.texts.delete(path);
        writeFileSync(path, content);
        return {};
      });
  }
}

test("Read sees unsaved text of the editor, Edit changes it, and both go through the editor", async () => {
  const buffers = new Buffers();
  const { editor, model } = await begin({
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    serve: (app) => buffers.serve(app),
    args: ["--permission-mode", "acceptEdits"],
  });
  const path = join(editor.project, "a.txt");
  buffers.texts.set(path, "hello\nunsaved\n");
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "go");
  const first = await model.asked();
  first.send(...callEvents(0, "Read", { file_path: "a.txt" }));
  first.ends("tool_use");
  const second = await model.asked();
  expect(model.requests.at(-1)).toContain("unsaved");
  // The user types on: the change is noticed, and the edit applies to the current text.
  buffers.texts.set(path, "hello\nunsaved\nmore\n");
  second.send(...callEvents(0, "Edit", { file_path: "a.txt", old_string: "unsaved", new_string: "edited" }));
  second.ends("tool_use");
  const third = await model.asked();
  expect(model.requests.at(-1)).toContain("The file had changed since you read it");
  expect(readFileSync(path, "utf8")).toBe("hello\nedited\nmore\n");
  // The memory of files holds: Write is refused for what was not read since.
  buffers.texts.set(path, "other\n");
  third.send(...callEvents(0, "Write", { file_path: "a.txt", content: "mine" }));
  third.ends("tool_use");
  const fourth = await model.asked();
  expect(model.requests.at(-1)).toContain("changed since you read it");
  fourth.send(...callEvents(0, "Write", { file_path: "new/b.txt", content: "new" }));
  fourth.ends("tool_use");
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  expect(buffers.written).toEqual([path, join(editor.project, "new/b.txt")]);
  expect(readFileSync(join(editor.project, "new/b.txt"), "utf8")).toBe("new");
});

/** Terminals of an editor: real processes. */
class Terminals {
  readonly started: { readonly child: ChildProcess; readonly env: NodeJS.ProcessEnv }[] = [];
  readonly released: string[] = [];
  #outputs = new Map<string, string>();
  #ends = new Map<string, Promise<{ exitCode: number | null; signal: string | null }>>();

  serve(app: ClientApp): void {
    const { terminal } = methods.client;
    app
      .onRequest(terminal.create, ({ params: { command, args = [], env = [], cwd } }) => {
        const terminalId = `t${this.started.length + 1}`;
        const added = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        const child = spawn(command, args, {
          cwd: cwd ?? undefined,
          env: { ...process.env, ANTHROPIC_API_KEY: "of the editor", ...added },
          stdio: ["ignore", "pipe", "pipe"],
        });
        this.#outputs.set(terminalId, "");
        const add = (piece: Buffer): void =>
          void this.#outputs.set(terminalId, `${this.#outputs.get(terminalId)}${piece.toString()}`);
        child.stdout.on("data", add);
        child.stderr.on("data", add);
        this.#ends.set(
          terminalId,
          new Promise((resolve) => {
            child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
          }),
        );
        this.started.push({ child, env: added });
        return { terminalId };
      })
      .onRequest(terminal.output, ({ params }) => ({
        output: this.#outputs.get(params.terminalId) ?? "",
        truncated: false,
      }))
      .onRequest(terminal.waitForExit, async ({ params }) => (await this.#ends.get(params.terminalId)) ?? {})
      .onRequest(terminal.kill, ({ params }) => {
        this.started[Number(params.terminalId.slice(1)) - 1]?.child.kill("SIGKILL");
        return {};
      })
      .onRequest(terminal.release, ({ params }) => {
        this.released.push(params.terminalId);
        return {};
      });
  }
}

test("commands that were allowed run in a terminal of the editor, which the call shows", async () => {
  const terminals = new Terminals();
  const { editor, model } = await begin({
    capabilities: { terminal: true },
    serve: (app) => terminals.serve(app),
    answer: choose("once"),
  });
  mkdirSync(join(editor.project, "sub"));
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "go");
  const first = await model.asked();
  const events = callEvents(0, "Bash", {
    command: 'echo "key=[$ANTHROPIC_API_KEY]" > out.txt; cd sub; echo moved',
  });
  const { id } = (events[0] as { content_block: { id: string } }).content_block;
  first.send(...events);
  first.ends("tool_use");
  const second = await model.asked();
  expect(model.requests.at(-1)).toContain(`(The working directory is now ${join(editor.project, "sub")}.)`);
  expect(editor.questions).toHaveLength(1);
  second.send(...callEvents(0, "Bash", { command: "touch here.txt; exit 3" }));
  second.ends("tool_use");
  const third = await model.asked();
  expect(model.requests.at(-1)).toContain("Exit code 3");
  third.says("Done.");
  expect(await answer).toBe("end_turn");
  expect(readFileSync(join(editor.project, "out.txt"), "utf8")).toBe("key=[]\n");
  expect(readFileSync(join(editor.project, "sub/here.txt"), "utf8")).toBe("");
  expect(editor.callUpdates(id).at(-1)).toMatchObject({
    status: "completed",
    content: [{ type: "terminal", terminalId: "t1" }],
  });
  expect(terminals.released).toEqual(["t1", "t2"]);
});

test("a cancel ends the command in the terminal", async () => {
  const terminals = new Terminals();
  const { editor, model } = await begin({
    capabilities: { terminal: true },
    serve: (app) => terminals.serve(app),
    answer: choose("once"),
  });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "go");
  const first = await model.asked();
  first.send(...callEvents(0, "Bash", { command: "touch begun; sleep 1000" }));
  first.ends("tool_use");
  await editor.sees(() => terminals.started.length === 1);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  await editor.sees(() => terminals.started[0]?.child.signalCode === "SIGKILL");
  expect(terminals.released).toEqual(["t1"]);
});

test("commands and skills are offered and expanded, with resources and prompts of MCP servers", async () => {
  const { editor, model } = await begin({ args: ["--trust"] });
  mkdirSync(join(editor.project, ".claude/commands"), { recursive: true });
  writeFileSync(
    join(editor.project, ".claude/commands/check.md"),
    "---\ndescription: Checks a file\nargument-hint: FILE\n---\nPlease check $ARGUMENTS.",
  );
  const talk = { name: "talk", command: process.execPath, args: [SERVER], env: [] };
  const { sessionId } = await editor.newSession(editor.project, [talk]);
  await editor.sees(() => editor.commands.at(-1)?.some(({ name }) => name === "mcp__talk__review") === true);
  expect(editor.commands.at(-1)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "compact" }),
      { name: "check", description: "FILE Checks a file", input: { hint: "FILE" } },
    ]),
  );
  for (const [typed, expected] of [
    ["/check a.txt", "Please check a.txt."],
    ["/mcp__talk__review a.txt", "Review a.txt, mind all."],
    ["Look at @talk:note://1 now", "content of note://1"],
  ] as const) {
    const answer = editor.say(sessionId, typed);
    const asked = await model.asked();
    expect(model.requests.at(-1)).toContain(expected);
    asked.says("Done.");
    expect(await answer).toBe("end_turn");
  }
});

test("the model is switched for the next request", async () => {
  const { editor, model } = await begin();
  const { sessionId, configOptions } = await editor.newSession();
  const [option] = configOptions ?? [];
  expect(option).toMatchObject({ id: "model", category: "model", type: "select" });
  const changed = await editor.agent.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "claude-opus-4-1",
  });
  expect(changed.configOptions[0]).toMatchObject({ currentValue: "claude-opus-4-1" });
  const answer = editor.say(sessionId, "hello");
  const asked = await model.asked();
  expect(JSON.parse(model.requests.at(-1) ?? "{}")).toMatchObject({ model: "claude-opus-4-1" });
  asked.says("Hi.");
  expect(await answer).toBe("end_turn");
  await expect(
    editor.agent.request("session/set_config_option", { sessionId, configId: "colour", value: "red" }),
  ).rejects.toThrow('unknown option "colour"');
});

test("questions of the model and of MCP servers, and sampling, are asked with a form of the editor", async () => {
  const asked: string[] = [];
  const { editor, model } = await begin({
    capabilities: { elicitation: { form: {} } },
    answer: choose("once"),
    serve: (app) => {
      app.onRequest(methods.client.elicitation.create, ({ params }) => {
        asked.push(params.message);
        const { requestedSchema } = params as { requestedSchema?: { properties?: Record<string, unknown> } };
        const names = Object.keys(requestedSchema?.properties ?? {});
        const content = Object.fromEntries(
          names.map((name) => [
            name,
            name === "city" ? "Oslo" : params.message.includes("model") ? "Allow" : "Blue",
          ]),
        );
        return { action: "accept", content };
      });
    },
  });
  const talk = { name: "talk", command: process.execPath, args: [SERVER], env: [] };
  const { sessionId } = await editor.newSession(editor.project, [talk]);
  const answer = editor.say(sessionId, "go");
  const first = await model.asked();
  const options = [{ label: "Red" }, { label: "Blue" }];
  first.send(...callEvents(0, "AskUser", { questions: [{ question: "Which colour?", options }] }));
  first.ends("tool_use");
  const second = await model.asked();
  expect(model.requests.at(-1)).toContain("Blue");
  second.send(...callEvents(0, "mcp__talk__elicit", {}));
  second.ends("tool_use");
  const third = await model.asked();
  expect(model.requests.at(-1)).toContain("Oslo");
  third.send(...callEvents(0, "mcp__talk__sample", {}));
  third.ends("tool_use");
  const sample = await model.asked();
  sample.send(...textBlock(0, "hi from the model"));
  sample.ends("end_turn");
  const last = await model.asked();
  expect(model.requests.at(-1)).toContain("hi from the model");
  const params = { mode: "url", elicitationId: "1", message: "Log in.", url: "https://a.test/in" };
  last.calls(["mcp__talk__ask", { method: "elicitation/create", params }]);
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  expect(asked).toEqual([
    "Which colour?",
    "The MCP server talk asks: Where?",
    expect.stringMatching(/^The MCP server talk wants to ask the model claude-.*:\nuser: Say hi\.$/),
    "The MCP server talk asks: Log in.\nOpen this page: https://a.test/in",
  ]);
});

test("a terminal that the editor does not open or loses is an error that says whether the command ran", async () => {
  const refused = new RequestError(-32_000, "no terminals today");
  const terminals = new Terminals();
  let isOpened = false;
  const { editor, model } = await begin({
    capabilities: { terminal: true },
    serve: (app) => {
      const { terminal } = methods.client;
      app
        .onRequest(terminal.create, () => {
          if (!isOpened) throw refused;
          return { terminalId: "t1" };
        })
        .onRequest(terminal.waitForExit, () => Promise.reject(refused))
        .onRequest(terminal.kill, ({ params }) => void terminals.released.push(`kill ${params.terminalId}`))
        .onRequest(terminal.release, ({ params }) => void terminals.released.push(params.terminalId));
    },
    answer: choose("once"),
  });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "go");
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  const second = await model.asked();
  expect(lastResult(model)).toBe(
    "Error: The editor did not open a terminal: no terminals today. The command was not run.",
  );
  isOpened = true;
  second.calls(["Bash", { command: "touch made" }]);
  const third = await model.asked();
  expect(lastResult(model)).toBe(
    "Error: The editor lost the terminal of the command: no terminals today. The command ran and may have had effects.",
  );
  expect(terminals.released).toEqual(["kill t1", "t1"]);
  third.says("Sorry.");
  expect(await answer).toBe("end_turn");
});

/** What the model read last about a call. */
function lastResult(model: { readonly requests: readonly string[] }): unknown {
  const { messages } = JSON.parse(model.requests.at(-1) ?? "") as {
    messages: { content: { content?: unknown }[] }[];
  };
  return messages.at(-1)?.content[0]?.content;
}

const LOG_IN = { mode: "url", elicitationId: "1", message: "Log in.", url: "https://a.test/in" };

test("a server's page is opened by an editor that opens pages, and it gets no forms if it shows none", async () => {
  const asked: unknown[] = [];
  const { editor, model } = await begin({
    capabilities: { elicitation: { url: {} } },
    answer: choose("once"),
    serve: (app) => {
      app.onRequest(methods.client.elicitation.create, ({ params }) => {
        asked.push(params);
        return { action: "accept" };
      });
    },
  });
  const talk = { name: "talk", command: process.execPath, args: [SERVER], env: [] };
  const { sessionId } = await editor.newSession(editor.project, [talk]);
  const answer = editor.say(sessionId, "go");
  (await model.asked()).calls(["mcp__talk__ask", { method: "elicitation/create", params: LOG_IN }]);
  const second = await model.asked();
  expect(model.requests.at(-1)).toContain("accept");
  second.calls(["mcp__talk__elicit", {}]);
  const third = await model.asked();
  expect(model.requests.at(-1)).toContain("The editor cannot show forms.");
  third.says("Done.");
  expect(await answer).toBe("end_turn");
  expect(asked).toEqual([{ ...LOG_IN, sessionId, message: "The MCP server talk asks: Log in." }]);
});

test("cancelling a prompt closes the form of an MCP server", async () => {
  const closed: boolean[] = [];
  const { editor, model } = await begin({
    capabilities: { elicitation: { form: {} } },
    answer: choose("once"),
    serve: (app) => {
      app.onRequest(methods.client.elicitation.create, async ({ signal }) => {
        closed.push(false);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        closed[0] = true;
        return { action: "cancel" };
      });
    },
  });
  const talk = { name: "talk", command: process.execPath, args: [SERVER], env: [] };
  const { sessionId } = await editor.newSession(editor.project, [talk]);
  const answer = editor.say(sessionId, "go");
  (await model.asked()).calls(["mcp__talk__elicit", {}]);
  await editor.sees(() => closed.length === 1);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  await editor.sees(() => closed[0] === true);
  const next = editor.say(sessionId, "and?");
  (await model.asked()).says("On.");
  expect(await next).toBe("end_turn");
});
