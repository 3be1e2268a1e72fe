/**
 * A random world for the cache: two agents with the same locks and the same cache read and write a small tree, side by
 * side with programs that nobody announces. Every result of a read must be what was there at some moment of the call.
 */

import { z } from "zod";
import type { AnyTool } from "../../src/runtime/tool.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { Random } from "../simulation/random.ts";

type Engine = typeof import("../../src/index.ts");

const PATHS = ["a", "a/x", "a/y", "b", "b/x", "c"] as const;
const MOST_STEPS = 5_000;

export interface Seen {
  readonly failures: readonly string[];
  /** How many reads were asked for, and how many of them ran. */
  readonly reads: number;
  readonly ran: number;
}

export async function runWorld(engine: Engine, seed: number): Promise<Seen> {
  const world = new World(engine, seed);
  await world.run();
  return world;
}

class World implements Seen {
  readonly failures: string[] = [];
  reads = 0;
  ran = 0;
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #clock = new FakeClock();
  /** Every state that the files have had; the last is the present. */
  readonly #states: Map<string, string>[] = [new Map()];
  readonly #waiting: (() => void)[] = [];
  readonly #tools: readonly AnyTool[];
  readonly #locks;
  /** Commands in the background: running, started so far, and started at the last question about them. */
  #commands = 0;
  #started = 0;
  #reported = 0;
  /** What was done to the files that no call owns. */
  #outside = 0;
  #texts = 0;
  #isOver = false;

  constructor(engine: Engine, seed: number) {
    this.#engine = engine;
    this.#random = new Random(seed);
    this.#locks = engine.createLocks();
    const cache = engine.createToolCache({
      isBusy: () => this.#isBusy(),
      resolvePlace: (place) => place,
    });
    this.#tools = cache.tools(this.#makeTools()).map((tool) => this.#observed(tool));
  }

  async run(): Promise<void> {
    const agents = Promise.all([this.#agent("one"), this.#agent("two")]).finally(() => (this.#isOver = true));
    for (let step = 0; !this.#isOver && step < MOST_STEPS; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#goOn();
    }
    if (!this.#isOver) this.failures.push("the agents do not end");
    else await agents;
  }

  /** Somebody who waits goes on; now and then time passes, or a program changes what no call owns. */
  #goOn(): void {
    const random = this.#random;
    if (random.chance(0.1)) {
      this.#outside++;
      this.#set("out", `out ${this.#outside}`);
    }
    // A command that nobody called a tool for, such as one of the user.
    if (random.chance(0.01)) this.#background(random.pick(PATHS));
    if (this.#waiting.length === 0 || random.chance(0.05)) this.#clock.advance();
    const [next] = this.#waiting.splice(random.below(this.#waiting.length), 1);
    next?.();
  }

  async #tick(most: number): Promise<void> {
    for (let left = this.#random.below(most + 1); left > 0; left--)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #agent(name: string): Promise<void> {
    for (let turn = 0; turn < 5; turn++) {
      const { StreamingToolExecutor } = this.#engine;
      const clock = this.#clock;
      const executor = new StreamingToolExecutor({
        tools: this.#tools,
        locks: this.#locks,
        owner: name,
        clock,
      });
      for (let call = 0; call < 1 + this.#random.below(4); call++) {
        const tool = this.#random.weighted(WEIGHTS);
        const path = tool === "Outside" ? "out" : this.#random.pick(PATHS);
        executor.add({ id: `${name}-${turn}-${call}`, name: tool, input: { path } });
        await this.#tick(1);
      }
      if (this.#random.chance(0.3)) void this.#tick(6).then(() => executor.interrupt("stop"));
      for await (const _update of executor.remaining());
    }
  }

  /** Everything at a path and below it. */
  #at(path: string, state = this.#states.at(-1)): string {
    return [...(state ?? [])]
      .filter(([name]) => name === path || name.startsWith(`${path}/`))
      .map(([name, text]) => `${name}=${text}`)
      .sort()
      .join(" ");
  }

  #set(path: string, text: string): void {
    this.#states.push(new Map([...(this.#states.at(-1) ?? []), [path, text]]));
  }

  /** Compares what a read returns with what was there while it ran. */
  #observed(tool: AnyTool): AnyTool {
    if (tool.cache !== true) return tool;
    return {
      ...tool,
      call: async (input, context) => {
        const { path } = input as { path: string };
        const first = this.#states.length - 1;
        this.reads++;
        const output = await tool.call(input, context);
        const possible = this.#states.slice(first).map((state) => this.#at(path, state));
        if (!possible.includes(output as string))
          this.failures.push(
            `${context.callId} ${tool.name} ${path}: "${String(output)}" is not "${possible.at(-1)}"`,
          );
        return output;
      },
    };
  }

  async #readNow(path: string, { signal }: { signal: AbortSignal }): Promise<string> {
    this.ran++;
    if (signal.aborted) this.failures.push(`a read of ${path} runs after its call was stopped`);
    await this.#tick(2);
    const found = this.#at(path);
    await this.#tick(2);
    return found;
  }

  /** Half a text is there for a while, and sometimes for good. */
  async #write(path: string, signal?: AbortSignal, mostTicks = 3): Promise<string> {
    const text = `text ${++this.#texts}`;
    await this.#tick(2);
    signal?.throwIfAborted();
    this.#set(path, `half of ${text}`);
    await this.#tick(mostTicks);
    signal?.throwIfAborted();
    if (this.#random.chance(0.2)) throw new Error("failed half way");
    this.#set(path, text);
    await this.#tick(1);
    return "written";
  }

