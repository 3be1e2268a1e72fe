import { expect, test } from "vitest";
import { Chance, WIRES, type Wire, bytesOf, callsOf, expectSound, hear, textOf } from "./support.ts";

const SEEDS = 2_100;

/** Where each call is complete: after the piece that closes it, in bytes. */
function wholeAt({ recording }: Wire): Map<string, number> {
  const text = textOf(recording);
  return new Map(
    Object.entries(recording.wholeAt).map(([id, piece]) => {
      expect(text).toContain(piece);
      return [id, bytesOf(text.slice(0, text.indexOf(piece) + piece.length)).length];
    }),
  );
}

test(`V3, A05, A06, A07: ${SEEDS} streams that are cut anywhere end in an error, with a part of the complete events`, async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const chance = new Chance(seed);
    const wire = WIRES[seed % WIRES.length] as Wire;
    const bytes = bytesOf(textOf(wire.recording));
    const cut = chance.below(bytes.length + 1);
    const split = chance.below(cut + 1);
    const heard = await hear(wire, [bytes.subarray(0, split), bytes.subarray(split, cut)]);
    const whole = await wholeOf(wire);
    const hasStopped = heard.events.at(-1)?.type === "stopped";
    // Chat Completions sends usage after the end, so a response without it is still complete.
    const before = hasStopped ? heard.events.slice(0, -1) : heard.events;
    expect([seed, whole.slice(0, before.length)]).toEqual([seed, before]);
    if (!hasStopped) expect([seed, heard.error]).toMatchObject([seed, { name: "ModelError", kind: "cut" }]);
    const places = wholeAt(wire);
    for (const { id } of callsOf(heard)) expect(cut).toBeGreaterThanOrEqual(places.get(id) ?? Infinity);
    expectSound(heard);
  }
});

const wholes = new Map<string, Promise<readonly unknown[]>>();

function wholeOf(wire: Wire): Promise<readonly unknown[]> {
  const known =
    wholes.get(wire.name) ?? hear(wire, [bytesOf(textOf(wire.recording))]).then(({ events }) => events);
  wholes.set(wire.name, known);
  return known;
}
