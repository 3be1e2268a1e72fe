/**
 * Eight sub-agents that change the same files at the same time, with the real tools: edits of one file, counters that
 * commands read and write back, appended lines and searches. Nothing must be lost.
 */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Block,
  type LoopOptions,
  type Message,
  type Model,
  agentTool,
  createAgent,
} from "@runahead/agent";
import { createFileMemory, fileTools, shellTools } from "@runahead/tools";

const AGENTS = 8;

export interface Mix {
  readonly seed: number;
  /** The number of changes of each agent. */
  readonly steps: number;
}

interface Counts {
  increments: number;
  readonly appended: string[];
  readonly edited: string[];
}

type Work = Generator<Block, void, string>;

/** Returns what is wrong at the end; empty if nothing is. */
export async function runMix({ seed, steps }: Mix): Promise<readonly string[]> {
  const world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-mix-")));
  const root = join(world, "root");
  mkdirSync(root);
  const names = Array.from({ length: AGENTS }, (_, at) => `w${at}`);
  writeFileSync(join(root, "counter"), "0\n");
  writeFileSync(join(root, "log"), "");
  writeFileSync(join(root, "shared.md"), names.map((name) => `## ${name}\n`).join(""));
  const counts: Counts = { increments: 0, appended: [], edited: [] };
  const shell = shellTools({ root, home: world, outputFolder: join(world, "out"), env: process.env });
  try {
    const tools = [...fileTools(createFileMemory()), ...shell.tools];
    const works = new Map(
      names.map((name, at) => [name, workOf({ name, root, steps, counts, seed: seed * 97 + at })]),
    );
    const options: LoopOptions = { model: workers(works), tools, cwd: root, maxTurns: 1_000 };
    const definitions = [{ name: "worker", description: "works", prompt: "", maxTurns: 1_000 }];
    const agent = createAgent({
      ...options,
      model: starting(names),
      tools: [...tools, agentTool({ options, definitions })],
    });
    const { reason, detail } = await agent.send("go");
    await agent.close();
    return [...(reason === "completed" ? [] : [`${reason} ${detail}`]), ...lostIn(root, counts)];
  } finally {
    await shell.close();
    rmSync(world, { recursive: true, force: true });
  }
}

function lostIn(root: string, { increments, appended, edited }: Counts): string[] {
  const counter = readFileSync(join(root, "counter"), "utf8").trim();
  const log = readFileSync(join(root, "log"), "utf8").split("\n");
  const shared = readFileSync(join(root, "shared.md"), "utf8").split("\n");
  return [
    ...(counter === String(increments) ? [] : [`the counter is ${counter}, not ${increments}`]),
    ...appended.filter((line) => !log.includes(line)).map((line) => `${line} is not in the log`),
    ...edited.filter((line) => !shared.includes(line)).map((line) => `${line} is not in shared.md`),
  ];
}

interface Worker {
  readonly name: string;
  readonly root: string;
  readonly steps: number;
  readonly counts: Counts;
  readonly seed: number;
}

function* workOf({ name, root, steps, counts, seed }: Worker): Work {
  let random = seed + 1;
  const chance = (most: number): number => (random = (random * 48271) % 2147483647) % most;
  const path = join(root, "shared.md");
  for (let step = 0; step < steps; step++) {
    const line = `${name}-${step}`;
    const kind = chance(4);
    if (kind === 0) {
      yield use("Bash", { command: "n=$(cat counter); sleep 0.01; echo $((n + 1)) > counter" });
      counts.increments++;
    } else if (kind === 1) {
      yield use("Bash", { command: `echo ${line} >> log` });
      counts.appended.push(line);
    } else if (kind === 2) yield use("Grep", { pattern: name, path: root });
    else {
      // Another agent can change the file between the two calls: then the edit is refused and tried again.
      let result = "";
      do {
        yield use("Read", { file_path: path });
        const heading = `## ${name}`;
        result = yield use("Edit", {
          file_path: path,
          old_string: heading,
          new_string: `${heading}\n${line}`,
        });
      } while (result.includes('"is_error":true'));
      counts.edited.push(line);
    }
  }
}

let lastCall = 0;

function use(name: string, input: object): Block {
  return { type: "tool_use", id: `c${++lastCall}`, name, input };
}

function workers(works: ReadonlyMap<string, Work>): Model {
  return {
    name: "worker",
    async *stream({ messages }) {
      const work = works.get(String(messages[0]?.content));
      const next = work?.next(lastResult(messages));
      yield* response(next === undefined || next.done === true ? [] : [next.value]);
    },
  };
}

function starting(names: readonly string[]): Model {
  return {
    name: "main",
    async *stream({ messages }) {
      const start = (name: string): Block =>
        use("Agent", { description: name, prompt: name, subagent_type: "worker" });
      yield* response(messages.length === 1 ? names.map(start) : []);
    },
  };
}

async function* response(calls: readonly Block[]): ReturnType<Model["stream"]> {
  yield { type: "message-started", id: "m", model: "m" };
  for (const block of calls) {
    const { id, name, input } = block as Block & { id: string; name: string; input: unknown };
    yield { type: "call-complete", call: { id, name, input } };
    yield { type: "block", block };
  }
  if (calls.length === 0) yield { type: "block", block: { type: "text", text: "Done." } };
  yield { type: "stopped", reason: calls.length === 0 ? "end_turn" : "tool_use", detail: "" };
}

function lastResult(messages: readonly Message[]): string {
  const content = messages.at(-1)?.content;
  return Array.isArray(content) ? JSON.stringify(content) : "";
}
