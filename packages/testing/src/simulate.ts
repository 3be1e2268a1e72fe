/** Runs tools in random orders and reports what their declared access misses. */

import { join } from "node:path";
import { aFunction, aString, anything, checkOptions, checkTools } from "@runahead/base";
import { type AnyTool, type CallContext, describeCall } from "@runahead/engine";
import { canWrite, claimsOf, conflict } from "./claims.ts";
import { type Content, changedPaths, contentOf, inCopy, isFolder, isLink } from "./folder.ts";
import { randomCall, wordsFor } from "./inputs.ts";
import { Random } from "./random.ts";
import { type CallResult, runCalls } from "./run-calls.ts";

/** A call of a tool. */
export interface SimulatedCall {
  /** The name of the tool. */
  readonly name: string;
  /** Its input. */
  readonly input: unknown;
}

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /**
   * The calls that runs are made of, or a function that returns them for a copy of the folder. Each run takes some of
   * them in a random order, and can take one more than once. Default: random calls that fit the schemas of the tools,
   * with the names of files in the folder and of new files as texts.
   */
  readonly calls?: readonly SimulatedCall[] | ((folder: string) => readonly SimulatedCall[]);
  /** The folder that the tools work in. Every run has a copy of it, which is the `cwd` of its calls. Default: empty. */
  readonly folder?: string;
  /** How many runs, from seed 1, or the seeds themselves. Default: 50. */
  readonly seeds?: number | readonly number[];
  /**
   * Makes two results comparable, such as by removing times and the folder's own path. Default: the folder's path is
   * replaced by `.`.
   */
  readonly normalise?: (text: string, folder: string) => string;
}

/** Something that declared access misses. */
export interface Race {
  /** Pass it as `seeds: [seed]` to see the same run again. */
  readonly seed: number;
  /**
   * - `unclaimed-write`: a call changed a path that it did not claim to write.
   * - `order-matters`: calls that claim not to conflict have another result in another order.
   * - `parallel-differs`: calls have another result if they run at the same time.
   */
  readonly kind: "unclaimed-write" | "order-matters" | "parallel-differs";
  /** What happened, in words. */
  readonly message: string;
  /** The calls of the run, in the model's order. */
  readonly calls: readonly string[];
  /** The paths in the folder that it is about. */
  readonly paths: readonly string[];
}

/** What a simulation found. */
export interface Simulated {
  /** How many runs there were. */
  readonly runs: number;
  /** What was found, by seed. Empty if the declared access is complete for these calls. */
  readonly races: readonly Race[];
}

const MOST_CALLS = 6;

/**
 * Runs tools in random serial and parallel orders, each time in a copy of a real folder, and reports what their declared
 * access misses: paths that a call changed without a claim, and calls that should not affect each other and do.
 *
 * Calls that do not conflict can run in any order, so every order that keeps conflicting calls apart must have the same
 * results and leave the same folder. Each run is compared with the same calls one after another.
 *
 * @param tools The tools, or a function that makes them for a copy of the folder.
 * @throws TypeError if an option is missing, unknown or of the wrong type, or if a call names a tool that is not there.
 *
 * @example
 * ```ts
 * import { appendFile } from "node:fs/promises";
 * import { join } from "node:path";
 * import { defineTool } from "@runahead/engine";
 * import { simulate } from "@runahead/testing";
 * import { z } from "zod";
 *
 * const note = defineTool({
 *   name: "Note",
 *   description: "Adds a line to a file.",
 *   inputSchema: z.object({ file: z.string() }),
 *   access: ({ file }, { cwd }) => [{ mode: "write", place: `fs:${join(cwd, file)}` }],
 *   call: async ({ file }, { cwd }) => {
 *     await appendFile(join(cwd, file), "a line\n");
 *     await appendFile(join(cwd, "log.txt"), `${file}\n`); // not declared
 *   },
 * });
 * const calls = ["a.txt", "b.txt"].map((file) => ({ name: "Note", input: { file } }));
 * const { races } = await simulate([note], { calls, seeds: 5 });
 * console.log(races[0]?.kind, races[0]?.paths); // unclaimed-write [ 'log.txt' ]
 * ```
 */
