/** Promises of any kind: tools, schemas and ports can use their own. */

import { isObject } from "../wire/shape.ts";

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value["then"] === "function";
}
