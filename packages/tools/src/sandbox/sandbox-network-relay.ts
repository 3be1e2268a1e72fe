/**
 * The way from inside a sandbox, which has a network of its own with nothing in it, to the proxy outside: a program in
 * the sandbox that listens where clients look for a proxy, and passes everything on to the proxy's socket. It decides
 * nothing. It is no child of the command's shell, and ends with the sandbox.
 */

import { CLOSE_OTHERS, SHELL, SHELL_NAME } from "../shell/shell-program.ts";

/** Each sandbox has its ports for itself. */
const PORT = 41_080;
/** Of the proxy, inside. */
export const SOCKET = "/run/runahead-network.sock";

/** By another name than `node`, so that a command may end its own. It stays when all are told to stop, for traps. */
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

/**
 * Starts the relay, waits until it listens, and becomes the command that follows. The relay's output ends when it is
 * ready, which is what the shell waits for.
 */
const LAUNCH = [
  CLOSE_OTHERS,
  'node="$1"; relay="$2"; shift 2',
  'said="$( (NODE_OPTIONS= "$node" -e "$relay" </dev/null 2>/dev/null 3>&- &) )"',
  '[ "$said" = ready ] || { echo "The way to the network could not be opened." >&2; exit 1; }',
  'unset node relay said; exec "$@"',
].join("; ");

/** What goes before the command in the sandbox. */
export const LAUNCHER: readonly string[] = [SHELL, "-c", LAUNCH, SHELL_NAME, process.execPath, RELAY];

/** For programs that look for a proxy; `own` are hosts that mean the sandbox itself. */
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
    // Node's own fetch looks at the others only then.
    NODE_USE_ENV_PROXY: "1",
  };
}
