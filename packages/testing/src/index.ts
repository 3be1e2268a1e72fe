/** Tests for tools and agents that are built with Runahead. */

export { type ScriptedTurn, scripted } from "@runahead/agent";
export { type Clock, type MemoryJournal, memoryJournal, memoryResults } from "@runahead/engine";
export { type FakeClock, createFakeClock } from "./fake-clock.ts";
export { type CallResult, type RunCallsOptions, runCalls } from "./run-calls.ts";
export { type Race, type Simulated, type SimulatedCall, type SimulateOptions, simulate } from "./simulate.ts";
