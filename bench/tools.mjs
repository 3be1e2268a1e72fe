/** The tools that every library gets. They take as long as their input says, and record what ran when. */

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The files that the tools of one run use. */
export function makeWorld() {
  return { files: new Map(), runs: [], count: 0 };
}

const bodies = {
  async read(world, { path, ms }) {
    if (ms > 0) await sleep(ms);
    return `done ${path}`;
  },
  /** Reads, waits, writes: an executor that runs two of these on one file in parallel loses an update. */
  async edit(world, { path, ms, line }) {
    const before = world.files.get(path) ?? [];
    await sleep(ms);
    world.files.set(path, [...before, line]);
    return `done ${path}`;
  },
  async bash(world, { command, ms }) {
    await sleep(ms);
    return `done ${command}`;
  },
  async put(world, { path, content }) {
    world.files.set(path, content.length);
    return `done ${path}`;
  },
};

/** `access` is the declaration for Runahead; `shape` is a Zod shape, made with the library's own `z`. */
const TOOLS = [
  {
    name: "read",
    description: "Reads a file",
    access: "read",
    shape: (z) => ({ path: z.string(), ms: z.number() }),
  },
  {
    name: "edit",
    description: "Adds a line to a file",
    access: "write",
    shape: (z) => ({ path: z.string(), ms: z.number(), line: z.string() }),
  },
  {
    name: "bash",
    description: "Runs a command",
    access: "everything",
    shape: (z) => ({ command: z.string(), ms: z.number() }),
  },
  {
    name: "put",
    description: "Writes a file",
    access: "write",
    shape: (z) => ({ path: z.string(), content: z.string() }),
  },
];

/** Makes the tools. With `timed`, each run is recorded; otherwise runs are only counted. */
export function makeTools(worldOf, { timed }) {
  return TOOLS.map((tool) => {
    const body = bodies[tool.name];
    const plain = (input) => {
      const world = worldOf();
      world.count++;
      return body(world, input);
    };
    const recorded = async (input) => {
      const world = worldOf();
      const run = { tool: tool.name, input, startMs: performance.now(), endMs: Infinity };
      world.runs.push(run);
      world.count++;
      const result = await body(world, input);
      run.endMs = performance.now();
      return result;
    };
    return { ...tool, run: timed ? recorded : plain };
  });
}