  /** Also if a command has started and ended since the last question. */
  #isBusy(): boolean {
    const isBusy = this.#commands > 0 || this.#started !== this.#reported;
    this.#reported = this.#started;
    return isBusy;
  }

  #background(path: string): void {
    this.#started++;
    this.#commands++;
    void this.#write(path)
      .catch(() => "")
      .finally(() => this.#commands--);
  }

  #makeTools(): AnyTool[] {
    const inputSchema = z.object({ path: z.string() });
    const tool = (name: string, members: object): AnyTool =>
      ({ name, description: name, inputSchema, ...members }) as unknown as AnyTool;
    const claims = (mode: "read" | "write") => ({
      access: ({ path }: { path: string }) => [{ mode, place: `mem:/${path}` }],
    });
    const reads = { isReadOnly: () => true, cache: true, ...claims("read") };
    const readNow = ({ path }: { path: string }, context: { signal: AbortSignal }): Promise<string> =>
      this.#readNow(path, context);
    return [
      tool("Read", { ...reads, call: readNow }),
      tool("Outside", {
        ...reads,
        stamp: async () => {
          const stamp = String(this.#outside);
          await this.#tick(1);
          return stamp;
        },
        call: readNow,
      }),
      tool("Write", {
        ...claims("write"),
        call: ({ path }: { path: string }, { signal }: { signal: AbortSignal }) => this.#write(path, signal),
      }),
      // It does not stop when it is asked to.
      tool("Stubborn", {
        ...claims("write"),
        call: ({ path }: { path: string }) => this.#write(path, undefined, 40),
      }),
      tool("Anything", { call: () => this.#write(this.#random.pick(PATHS)) }),
      tool("Background", {
        call: ({ path }: { path: string }) => {
          this.#background(path);
          return "started";
        },
      }),
    ];
  }
}

const WEIGHTS = [
  ["Read", 10],
  ["Outside", 3],
  ["Write", 3],
  ["Stubborn", 2],
  ["Anything", 0.5],
  ["Background", 0.5],
] as const;

/** Runs the same calls one after the other with the cache and without it. Returns the results that differ. */
export async function compareSerial(engine: Engine, seed: number): Promise<readonly string[]> {
  const random = new Random(seed);
  const plan = Array.from({ length: 40 }, () => ({
    name: random.weighted([
      ["Read", 6],
      ["Write", 2],
      ["Outside", 1],
      ["Fail", 1],
    ] as const),
    path: random.pick(PATHS),
    chance: random.below(2),
    head: random.below(2),
  }));
  const run = async (isCached: boolean): Promise<unknown[]> => {
    const files = new Map<string, string>();
    const world = serialTools(files);
    const tools = isCached ? engine.createToolCache({ resolvePlace: (place) => place }).tools(world) : world;
    const results: unknown[] = [];
    for (const [at, { name, path, chance, head }] of plan.entries()) {
      if (name === "Outside") {
        if (chance === 0) files.set("out", String(at));
      }
      const executor = new engine.StreamingToolExecutor({ tools });
      executor.add({
        id: `call-${at}`,
        name,
        input: { path: name === "Outside" ? "out" : path, text: `text ${at}`, head },
      });
      // An error has a stack, which is another one around the cache.
      for await (const update of executor.remaining())
        if (update.type === "result") results.push(String(update.result.content).split("\n")[0]);
    }
    return results;
  };
  const [cached, plain] = [await run(true), await run(false)];
  return plain.flatMap((result, at) =>
    result === cached[at] ? [] : [`${at} ${plan[at]?.name}: ${String(cached[at])} is not ${String(result)}`],
  );
}

function serialTools(files: Map<string, string>): AnyTool[] {
  const inputSchema = z.object({ path: z.string(), text: z.string().optional() });
  const at = (path: string): string =>
    JSON.stringify(
      [...files]
        .filter(([name]) => name === path || name.startsWith(`${path}/`))
        .map(([name, text]) => `${name}=${text}`),
    );
  const tool = (name: string, mode: "read" | "write", members: object): AnyTool =>
    ({
      name,
      description: name,
      inputSchema,
      access: ({ path }: { path: string }) => [{ mode, place: `mem:/${path}` }],
      ...(mode === "read" ? { isReadOnly: () => true, cache: true } : {}),
      ...members,
    }) as unknown as AnyTool;
  const write = ({ path, text }: { path: string; text: string }): string => {
    // A file in place of a folder.
    for (const name of [...files.keys()]) if (name.startsWith(`${path}/`)) files.delete(name);
    files.set(path, text);
    return "written";
  };
  // Reads have no text, so that two of them can be the same.
  const input = z.object({ path: z.string() });
  const part = z.object({ path: z.string(), head: z.number() });
  return [
    tool("Read", "read", {
      inputSchema: part,
      call: ({ path, head }: { path: string; head: number }) => `${head} of ${at(path)}`,
    }),
    tool("Outside", "read", {
      inputSchema: input,
      stamp: () => files.get("out") ?? "none",
      call: ({ path }: { path: string }) => at(path),
    }),
    tool("Write", "write", { call: write }),
    tool("Fail", "write", {
      call: (given: { path: string; text: string }) => {
        write(given);
        throw new Error("after it was written");
      },
    }),
  ];
}
