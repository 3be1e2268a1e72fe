/**
 * Connects the empty network of a sandbox to the proxy outside: a program in the sandbox listens on the proxy port and
 * forwards everything to the proxy's socket. It makes no decisions. It is not a child of the command's shell and ends
 * with the sandbox.
 */

import { CLOSE_OTHERS, SHELL, SHELL_NAME } from "../shell/shell-program.ts";

/** Each sandbox has its own ports. */
const PORT = 41_080;
/** Path of the proxy's socket inside the sandbox. */
export const SOCKET = "/run/runahead-network.sock";

/** Not named `node`, so that `pkill node` does not kill it. It ignores SIGTERM, so that traps can use the network. */
const RELAY = `
const net = require("node:net");
const fs = require("node:fs");
const { pipeline } = require("node:stream");
process.title = "runahead-relay";
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: ${JSON.stringify(SOCKET)}, allowHalfOpen: true });
  pipeline(near, far, () => {});
  pipeline(far, near, () => {});
});
server.listen(${PORT}, "127.0.0.1", () => {
  fs.writeSync(1, "ready");
  fs.closeSync(1);
});`;

/** Starts the relay, waits until it closes its output because it is ready, and then runs the command. */
const LAUNCH = [
  CLOSE_OTHERS,
  'node="$1"; relay="$2"; shift 2',
  'said="$( (NODE_OPTIONS= "$node" -e "$relay" </dev/null 2>/dev/null 3>&- &) )"',
  '[ "$said" = ready ] || { echo "The network relay of the sandbox could not start." >&2; exit 1; }',
  'unset node relay said; exec "$@"',
].join("; ");

/** Program and arguments before the command in the sandbox. */
export const LAUNCHER: readonly string[] = [SHELL, "-c", LAUNCH, SHELL_NAME, process.execPath, RELAY];

/** Returns the proxy variables; `own` are hosts that mean the sandbox itself. */
export function proxyVariables(own: readonly string[]): Record<string, string> {
  const proxy = `http://127.0.0.1:${PORT}`;
  const names = ["http_proxy", "https_proxy", "all_proxy"];
  const everybody = [...names, ...names.map((name) => name.toUpperCase())];
  const none = own.join(",");
  return {
    ...Object.fromEntries(everybody.map((name) => [name, proxy])),
    no_proxy: none,
    NO_PROXY: none,
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: none,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    // Node's fetch uses the proxy variables only with this.
    NODE_USE_ENV_PROXY: "1",
  };
}
