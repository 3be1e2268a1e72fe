/** Collects garbage, in a process that was not started with `--expose-gc`. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/**
 * Whether this was collected. Ask again until it was: V8 keeps a closure while it optimizes it on another thread.
 * It does not return the object, because what was compared would be kept.
 */
export function isCollected(object: WeakRef<object> | undefined): boolean {
  collectGarbage();
  return object?.deref() === undefined;
}
