import { afterAll, beforeAll, expect, test } from "vitest";
import { aiSdk } from "../../src/model/ai-sdk.ts";
import { damagedBytes, shuffledEvents, spoil, withDeep, wrongMembers } from "./mutate.ts";
import type { Recording } from "./recordings.ts";
import { Chance, WIRES, type Wire, collect, expectSound, hear } from "./support.ts";

const SEEDS = 1_500;
const CEILING_MS = 10_000;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const HOW: Readonly<Record<string, (recording: Recording, chance: Chance) => Uint8Array>> = {
  "bytes are flipped, put in or left out": damagedBytes,
  "events are doubled, swapped, left out or after the end": shuffledEvents,
  "members are of wrong types, huge or nested deeply": wrongMembers,
};

for (const [what, damage] of Object.entries(HOW)) {
  test(`A15, B05, B14: if ${what}, a stream ends normally or with a ModelError, and its blocks are valid`, async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const wire = WIRES[seed % WIRES.length] as Wire;
      const bytes = damage(wire.recording, new Chance(seed));
      await sound(hear(wire, [bytes]), `${wire.name}, seed ${seed}`);
    }
  });
}

const provider = { local: { key: "value", list: [1] } };
const PARTS: readonly object[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r", modelId: "m" },
  { type: "reasoning-start", id: "0" },
  {
    type: "reasoning-delta",
    id: "0",
    delta: "Hm 🤔",
    providerMetadata: { anthropic: { signature: "c2ln" } },
  },
  { type: "reasoning-end", id: "0", providerMetadata: provider },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "So 😀", providerMetadata: provider },
  { type: "text-end", id: "1" },
  { type: "tool-input-start", id: "a", toolName: "Read" },
  { type: "tool-input-delta", id: "a", delta: '{"file_path":' },
  { type: "tool-input-delta", id: "a", delta: '"x"}' },
  { type: "tool-input-end", id: "a" },
  { type: "tool-call", toolCallId: "a", toolName: "Read", input: '{"file_path":"x"}' },
  { type: "tool-call", toolCallId: "b", toolName: "Read", input: "{}", providerMetadata: provider },
  { type: "tool-call", toolCallId: "s", toolName: "search", input: "{}", providerExecuted: true },
  { type: "tool-result", toolCallId: "s", toolName: "search", result: { ok: [1] } },
  {
    type: "finish",
    finishReason: { unified: "tool-calls", raw: "tool_use" },
    usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } },
  },
];

test("A15, B05, B14: invalid parts of the AI SDK end in the same ways", async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const chance = new Chance(seed);
    const parts = structuredClone(PARTS) as object[];
    for (let times = chance.below(3); times > 0; times--) parts.splice(chance.below(17), 0, chance.of(PARTS));
    for (let times = chance.below(3); times > 0; times--) spoil(structuredCloneAt(parts, chance), chance);
    await sound(collect(modelOf(parts)), `AI SDK, seed ${seed}`);
  }
});

/** Spoils one copy only. */
function structuredCloneAt(parts: object[], chance: Chance): object {
  const at = chance.below(parts.length);
  const part = structuredClone(parts[at] as object);
  parts[at] = part;
  return part;
}

function modelOf(parts: readonly object[]) {
  const said = parts.map((part) => JSON.parse(withDeep(JSON.stringify(part))) as object);
  const model = {
    specificationVersion: "v3",
    provider: "parts",
    modelId: "parts",
    doStream: () => Promise.resolve({ stream: ReadableStream.from(said) }),
  };
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user", content: "go" }],
    maxTokens: 9,
  } as const;
  return aiSdk(model).stream(request, new AbortController().signal);
}

/** Never a hang, never a crash. */
async function sound(hearing: ReturnType<typeof collect>, which: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${which} hangs`)), CEILING_MS);
  });
  try {
    expectSound(await Promise.race([hearing, late]));
  } catch (error) {
    throw new Error(`${which}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
