/** Counts what the server does, and writes it in the OpenMetrics text format. */

import type { AgentEvent } from "@runahead/agent";
import { wrong } from "@runahead/base";
import type { WorkerSession } from "../queue/agent-worker.ts";
import type { RunEnd } from "../run/session-run.ts";

const NAMES = {
  http_requests: "HTTP requests, by route and status.",
  runs: "Runs of sessions on this process, by how they ended.",
  turns: "Turns of agents on this process.",
  calls: "Calls of tools on this process, by outcome.",
} as const;

const GAUGES = {
  sessions_waiting: "Sessions that wait for a worker.",
  sessions_limited: "Sessions that wait because their tenant has reached its limit.",
  sessions_running: "Sessions that a worker runs.",
  event_streams: "Event streams that are open on this process.",
} as const;

export type CounterName = keyof typeof NAMES;
export type GaugeName = keyof typeof GAUGES;
type Labels = Readonly<Record<string, string>>;

const PREFIX = "runahead_";

/** Counts what a process of the fleet does. */
export interface FleetMetrics {
  /** Counts turns and calls: the `onEvent` of {@link startAgentWorker}. */
  readonly onEvent: (session: WorkerSession, event: AgentEvent) => void;
  /** Counts runs: the `onRunEnded` of {@link startAgentWorker}. */
  readonly onRunEnded: (session: WorkerSession, end: RunEnd) => void;
  /** Returns the metrics in the OpenMetrics text format. */
  text(): string;
}

/**
 * Makes counters for a process of the fleet. Give them to its worker and to its server.
 *
 * @example
 * ```ts
 * import { createFleetMetrics } from "@runahead/fleet";
 *
 * const metrics = createFleetMetrics();
 * console.log(metrics.text().endsWith("# EOF\n")); // true
 * ```
 */
export function createFleetMetrics(): FleetMetrics {
  return new Metrics();
}

/** The counters themselves; a new set if there are none. */
export function metricsOf(given: FleetMetrics | undefined): Metrics {
  if (given === undefined) return new Metrics();
  if (given instanceof Metrics) return given;
  throw wrong('serveAgents: "metrics"', "made with createFleetMetrics()", given);
}

export class Metrics implements FleetMetrics {
  readonly #counters = new Map<CounterName, Map<string, number>>();
  readonly #gauges = new Map<GaugeName, number | undefined>();

  readonly onEvent = (_session: WorkerSession, event: AgentEvent): void => {
    if (event.type === "turn-ended") this.count("turns");
    if (event.type === "call-settled") this.count("calls", { outcome: event.outcome.type });
  };

  readonly onRunEnded = (_session: WorkerSession, { type }: RunEnd): void =>
    this.count("runs", { end: type });

  count(name: CounterName, labels: Labels = {}): void {
    const values = this.#counters.get(name) ?? new Map<string, number>();
    const key = textOf(labels);
    values.set(key, (values.get(key) ?? 0) + 1);
    this.#counters.set(name, values);
  }

  change(name: GaugeName, by: number): void {
    this.#gauges.set(name, (this.#gauges.get(name) ?? 0) + by);
  }

  /** Undefined: unknown at the moment, so the sample is left out. */
  set(name: GaugeName, value: number | undefined): void {
    this.#gauges.set(name, value);
  }

  text(): string {
    const counters = Object.entries(NAMES).flatMap(([name, help]) => {
      const values = this.#counters.get(name as CounterName) ?? new Map([["", 0]]);
      const lines = [...values].map(([labels, value]) => `${PREFIX}${name}_total${labels} ${value}`);
      return [`# TYPE ${PREFIX}${name} counter`, `# HELP ${PREFIX}${name} ${help}`, ...lines];
    });
    const gauges = Object.entries(GAUGES).flatMap(([name, help]) => {
      const value = this.#gauges.has(name as GaugeName) ? this.#gauges.get(name as GaugeName) : 0;
      const lines = value === undefined ? [] : [`${PREFIX}${name} ${value}`];
      return [`# TYPE ${PREFIX}${name} gauge`, `# HELP ${PREFIX}${name} ${help}`, ...lines];
    });
    const { rss } = process.memoryUsage();
    const memory = [
      "# TYPE process_resident_memory_bytes gauge",
      "# UNIT process_resident_memory_bytes bytes",
      `process_resident_memory_bytes ${rss}`,
    ];
    return `${[...counters, ...gauges, ...memory, "# EOF"].join("\n")}\n`;
  }
}

function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