export async function simulate(
  tools: readonly AnyTool[] | ((folder: string) => readonly AnyTool[]),
  options: SimulateOptions = {},
): Promise<Simulated> {
  checkOptions(
    options,
    { calls: anything, folder: aString, seeds: anything, normalise: aFunction },
    "simulate",
  );
  if (typeof tools !== "function") checkTools(tools, "simulate");
  const seeds = seedsOf(options.seeds ?? 50);
  const races: Race[] = [];
  for (const seed of seeds) races.push(...(await new Run(tools, options, seed).races()));
  return { runs: seeds.length, races };
}

function seedsOf(seeds: number | readonly number[]): readonly number[] {
  if (Array.isArray(seeds)) return seeds as readonly number[];
  const count = seeds as number;
  if (!Number.isInteger(count) || count < 1)
    throw new TypeError(`simulate: "seeds" must be a whole number of at least 1 or an array, not ${count}.`);
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** What one order of calls led to. */
interface Ended {
  /** By the place of the call in the model's order. */
  readonly results: readonly string[];
  readonly content: Content;
}

type Made = readonly AnyTool[] | ((folder: string) => readonly AnyTool[]);

class Run {
  readonly #tools: Made;
  readonly #options: SimulateOptions;
  readonly #seed: number;

  constructor(tools: Made, options: SimulateOptions, seed: number) {
    this.#tools = tools;
    this.#options = options;
    this.#seed = seed;
  }

  async races(): Promise<Race[]> {
    const unclaimed: Race[] = [];
    const serial = await this.#in((world) => this.#oneByOne(world, world.order, unclaimed));
    // What a call writes without a claim also makes orders differ, which would say nothing more.
    if (unclaimed.length > 0) return unclaimed;
    const reordered = await this.#in((world) => this.#oneByOne(world, otherOrder(world)));
    const parallel = await this.#in((world) => this.#together(world));
    return [
      ...(await this.#compared("order-matters", serial, reordered)),
      ...(await this.#compared("parallel-differs", serial, parallel)),
    ];
  }

  #in<Value>(job: (world: World) => Promise<Value>): Promise<Value> {
    return inCopy(this.#options.folder, async (folder) => job(await this.#world(folder)));
  }

  /** The same for every copy, because everything random comes from the seed. */
  async #world(folder: string): Promise<World> {
    const random = new Random(this.#seed);
    const tools = typeof this.#tools === "function" ? this.#tools(folder) : this.#tools;
    const { calls } = this.#options;
    const chosen =
      calls === undefined
        ? await madeCalls(folder, tools, random)
        : someOf(typeof calls === "function" ? calls(folder) : calls, random);
    const order = chosen.map((call, at) => ({ at, call, tool: toolOf(tools, call) }));
    return { folder, tools, order, random };
  }

  async #oneByOne(
    { folder, tools }: World,
    order: readonly Placed[],
    unclaimed: Race[] = [],
  ): Promise<Ended> {
    const results: string[] = [];
    let before = await contentOf(folder);
    for (const placed of order) {
      const claims = claimsOf(placed.tool, placed.call, folder);
      const [result] = await runCalls(tools, [placed.call], { context: { cwd: folder } });
      const after = await contentOf(folder);
      const changed = changedPaths(before, after);
      const links = new Set(changed.filter((path) => isLink(before.get(path)) || isLink(after.get(path))));
      const paths = changed.filter((path) => !canWrite(claims, join(folder, path), links.has(path)));
      if (paths.length > 0) unclaimed.push(this.#unclaimed(placed, paths, order));
      results[placed.at] = this.#text(result, folder);
      before = after;
    }
    return { results, content: before };
  }

  /** All at once, as the engine runs them, with delays that the seed decides. */
  async #together({ folder, tools, order, random }: World): Promise<Ended> {
    const delayed = tools.map((tool) => withDelays(tool, random));
    const calls = order.map(({ call }) => call);
    const results = await runCalls(delayed, calls, { context: { cwd: folder } });
    return { results: results.map((result) => this.#text(result, folder)), content: await contentOf(folder) };
  }

  #text(result: CallResult | undefined, folder: string): string {
    const content = result?.content ?? "";
    const whole = typeof content === "string" ? content : JSON.stringify(content);
    // The stack of an error says how the call was started, which is different in every order.
    const text = result?.outcome.type === "failed" ? whole.replaceAll(/\n +at .*/g, "") : whole;
    const { normalise = (given: string, path: string) => given.replaceAll(path, ".") } = this.#options;
    return normalise(text, folder);
  }

  #unclaimed({ tool, call }: Placed, paths: readonly string[], order: readonly Placed[]): Race {
    const message = `${describeCall(tool, call.input)} changed ${paths.join(", ")} without a claim to write there.`;
    return { seed: this.#seed, kind: "unclaimed-write", message, calls: order.map(shown), paths };
  }

  async #compared(kind: "order-matters" | "parallel-differs", one: Ended, other: Ended): Promise<Race[]> {
    const paths = changedPaths(one.content, other.content);
    const at = one.results.findIndex((result, index) => result !== other.results[index]);
    if (paths.length === 0 && at < 0) return [];
    return this.#in(async ({ order }) => {
      const how = kind === "order-matters" ? "in another order" : "at the same time";
      const call = order[at];
      const result = call === undefined ? "" : ` ${shown(call)} returns something else.`;
      const folder = paths.length === 0 ? "" : ` ${paths.join(", ")} differs afterwards.`;
      const message = `The calls claim not to conflict, but have other effects if they run ${how}.${result}${folder}`;
      return [{ seed: this.#seed, kind, message, calls: order.map(shown), paths }];
    });
  }
}

function someOf(calls: readonly SimulatedCall[], random: Random): readonly SimulatedCall[] {
  if (!Array.isArray(calls) || calls.length === 0)
    throw new TypeError('simulate: "calls" must be an array of calls that is not empty, or return one.');
  const all: readonly SimulatedCall[] = calls;
  return Array.from({ length: countOf(random) }, () => all[random.below(all.length)] as SimulatedCall);
}

async function madeCalls(
  folder: string,
  tools: readonly AnyTool[],
  random: Random,
): Promise<readonly SimulatedCall[]> {
  checkTools(tools, "simulate");
  if (tools.length === 0) throw new TypeError("simulate: pass one or more tools.");
  const files = [...(await contentOf(folder))].flatMap(([path, text]) => (isFolder(text) ? [] : [path]));
  const source = { random, words: wordsFor(files, random) };
  const made: SimulatedCall[] = [];
  for (let left = countOf(random); left > 0; left--) made.push(await randomCall(tools, source));
  return made;
}

function countOf(random: Random): number {
  return 2 + random.below(MOST_CALLS - 1);
}

interface Placed {
  /** Its place in the model's order. */
  readonly at: number;
  readonly call: SimulatedCall;
  readonly tool: AnyTool;
}

interface World {
  readonly folder: string;
  readonly tools: readonly AnyTool[];
  readonly order: readonly Placed[];
  readonly random: Random;
}

function toolOf(tools: readonly AnyTool[], { name }: SimulatedCall): AnyTool {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new TypeError(`simulate: unknown tool "${name}".`);
  return tool;
}

function shown({ tool, call }: Placed): string {
  return describeCall(tool, call.input);
}

/** A random order in which calls that conflict keep theirs. */
function otherOrder({ folder, order, random }: World): readonly Placed[] {
  const claims = order.map(({ tool, call }) => claimsOf(tool, call, folder));
  const isFree = (placed: Placed, left: readonly Placed[]): boolean =>
    !left.some(({ at }) => at < placed.at && conflict(claims[at] ?? [], claims[placed.at] ?? []));
  const left = [...order];
  const made: Placed[] = [];
  while (left.length > 0) {
    const next = random.shuffled(left).find((placed) => isFree(placed, left)) as Placed;
    left.splice(left.indexOf(next), 1);
    made.push(next);
  }
  return made;
}

/** Keeps the methods of tools that are instances of a class. */
function withDelays(tool: AnyTool, random: Random): AnyTool {
  const call = async (input: Record<string, unknown>, context: CallContext): Promise<unknown> => {
    for (let ticks = random.below(5); ticks > 0; ticks--)
      await new Promise((resolve) => setImmediate(resolve));
    return tool.call(input, context);
  };
  return new Proxy(tool, {
    get: (target, name) => {
      if (name === "call") return call;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}
