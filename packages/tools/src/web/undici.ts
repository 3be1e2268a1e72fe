/** undici, loaded when the first request or a proxy needs it: it is as large as the rest of the tools. */

import { createRequire } from "node:module";

type Undici = typeof import("undici");

let loaded: Undici | undefined;

export function undici(): Undici {
  loaded ??= createRequire(import.meta.url)("undici") as Undici;
  return loaded;
}
