/** The session that is killed repeatedly: what its model says, and which effects its tools have. */

import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyTool, defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { z } from "zod";
import type { Model } from "../../../agent/src/model/event.ts";
import type { Block, ModelRequest } from "../../../agent/src/model/message.ts";

const TURNS = 6;
const CALLS = 4;

/** The result of a call that has ended, which differs from the text of a recovery. */
export const outputOf = (callId: string): string => `done ${callId}`;

export const isWriter = (callId: string): boolean => !callId.endsWith("Look");

/** Turn by turn: calls on one file, which wait for each other, calls on files of their own, and one that only looks. */
function turnOf(turn: number): Block[] {
  const calls = Array.from({ length: CALLS }, (_, at): Block => {
    const id = `${turn}-${at}-Change`;
    return { type: "tool_use", id, name: "Change", input: { path: at % 2 === 0 ? "shared" : id } };
  });
  const look: Block = { type: "tool_use", id: `${turn}-Look`, name: "Look", input: { path: "shared" } };
  return [{ type: "text", text: `Turn ${turn}.` }, ...calls, look];
}

/** What is done is written down at once: `asked TURN`, `begin CALL`, `end CALL`. */
export type Effects = (line: string) => void;

/** After so many lines the process ends itself, in that very moment: as hard as from outside. */
export function effectsIn(file: string, killAfter: number): Effects {
  let lines = 0;
  return (line) => {
    appendFileSync(file, `${line}\n`);
    if (++lines === killAfter) process.kill(process.pid, "SIGKILL");
  };
}

/** Says the turn that comes next by the history; refuses a history that the real API would refuse. */
export const modelWith = (effects: Effects): Model => ({
  name: "killed",
  async *stream(request: ModelRequest) {
    const [problem] = checkHistory(request.messages);
    if (problem !== undefined) throw new Error(`refused: ${problem.message}`);
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    effects(`asked ${turn}`);
    yield { type: "message-started", id: `message ${turn}`, model: "killed" };
    for (const block of turn < TURNS ? turnOf(turn) : [{ type: "text", text: "All done." }]) {
      await pause(2);
      if (block.type === "tool_use") {
        const { id, name, input } = block as unknown as { id: string; name: string; input: unknown };
        yield { type: "call-complete", call: { id, name, input } };
      }
      yield { type: "block", block };
    }
    yield { type: "stopped", reason: turn < TURNS ? "tool_use" : "end_turn", detail: "" };
  },
});

/** Each call says on disk that it has begun and, a while later, that it has ended. */
export function toolsWith(effects: Effects): AnyTool[] {
  const work = async (callId: string): Promise<string> => {
    effects(`begin ${callId}`);
    await pause(3 + Math.random() * 25);
    effects(`end ${callId}`);
    return outputOf(callId);
  };
  const define = (name: string, mode: "read" | "write"): AnyTool =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object({ path: z.string() }),
      isReadOnly: () => mode === "read",
      access: ({ path }) => [{ mode, place: `memory:/${path}` }],
      call: (_input, { callId }) => work(callId),
    });
  return [define("Change", "write"), define("Look", "read")];
}
