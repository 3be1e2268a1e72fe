/** Hand-made faults in what executors share: the simulation of agents side by side must notice each of them. */

import type { Mutant } from "./mutants.ts";

export const TREES: readonly Omit<Mutant, "noticedBy">[] = [
  {
    title: "calls of different executors are not kept apart",
    file: "core/locks.ts",
    find: "const obstacle = isAlone ? undefined : this.#tree.obstacle(ticket);",
    replace: "const obstacle = undefined as ReturnType<typeof this.#tree.obstacle>;",
  },
  {
    title: "a second executor does not see what the first one holds already",
    file: "core/locks.ts",
    find: "if (!this.#isShared) for (const other of this.#live.list()) this.#tree.enter(other);",
    replace: "",
  },
  {
    title: "a slot is not given back",
    file: "core/locks.ts",
    find: "    room.free++;\n",
    replace: "",
  },
  {
    title: "one call too many runs over all executors",
    file: "core/locks.ts",
    find: "if (room.free <= 0) {",
    replace: "if (room.free < 0) {",
  },
  {
    title: "those who wait for a slot are not let on",
    file: "core/locks.ts",
    find: 'if (next.standing === "waiting" && this.#advance(next)) this.#granted.push(next);',
    replace: "",
  },
  {
    title: "those who wait for a claim are not let on",
    file: "core/locks.ts",
    find: "else if (this.#advance(next)) this.#granted.push(next);",
    replace: "",
  },
  {
    title: "a slot is kept by a call that waits for another limit",
    file: "core/locks.ts",
    find: "return [...limited, this.#slots];",
    replace: "return [this.#slots, ...limited];",
  },
  {
    title: "a limit on a place is not one on what is below it",
    file: "core/locks.ts",
    find: "return own.length >= segments.length && segments.every((name, at) => name === own[at]);",
    replace: "return own.length === segments.length && segments.every((name, at) => name === own[at]);",
  },
  {
    title: "a limit on a tool is not kept",
    file: "core/locks.ts",
    find: "if (tool !== undefined) return tool === toolName;",
    replace: "if (tool !== undefined) return false;",
  },
  {
    title: "the context of one turn keeps the calls of another waiting",
    file: "core/locks.ts",
    find: "if (!access.claims.some(isOfContext)) return access;",
    replace: "if (access.claims.length > 0) return access;",
  },
  {
    title: "a call that delegates takes a slot",
    file: "runtime/locks.ts",
    find: "if (call.delegates || call.ticket !== undefined) return true;",
    replace: "if (call.ticket !== undefined) return true;",
  },
  {
    title: "what other executors wait for is not passed on",
    file: "runtime/runtime.ts",
    find: "if (!this.#isPerforming) this.#locks?.passOn();",
    replace: "",
  },
  {
    title: "a call that is judged again keeps its place in the locks",
    file: "core/call.ts",
    find: 'return phase.state === "queued" || isExecuting(phase);',
    replace: 'return phase.state !== "settled";',
  },
  {
    title: "a call that has settled keeps its locks",
    file: "core/move.ts",
    find: "if (call.ticket !== undefined && !keepsTicket(phase)) leaveLocks(call);",
    replace: "",
  },
  {
    title: "a call that waits for the locks is taken to run in its own turn",
    file: "core/move.ts",
    find: "  move(turn, call, QUEUED);\n  turn.claims.reenter(call);",
    replace: "  move(turn, call, QUEUED);",
  },
  {
    title: "a call that the locks let start does not look at the limit of its own turn",
    file: "core/move.ts",
    find: "const hasRoom = turn.executing < turn.limit && !isHeld(turn, call);",
    replace: "const hasRoom = !isHeld(turn, call);",
  },
  {
    title: "a call that the locks let start does not look at earlier calls of its own turn",
    file: "core/move.ts",
    find: "if (hasRoom && turn.claims.obstacle(call) === undefined && !isLost(turn, call))",
    replace: "if (hasRoom && !isLost(turn, call))",
  },
  {
    title: "a call that the locks let start runs in a context that the rules have not seen",
    file: "core/move.ts",
    find: "if (hasRoom && turn.claims.obstacle(call) === undefined && !isLost(turn, call))",
    replace: "if (hasRoom && turn.claims.obstacle(call) === undefined)",
  },
  {
    title: "a call that waits for the locks is said to have run after a crash",
    file: "runtime/recover.ts",
    find: 'return phase.state === "starting" || hasStarted(phase);',
    replace: 'return phase.state === "queued" || phase.state === "starting" || hasStarted(phase);',
  },
  {
    title: "a call that claims nothing does not wait for one that delegates",
    file: "core/claim-queue.ts",
    find: 'nothing: ["delegate"],',
    replace: "nothing: [],",
  },
  {
    title: "a call that delegates does not wait for one that claims nothing",
    file: "core/claims.ts",
    find: "for (const other of this.#all()) if (isUnclaimed(other)) this.#enterLate(other);",
    replace: "void isUnclaimed;",
  },
  {
    title: "a call that reads does not wait for one that delegates",
    file: "core/claim-queue.ts",
    find: '"read-below": ["write", "delegate"],',
    replace: '"read-below": ["write"],',
  },
  {
    title: "calls that delegate wait for each other",
    file: "core/claim-queue.ts",
    find: 'delegate: ["nothing", "read-below", "write-below", "read", "write"],',
    replace: 'delegate: ["nothing", "read-below", "write-below", "read", "write", "delegate"],',
  },
  {
    title: "other executors are let on between the launch of a call and its start",
    file: "runtime/runtime.ts",
    find: "if (!this.#isPerforming) this.#locks?.passOn();",
    replace: "this.#locks?.passOn();",
    from: { trees: 5_847 },
  },
];
