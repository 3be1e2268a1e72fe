/**
 * The scripted responses: the server renders them, and bounds.mjs computes the shortest time. A turn is one response:
 * `firstMs` until its first byte, then blocks that each take `wireMs` to arrive. The duration of a tool is in its input, so
 * that every library runs the same tools.
 */

const read = (path, ms, wireMs) => ({ type: "call", tool: "read", input: { path, ms }, wireMs });
const edit = (path, ms, line, wireMs) => ({ type: "call", tool: "edit", input: { path, ms, line }, wireMs });
const bash = (command, ms, wireMs) => ({ type: "call", tool: "bash", input: { command, ms }, wireMs });
const put = (path, content) => ({ type: "call", tool: "put", input: { path, content }, wireMs: 0 });
const text = (wireMs) => ({ type: "text", wireMs });
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const turn = (firstMs, blocks) => ({ firstMs, blocks });
/** The response that ends the loop. It is short, and costs every library the same. */
const lastTurn = turn(20, [text(30)]);
const instantLastTurn = turn(0, [text(0)]);

function mix(wireMs) {
  const reads = (names) => names.map((name) => read(name, 200, wireMs));
  const edits = ["a", "b"].map((name) => edit(name, 250, "x", wireMs));
  return [
    turn(150, [...reads(["c", "d", "e"]), ...edits, ...reads(["f", "g"]), bash("test", 600, wireMs)]),
    lastTurn,
  ];
}

const threeCalls = (index) => [
  read(`a${index}`, 80, 20),
  read(`b${index}`, 80, 20),
  edit(`c${index}`, 80, "x", 20),
];

const twentyTurns = () => [...times(20, (index) => turn(60, [...threeCalls(index), text(60)])), lastTurn];

const instant = (count) => () => [
  turn(
    0,
    times(count, (index) => read(`f${index}`, 0, 0)),
  ),
  instantLastTurn,
];

/** Looks like code, so that the input has quotes and line breaks, which JSON must escape. */
const source = (bytes) => 'const line = "some text";\n'.repeat(Math.ceil(bytes / 26)).slice(0, bytes);

/**
 * `kind` says what is measured: `timed` the wall time against the bounds, `cpu` and `instant` the processor time.
 * `limit` replaces Runahead's default of 10; `maxRatio` is its target.
 */
const TRACES = [
  {
    name: "text-reads",
    title: "8 reads under a long text",
    kind: "timed",
    maxRatio: 1.02,
    build: () => [turn(200, [...times(8, (index) => read(`f${index}`, 400, 25)), text(1600)]), lastTurn],
  },
  {
    name: "mix-slow",
    title: "read×3, edit a, edit b, read×2, bash; slow wire",
    kind: "timed",
    maxRatio: 1.02,
    build: () => mix(150),
  },
  {
    name: "mix-fast",
    title: "read×3, edit a, edit b, read×2, bash; fast wire",
    kind: "timed",
    maxRatio: 1.02,
    build: () => mix(10),
  },
  {
    name: "slow-tool",
    title: "a 2 s tool before 2 s more text",
    kind: "timed",
    maxRatio: 1.02,
    build: () => [turn(200, [read("slow", 2000, 100), text(2000)]), lastTurn],
  },
  {
    name: "hundred-reads",
    title: "100 reads",
    kind: "timed",
    maxRatio: 1.02,
    limit: 100,
    build: () => [turn(200, [...times(100, (index) => read(`f${index}`, 150, 5)), text(300)]), lastTurn],
  },
  {
    name: "same-file",
    title: "4 edits of one file and a read",
    kind: "timed",
    maxRatio: 1.02,
    build: () => [
      turn(150, [...times(4, (index) => edit("a", 250, `line ${index}`, 30)), read("a", 150, 30)]),
      lastTurn,
    ],
  },
  {
    name: "trailing-text",
    title: "4 reads, 2 edits of one file, then 1.2 s of text",
    kind: "timed",
    maxRatio: 1.02,
    build: () => [
      turn(150, [
        ...times(4, (index) => read(`f${index}`, 300, 20)),
        ...times(2, (index) => edit("note", 400, `line ${index}`, 20)),
        text(1200),
      ]),
      lastTurn,
    ],
  },
  { name: "twenty-turns", title: "20 turns of 3", kind: "timed", maxRatio: 1.03, build: twentyTurns },
  {
    name: "large-inputs",
    title: "50 inputs of 64 KB in 64-byte deltas",
    kind: "cpu",
    deltaBytes: 64,
    build: () => [
      turn(
        0,
        times(50, (index) => put(`f${index}`, source(65_536))),
      ),
      instantLastTurn,
    ],
  },
  ...[100, 1_000, 10_000, 100_000].map((count) => ({
    name: `instant-${count}`,
    title: `${count.toLocaleString("en")} instant calls`,
    kind: "instant",
    count,
    build: instant(count),
  })),
  {
    // Loads code and opens the connection before anything is measured; never reported.
    name: "warm-up",
    title: "warm-up",
    kind: "hidden",
    build: () => [turn(5, [read("a", 5, 2), edit("b", 5, "x", 2), bash("true", 5, 2), text(10)]), lastTurn],
  },
];

export const traces = TRACES.filter((trace) => trace.kind !== "hidden");

const built = new Map();

/** A trace with its turns, built once: the largest has 100,000 calls. */
export function findTrace(name) {
  if (!built.has(name)) {
    const trace = TRACES.find((one) => one.name === name);
    if (trace === undefined) throw new Error(`no trace is called ${name}`);
    built.set(name, { deltaBytes: 24, ...trace, turns: trace.build() });
  }
  return built.get(name);
}

/** The blocks of a turn with the times at which they begin and are complete, and when the response ends. */
export function timeline({ firstMs, blocks }) {
  let at = firstMs;
  const timed = blocks.map((block) => {
    const fromMs = at;
    at += block.wireMs;
    return { ...block, fromMs, toMs: at };
  });
  return { blocks: timed, endMs: at };
}

/** The calls of a turn, each with its index, arrival and duration. */
export function callsOf(turnOfTrace) {
  return timeline(turnOfTrace)
    .blocks.filter((block) => block.type === "call")
    .map(({ tool, input, toMs }, index) => ({
      index,
      tool,
      input,
      arrivesMs: toMs,
      durationMs: input.ms ?? 0,
    }));
}
