/** Waits longer for a server than Node's fetch does, which gives up after five minutes. */

import { shapeOf } from "@runahead/base";

/** Where every version of undici, also the one inside Node, keeps what sends its requests. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const NODE_LIMIT_MS = 300_000;

type Limits = { readonly headersTimeout: number; readonly bodyTimeout: number };
type Dispatcher = NonNullable<RequestInit["dispatcher"]>;

/** By the dispatcher that it replaces, so that connections are reused and a proxy that was set later counts. */
const patient = new WeakMap<object, Dispatcher>();

/** Returns the option of fetch for a limit that Node's own would cut short. Our own timers end the request. */
export function patientDispatcher(limitMs: number): { dispatcher?: Dispatcher } {
  if (limitMs < NODE_LIMIT_MS) return {};
  // Node sets it when it first needs its fetch.
  void new Response();
  const global = (globalThis as { [GLOBAL_DISPATCHER]?: object })[GLOBAL_DISPATCHER];
  const constructor = shapeOf(global)["constructor"];
  // A proxy or a dispatcher of the caller stays as it is.
  if (global === undefined || typeof constructor !== "function" || constructor.name !== "Agent") return {};
  const known = patient.get(global);
  if (known !== undefined) return { dispatcher: known };
  const made = new (constructor as new (limits: Limits) => Dispatcher)({ headersTimeout: 0, bodyTimeout: 0 });
  patient.set(global, made);
  return { dispatcher: made };
}
