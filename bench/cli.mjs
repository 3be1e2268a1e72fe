/**
 * The benchmark of the terminal program: `node bench/cli.mjs`. Starts it in a real terminal, prints the numbers, checks the
 * targets and writes CLI.md. Exits with 1 if a target is missed. Also measures pi-coding-agent if it is installed:
 * PI_PROGRAM is the path of its `cli.js`.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { describeRun } from "./report.mjs";
import { table, targetTable } from "./table.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RUNAHEAD = join(ROOT, "packages/cli/bin/runahead.mjs");
const RUNS = 10;
/** Longer than the program waits before it keeps its compiled code. */
const IDLE_MS = 3_000;
const MOST_MS = 60_000;
/** A piece of a few letters, 50 times a second, as models stream. */
const [ANSWER_CHARS, PIECE_CHARS, PIECE_MS] = [20_000, 20, 20];

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const home = mkdtempSync(join(tmpdir(), "runahead-bench-"));
mkdirSync(join(home, "project"));
const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" };

/** A program in a terminal: what it has written, and when it has written something. */
function inTerminal(args, moreEnv = {}) {
  const begun = performance.now();
  const options = { name: "xterm-256color", cols: 100, rows: 30, cwd: join(home, "project") };
  const pty = spawn(process.execPath, args, { ...options, env: { ...env, ...moreEnv } });
  const program = { pty, written: "", bytes: 0, listeners: new Set() };
  pty.onData((data) => {
    program.written += data;
    program.bytes += Buffer.byteLength(data);
    // Answers the terminal's identification query.
    if (data.includes("\u001b[c")) pty.write("\u001b[?62;c");
    for (const listener of program.listeners) listener();
  });
  program.ended = new Promise((resolve) => pty.onExit(resolve));
  program.ms = () => performance.now() - begun;
  program.sees = (isThere) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Not seen: ${program.written.slice(-500)}`)), MOST_MS);
      const look = () => {
        if (!isThere(program.written)) return;
        clearTimeout(timer);
        program.listeners.delete(look);
        resolve(program.ms());
      };
      program.listeners.add(look);
      look();
    });
  program.end = async () => {
    try {
      process.kill(pty.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
    await program.ended;
  };
  return program;
}

const rssOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000;

/** The CPU time of a process and its threads, which other load on the machine does not change. */
function cpuMsOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((id) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      return 0;
    }
  });
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

const OWN_CPU = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";

/** Alternates the runs, so that other load on the machine affects both. */
async function startUp() {
  const [node, first, nodeCpu, firstCpu] = [[], [], [], []];
  for (let run = 0; run < RUNS; run++) {
    const begun = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    node.push(performance.now() - begun);
    nodeCpu.push(Number(spawnSync(process.execPath, ["-e", OWN_CPU], { encoding: "utf8" }).stdout));
    const program = inTerminal([RUNAHEAD], {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    });
    // The line below the editor is drawn last.
    first.push(await program.sees((text) => text.includes("context 0 %")));
    firstCpu.push(cpuMsOf(program.pty.pid));
    await program.end();
  }
  return {
    nodeMs: median(node),
    firstMs: median(first),
    nodeCpuMs: median(nodeCpu),
    firstCpuMs: median(firstCpu),
  };
}

async function idle() {
  const program = inTerminal([RUNAHEAD], {
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  });
  await program.sees((text) => text.includes("context 0 %"));
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const rss = rssOf(program.pty.pid);
  await program.end();
  return rss;
}

/** Paragraphs, lists and code, like a real answer. */
function answerText() {
  const parts = [
    "The **scheduler** looks at each call once when it is granted and once when it is dropped, so the work per call does not grow.\n\n",
    "- a list item with `code` in it\n- another one that is a little longer than the first\n\n",
    "```ts\nexport function sum(numbers: readonly number[]): number {\n  return numbers.reduce((one, other) => one + other, 0);\n}\n```\n\n",
  ];
  let text = "";
  for (let at = 0; text.length < ANSWER_CHARS - 20; at++) text += `${at} ${parts[at % parts.length]}`;
  return `${text.slice(0, ANSWER_CHARS - 12)}\n\nTheVeryEnd.`;
}

const pieces = answerText().match(new RegExp(`[^]{1,${PIECE_CHARS}}`, "g"));

/** Bytes per character, from the first piece to the last. */
async function streamed(args, { moreEnv = {}, keys = "", ready = () => true } = {}) {
  const program = inTerminal(args, moreEnv);
  await program.sees(ready);
  const before = program.bytes;
  if (keys !== "") program.pty.write(keys);
  await program.sees((text) => text.includes("TheVeryEnd"));
  const bytes = program.bytes - before;
  await program.end();
  return bytes / ANSWER_CHARS;
}

function recording() {
  const events = pieces.map((text, at) => ({ at: at * PIECE_MS, event: { type: "text", text } }));
  const lastMs = pieces.length * PIECE_MS;
  const file = join(home, "recording.json");
  const response = [
    { at: 0, event: { type: "message-started", id: "a", model: "bench" } },
    ...events,
    { at: lastMs, event: { type: "block", block: { type: "text", text: pieces.join("") } } },
    { at: lastMs, event: { type: "stopped", reason: "end_turn", detail: "" } },
  ];
  writeFileSync(file, JSON.stringify([response]));
  return file;
}

/** pi-tui as its docs show it: a Markdown component in a TUI, given the whole text after each piece. */
function plainTui() {
  const file = join(ROOT, "bench/.cache/plain-tui.mjs");
  mkdirSync(join(ROOT, "bench/.cache"), { recursive: true });
  writeFileSync(
    file,
    `import { Markdown, ProcessTerminal, TUI } from "@earendil-works/pi-tui";
const plain = (text) => text;
const names = ["heading","link","linkUrl","code","codeBlock","codeBlockBorder","quote","quoteBorder","hr","listBullet","bold","italic","strikethrough","underline"];
const theme = Object.fromEntries(names.map((name) => [name, plain]));
const tui = new TUI(new ProcessTerminal());
const markdown = new Markdown("", 0, 0, theme);
tui.addChild(markdown);
tui.start();
const pieces = ${JSON.stringify(pieces)};
let text = "";
for (const piece of pieces) {
  text += piece;
  markdown.setText(text);
  tui.requestRender();
  await new Promise((resolve) => setTimeout(resolve, ${PIECE_MS}));
}
await new Promise((resolve) => setTimeout(resolve, 500));
tui.stop();
process.exit(0);
`,
  );
  return file;
}

/** A server of the Messages API that streams the answer, for programs that cannot play a recording. */
async function answeringServer() {
  const event = (value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const message = { id: "a", type: "message", role: "assistant", model: "bench", content: [], usage };
    response.write(event({ type: "message_start", message }));
    response.write(
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    );
    let at = 0;
    const timer = setInterval(() => {
      const text = pieces[at++];
      if (text !== undefined)
        return response.write(
          event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
        );
      clearInterval(timer);
      response.write(event({ type: "content_block_stop", index: 0 }));
      response.write(event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }));
      response.end(event({ type: "message_stop" }));
    }, PIECE_MS);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Undefined if it is not installed. */
async function otherProgram() {
  const program = process.env.PI_PROGRAM;
  if (program === undefined) return undefined;
  const server = await answeringServer();
  const model = {
    id: "bench",
    name: "bench",
    reasoning: false,
    input: ["text"],
    contextWindow: 200_000,
    maxTokens: 32_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  mkdirSync(join(home, ".pi/agent"), { recursive: true });
  const providers = { bench: { baseUrl, api: "anthropic-messages", apiKey: "none", models: [model] } };
  writeFileSync(join(home, ".pi/agent/models.json"), JSON.stringify({ providers }));
  const moreEnv = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };
  const args = [program, "--provider", "bench", "--model", "bench", "--no-session"];
  const ready = (text) => text.includes("bench");
  try {
    return await streamed(args, { moreEnv, keys: "go\r", ready });
  } catch (error) {
    console.error(`The other program could not be measured: ${error.message.slice(0, 300)}`);
    return undefined;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function about() {
  const { date, machine } = describeRun({});
  return `- Date: ${date}\n- Machine: ${machine}\n- Node: ${process.version}\n- Command: \`node bench/cli.mjs\``;
}

