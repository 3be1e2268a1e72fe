import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/loop/agent.ts";
import type { Model } from "../../src/model/event.ts";
import { sseEvents } from "../../src/model/sse.ts";
import { WIRES, type Wire, bytesOf, lines } from "./support.ts";

/** Gives the events of a recording one by one, up to the given one, and then nothing until it is aborted. */
function hangingAfter(wire: Wire, count: number, onHanging: () => void): Model {
  const pieces = wire.recording.events.slice(0, count).map((event) => bytesOf(lines(event)));
  return {
    name: "m",
    stream: (_request, signal) =>
      wire.read(
        sseEvents(
          (async function* given() {
            yield* pieces;
            onHanging();
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          })(),
        ),
      ),
  };
}

for (const wire of WIRES)
  test(`${wire.name}: after an interrupt at any event, the history has all text that was shown, and one result per call`, async () => {
    for (let count = 1; count < wire.recording.events.length; count++) {
      let shown = "";
      const ran = new Set<string>();
      const read = defineTool({
        name: "Read",
        description: "Reads",
        inputSchema: z.object({ file_path: z.string() }),
        call: (_input, { callId }) => {
          ran.add(callId);
          return "content";
        },
      });
      let hangs = (): void => {};
      const isHanging = new Promise<void>((resolve) => (hangs = resolve));
      const agent = createAgent({
        model: hangingAfter(wire, count, hangs),
        tools: [read],
        onEvent: (event) => void (event.type === "text" && (shown += event.text)),
      });
      void agent.send("go");
      await isHanging;
      await agent.interrupt();
      const { messages } = agent;
      await agent.close();
      expect([count, checkHistory(messages)]).toEqual([count, []]);
      const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
      const said = blocks.map((block) => (block.type === "text" ? String(block["text"]) : "")).join("");
      expect([count, said]).toEqual([count, shown.toWellFormed()]);
      const notRun = blocks.filter(({ content }) => String(content).startsWith("Not run"));
      expect(notRun.filter((block) => ran.has(String(block["tool_use_id"])))).toEqual([]);
    }
  });
