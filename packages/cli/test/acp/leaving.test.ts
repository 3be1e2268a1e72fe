import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textBlock } from "../../../agent/test/support/responses.ts";
import { type AskedModel, callEvents } from "../repl/answers.ts";
import { pause, running } from "../repl/terminal.ts";
import { begin } from "./begin.ts";
import { Editor, choose, newFolder, startProgram } from "./editor.ts";

const SLEEP = "sleep 987.25";

/** A prompt whose command runs. */
async function runs({ editor, model }: { editor: Editor; model: AskedModel }) {
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "sleep");
  answer.catch(() => {});
  (await model.asked()).calls(["Bash", { command: `touch begun; ${SLEEP}` }]);
  await editor.sees(() => JSON.stringify(editor.updates).includes('"in_progress"'));
  return { sessionId, answer };
}

test("a prompt that is cancelled while its command runs ends as cancelled, and nothing keeps running", async () => {
  const world = await begin({ answer: choose("once") });
  const { editor, model } = world;
  const { sessionId, answer } = await runs(world);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  const { toolCallId = "" } = editor.questions[0]?.toolCall ?? {};
  expect(editor.callUpdates(toolCallId).at(-1)?.status).toBe("failed");
  expect(running(SLEEP)).toEqual([]);
  const next = editor.say(sessionId, "and?");
  (await model.asked()).says("On.");
  expect(await next).toBe("end_turn");
});

test("a cancel ends an open question, and its call does not run", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "make");
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  await editor.sees(() => editor.questions.length === 1);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  expect(existsSync(join(editor.project, "made"))).toBe(false);
  expect(editor.callUpdates(editor.questions[0]?.toolCall.toolCallId ?? "").at(-1)?.status).toBe("failed");
});

test("if the client cancels a question, the call does not run", async () => {
  const { editor, model } = await begin({ answer: () => ({ outcome: { outcome: "cancelled" } }) });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "make");
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  expect(await answer).toBe("end_turn");
  expect(existsSync(join(editor.project, "made"))).toBe(false);
});

test("a cancel ends the prompts before it and none after it, also when all arrive at once", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  // The first may have been asked for by then.
  const answering = async (): Promise<never> => {
    for (;;) (await model.asked()).says("Two.");
  };
  void answering();
  for (let round = 0; round < 20; round++) {
    const cancelled = editor.say(sessionId, "one");
    void editor.cancel(sessionId);
    const answered = editor.say(sessionId, "two");
    expect(await Promise.all([cancelled, answered])).toEqual(["cancelled", "end_turn"]);
  }
});

/** The same numbers for the same seed. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

test("I07: a cancel at any moment ends the prompt, and the session continues", async () => {
  const { editor, model } = await begin({ answer: choose("once") });
  const { sessionId } = await editor.newSession();
  const numbers = random(7);
  for (let round = 0; round < 25; round++) {
    const answer = editor.say(sessionId, `round ${round}`);
    const answering = answerSlowly(model);
    await pause(numbers.next().value ** 2 * 60);
    await editor.cancel(sessionId);
    expect(["cancelled", "end_turn"]).toContain(await answer);
    answering.stop();
  }
  const last = editor.say(sessionId, "last");
  const answering = answerSlowly(model);
  expect(await last).toBe("end_turn");
  answering.stop();
  const open = new Map<string, unknown>();
  for (const update of editor.updates)
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      open.set(update.toolCallId, update.status ?? open.get(update.toolCallId));
  expect([...open.values()].filter((status) => status !== "completed" && status !== "failed")).toEqual([]);
});

/** Text, a call, and an end, with pauses between; a response that nobody waits for any more fails quietly. */
function answerSlowly(model: AskedModel): { stop(): void } {
  const stop = new AbortController();
  const work = async (): Promise<void> => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const asked = await model.asked();
      asked.send(...textBlock(0, "Let me see. "));
      await pause(5);
      if (turn > 0) return asked.ends("end_turn");
      asked.send(...callEvents(1, "Bash", { command: "sleep 0.02; touch made" }));
      await pause(5);
      asked.ends("tool_use");
    }
  };
  void work();
  return { stop: () => stop.abort() };
}

test("two cancels, a cancel of nothing and one of an unknown session do no harm", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  await editor.cancel(sessionId);
  await editor.cancel("nobody");
  const answer = editor.say(sessionId, "hello");
  await model.asked();
  await editor.cancel(sessionId);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  expect(editor.text("agent_message_chunk")).toBe("");
});

test("a call whose input was still arriving when the prompt was cancelled is reported as failed", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "read");
  (await model.asked()).send(callEvents(0, "Read", {})[0] as object);
  await editor.sees(() => editor.updates.length === 1);
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  expect(editor.updates.map((update) => ("status" in update ? update.status : ""))).toEqual([
    "pending",
    "failed",
  ]);
});