const most = (text, value, limit, shown) => ({ text, value: shown, pass: value <= limit });

try {
  // The first start keeps its compiled code for the others.
  const firstRss = await idle();
  const rss = await idle();
  const { nodeMs, firstMs, nodeCpuMs, firstCpuMs } = await startUp();
  const own = await streamed([RUNAHEAD, "--replay", recording(), "go"]);
  const plain = await streamed([plainTui()]);
  const other = await otherProgram();
  const ratio = firstMs / nodeMs;
  const perChar = (bytes) => (bytes === undefined ? "not installed" : `${bytes.toFixed(2)} B`);
  const rows = [
    [`\`node -e 0\`, median of ${RUNS}`, `${nodeMs.toFixed(0)} ms`],
    [`from the second start on, until the prompt is drawn, median of ${RUNS}`, `${firstMs.toFixed(0)} ms`],
    ["both in CPU time of all threads", `${nodeCpuMs.toFixed(0)} ms, ${firstCpuMs.toFixed(0)} ms`],
    [
      "memory after three seconds of nothing (RSS): the first start / later ones",
      `${firstRss.toFixed(0)} / ${rss.toFixed(0)} MB`,
    ],
    [
      `bytes to the terminal for each of ${ANSWER_CHARS.toLocaleString("en")} characters that stream in`,
      perChar(own),
    ],
    ["the same through pi-tui's own TUI and Markdown", perChar(plain)],
    ["the same in pi-coding-agent 0.74.2", perChar(other)],
  ];
  const targets = [
    most("start-up against `node -e 0`: ≤ 4 ×", ratio, 4, `${ratio.toFixed(1)} ×`),
    most(
      "memory when idle, the first start and later ones: < 100 MB",
      Math.max(firstRss, rss),
      100,
      `${Math.max(firstRss, rss).toFixed(0)} MB`,
    ),
    most(
      "bytes per streamed character against pi-tui's own TUI: ≤ 1.5 ×",
      own / plain,
      1.5,
      `${(own / plain).toFixed(2)} ×`,
    ),
  ];
  const text = [
    "# Benchmark of the terminal program",
    "",
    table(["what", "value"], rows),
    "",
    targetTable(targets),
    "",
    about(),
    "",
  ].join("\n");
  console.log(text);
  writeFileSync(join(ROOT, "bench/CLI.md"), text);
  process.exitCode = targets.every(({ pass }) => pass) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