test("the end of standard input exits with 0 and stops everything that was started, also by hooks", async () => {
  const folder = newFolder();
  const hooks = { SessionEnd: [{ hooks: [{ type: "command", command: `touch ${folder}/ended` }] }] };
  mkdirSync(join(folder, "home", ".claude"));
  writeFileSync(join(folder, "home", ".claude", "settings.json"), JSON.stringify({ hooks }));
  const world = await begin({ answer: choose("once"), folder });
  await runs(world);
  expect(await world.editor.leave()).toBe(0);
  expect([running(SLEEP), existsSync(join(folder, "ended"))]).toEqual([[], true]);
});

test("SIGTERM exits with 143 and stops everything that was started; the session can be loaded", async () => {
  const world = await begin({ answer: choose("once") });
  const { sessionId } = await runs(world);
  world.editor.child.kill("SIGTERM");
  expect(await world.editor.ended).toBe(143);
  expect(running(SLEEP)).toEqual([]);
  const { editor } = await begin({ folder: world.editor.folder });
  await editor.agent.request("session/load", { sessionId, cwd: editor.project, mcpServers: [] });
  expect(editor.text("user_message_chunk")).toContain("sleep");
});

test("a client that dies, with both pipes, leaves nothing running", async () => {
  const world = await begin({ answer: choose("once") });
  await runs(world);
  world.editor.child.stdout.destroy();
  world.editor.child.stdin.destroy();
  expect(await world.editor.ended).toBe(0);
  expect(running(SLEEP)).toEqual([]);
});

test("the stop reason comes after all updates, also for a client that reads late", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "talk");
  const asked = await model.asked();
  editor.child.stdout.pause();
  asked.send(...textBlock(0, ...Array.from({ length: 40 }, () => "x".repeat(50_000))));
  asked.ends("end_turn");
  await pause(500);
  editor.child.stdout.resume();
  expect(await answer).toBe("end_turn");
  expect(editor.text("agent_message_chunk").length).toBe(2_000_000);
});

test("a client that stops reading and leaves does not keep the program running", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  void editor.say(sessionId, "talk").catch(() => {});
  const asked = await model.asked();
  editor.child.stdout.pause();
  asked.send(...textBlock(0, ...Array.from({ length: 40 }, () => "x".repeat(50_000))));
  await pause(300);
  editor.child.stdin.end();
  const code = await new Promise((resolve) => editor.child.once("exit", resolve));
  expect(code).toBe(0);
});

test("invalid lines get an error response, and the next message is handled", async () => {
  const folder = newFolder();
  const child = startProgram({ folder });
  let printed = "";
  child.stdout.on("data", (piece: Buffer) => (printed += piece.toString()));
  const request = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  child.stdin.write('nonsense\n\n[1, 2]\n"text"\n');
  child.stdin.write(request(1, "session/new", {}) + request(2, "initialize", { protocolVersion: 1 }));
  const lines = (): string[] => printed.split("\n").slice(0, -1);
  while (lines().length < 5) await once(child.stdout, "data");
  child.stdin.write(request(3, "session/new", { cwd: 7 }) + request(4, "nothing", {}));
  while (lines().length < 7) await once(child.stdout, "data");
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
  const answers = lines().map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
    [1, -32_600],
    [2, undefined],
    [3, -32_602],
    [4, -32_601],
  ]);
  rmSync(folder, { recursive: true });
});

test("a message of more than 32 MB ends the program, which says why", async () => {
  const folder = newFolder();
  const child = startProgram({ folder });
  let complained = "";
  child.stderr.on("data", (piece: Buffer) => (complained += piece.toString()));
  child.stdout.resume();
  child.stdin.on("error", () => {});
  child.stdin.write(Buffer.alloc(33 * 2 ** 20, "x"));
  expect(await once(child, "close")).toEqual([1, null]);
  expect(complained).toContain("larger than 32 MB");
  rmSync(folder, { recursive: true });
});

test("stray output goes to standard error", async () => {
  const { editor } = await begin({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINTS)}` },
  });
  const { sessionId } = await editor.newSession();
  await editor.sees(() => editor.complained.includes("stray"));
  expect(sessionId).not.toBe("");
  expect(await editor.leave()).toBe(0);
  expect(editor.printed).not.toContain("stray");
});

/** Once the protocol has standard output. */
const PRINTS = `
const { write } = process.stdout;
const timer = setInterval(() => {
  if (process.stdout.write === write) return;
  clearInterval(timer);
  console.log("stray line");
}, 5);
timer.unref();
`;
