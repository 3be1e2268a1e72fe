import { existsSync, readFileSync, readdirSync } from "node:fs";
import { type Server, createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import { isThere } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";
import { NetworkRules, type SandboxNetwork } from "./sandbox-network.ts";

beforeAll(requireBubblewrap, 120_000);

const servers: Server[] = [];

afterEach(async () => {
  await nothingLeft();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server outside, that says what it was asked for. */
async function serve(): Promise<number> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (piece: Buffer) => (bytes += piece.length));
    request.on("end", () =>
      response.end(`${request.method} ${request.url} ${request.headers.host} ${bytes}`),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const allowing = (...allowedDomains: string[]) => ({ sandbox: { network: { allowedDomains } } });

test("a command reaches the hosts of the list, by tunnel and by plain requests, and sends to them", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`));
  const url = `http://localhost:${port}`;
  expect((await world.bash(`curl -sS '${url}/a?b=c'`)).text).toBe(`GET /a?b=c localhost:${port} 0`);
  expect((await world.bash(`curl -sS --proxytunnel ${url}/tunnel`)).text).toBe(
    `GET /tunnel localhost:${port} 0`,
  );
  expect((await world.bash(`head -c 5000000 /dev/zero | curl -sS --data-binary @- ${url}/up`)).text).toBe(
    `POST /up localhost:${port} 5000000`,
  );
});

test("any other host is refused with a message, and the result names it", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`, "*.example.com"));
  const rules =
    "The network reaches only these hosts, through the proxy in HTTPS_PROXY: " +
    `localhost:${port}, *.example.com.`;
  const how = "Continue without them, or ask the user to add them to sandbox.network.allowedDomains.)";
  const plain = await world.bash("curl -sS http://other.example/");
  expect(plain.text).toBe(
    "The sandbox blocked the connection to other.example:80: the host is not on the list of allowed hosts. " +
      `Allowed: localhost:${port}, *.example.com.\n(The sandbox blocked connections to other.example:80. ${rules} ${how}`,
  );
  const tunnel = await world.bash(
    "curl -sS https://example.com https://a.example.com:8443; curl https://x.org",
  );
  expect(tunnel.isError).toBe(true);
  expect(tunnel.text).toContain(
    `(The sandbox blocked connections to example.com:443, a.example.com:8443, x.org:443. ${rules} ${how}`,
  );
  const other = await serve();
  expect((await world.bash(`curl -sS http://localhost:${other}/`)).text).toContain(
    `The sandbox blocked the connection to localhost:${other}`,
  );
});

test("without the proxy there is no network: no address, no name and no other socket", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`));
  const direct = await world.bash(
    `curl -sS --noproxy '*' http://127.0.0.1:${port}/; cat /proc/net/route | wc -l`,
  );
  expect(direct.text).toMatch(/Failed to connect to 127\.0\.0\.1[^]*\n1$/);
  const outside = await world.bash("exec 5<>/dev/tcp/192.0.2.1/80");
  expect(outside.text).toMatch(/Network is unreachable/);
  const name = await world.bash("curl -sS --noproxy '*' http://example.com/");
  expect(name.text).toMatch(/Could not resolve host[^]*it has no network/);
  expect((await world.bash("ls -A /run")).text).toBe("runahead-network.sock");
});

test("a pattern does not allow this machine or a private network, only the exact name does", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`*:${port}`));
  for (const host of ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]) {
    const { text } = await world.bash(`curl --noproxy '' -gsS http://${host}:${port}/`);
    expect(text).toMatch(/is an address of this machine or a private network\. Allowed: \*:/);
  }
  const literal = await makeWorld(allowing(`127.0.0.1:${port}`));
  expect((await literal.bash(`curl -sS http://127.0.0.1:${port}/ http://0x7f.1:${port}/`)).text).toMatch(
    /^GET \/ 127\.0\.0\.1:\d+ 0GET \/ 127\.0\.0\.1:\d+ 0$/,
  );
});

test("the proxy variables are set in upper and lower case, and a server inside is reachable without the proxy", async () => {
  const world = await makeWorld({
    ...allowing("example.com"),
    env: { ...process.env, HTTPS_PROXY: "http://outside:1", no_proxy: "everything" },
  });
  const names = "HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy npm_config_proxy".split(
    " ",
  );
  const { text } = await world.bash(
    `for name in ${names.join(" ")}; do echo "\${!name}"; done; echo $NO_PROXY $no_proxy`,
  );
  const own = "localhost,127.0.0.1,::1";
  expect(text).toBe([...names.map(() => "http://127.0.0.1:41080"), `${own} ${own}`].join("\n"));
  const inside =
    "require('node:http').createServer((q, r) => r.end('inside')).listen(8000, () => require('node:fs').writeFileSync('up', ''))";
  const fetching = await world.bash(
    `node -e "${inside}" & until [ -e up ]; do sleep 0.05; done; curl -sS http://localhost:8000/; kill $!`,
  );
  expect(fetching.text).toMatch(/^inside/);
});

test("the relay is not the command's child, does not answer to `pkill node`, and ends with the command", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`));
  const curl = `curl -sS http://localhost:${port}/`;
  const { text } = await world.bash(
    `jobs; wait; pkill node; ${curl}; echo; ls -l /proc/$(pgrep runahead)/fd | grep -c '[.]pipe\\|[.]report'; true`,
  );
  expect(text).toMatch(/^GET \/ localhost:\d+ 0\n0$/);
  expect(world.living()).toEqual([]);
  const stop = new AbortController();
  // Without other programs: those get SIGTERM too.
  const asking = `exec 5<>/dev/tcp/127.0.0.1/41080; printf "GET http://localhost:${port}/ HTTP/1.0\\r\\n\\r\\n" >&5`;
  const command = `trap '${asking}; read -r line <&5; echo "$line" > trapped; exit' TERM; touch ready; sleep 60 & wait`;
  const call = world.call("Bash", { command }, { signal: stop.signal });
  await until(isThere(join(world.root, "ready")), "the command is ready");
  stop.abort();
  await call;
  expect(readFileSync(join(world.root, "trapped"), "utf8")).toBe("HTTP/1.1 200 OK\r\n");
  expect(world.living()).toEqual([]);
});

test("a background job keeps its network while it runs, and refused hosts are reported at the end", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`));
  const curl = `curl -sS http://localhost:${port}/job`;
  const wait = "until [ -e go ]; do sleep 0.05; done";
  await world.bash(`${wait}; ${curl}; curl -sS http://no.example/ > refused; touch done; sleep 60`, {
    run_in_background: true,
  });
  expect((await world.bash("touch go; until [ -e done ]; do sleep 0.05; done")).isError).toBe(false);
  expect((await world.call("BashOutput", { bash_id: "bash_1" })).text).toMatch(/GET \/job/);
  await world.call("KillShell", { shell_id: "bash_1" });
  expect((await world.call("BashOutput", { bash_id: "bash_1" })).text).toContain(
    "(The sandbox blocked connections to no.example:80.",
  );
});

test("commands at the same time have separate proxies: refused hosts of one are not reported for the other", async () => {
  const port = await serve();
  const world = await makeWorld({ ...allowing(`localhost:${port}`), isReadOnlyCommand: () => true });
  const hosts = ["one.example", "two.example", "three.example", `localhost:${port}`];
  const answers = await world.turn(hosts.map((host) => ["Bash", { command: `curl -sS http://${host}/` }]));
  const refused = answers.map(
    ({ text }) => /The sandbox blocked connections to ([^,]*?)\. The network/.exec(text)?.[1],
  );
  expect(refused).toEqual(["one.example:80", "two.example:80", "three.example:80", undefined]);
});

test("a connection that is still open ends with the command, and nothing is left open after `close`", async () => {
  const port = await serve();
  const world = await makeWorld(allowing(`localhost:${port}`));
  const sockets = (): number =>
    readdirSync(join(world.home, "shells")).flatMap((name) =>
      readdirSync(join(world.home, "shells", name)).filter((file) => file.endsWith(".sock")),
    ).length;
  const open =
    "const s = require('node:net').connect(41080, '127.0.0.1', () => s.write(" +
    `'CONNECT localhost:${port} HTTP/1.1\\r\\n\\r\\n')); s.on('data', () => require('node:fs').writeFileSync('open', ''))`;
  await world.bash(`node -e "${open}"`, { run_in_background: true });
  await until(isThere(join(world.root, "open")), "the tunnel is open");
  expect(sockets()).toBe(1);
  await world.call("KillShell", { shell_id: "bash_1" });
  await until(() => sockets() === 0, "the socket is gone");
  const connections = (): Promise<number> =>
    new Promise((resolve) => servers[0]?.getConnections((_error, count) => resolve(count)));
  await until(async () => (await connections()) === 0, "the tunnel to be closed");
  await world.bash(`node -e "${open}"`, { run_in_background: true });
  await world.shell.close();
  expect(existsSync(join(world.home, "shells")) ? readdirSync(join(world.home, "shells")) : []).toEqual([]);
});

test("if the network relay cannot be opened, the command does not run", async () => {
  const { execPath } = process;
  const world = await makeWorld({ sandbox: { network: { allowedDomains: [] }, hidden: [execPath] } });
  expect((await world.bash("touch made")).text).toBe(
    "Error: Not run: the sandbox could not be started. The network relay of the sandbox could not start.",
  );
  expect(existsSync(join(world.root, "made"))).toBe(false);
});

const judged = (network: SandboxNetwork, targets: readonly string[]): string[] => {
  const rules = new NetworkRules(network);
  return targets.filter((text) => {
    const at = text.lastIndexOf(":");
    return rules.judge({ host: text.slice(0, at), port: Number(text.slice(at + 1)) }).type === "allowed";
  });
};

test("domains match as in rules of WebFetch, at 80 and 443 unless a port is named", () => {
  const targets =
    "a.com:80 a.com:443 a.com:22 x.a.com:443 x.y.a.com:443 xa.com:443 b.com:22 b.com:443 c.com:9 ::1:80 v1.d.com:80 d.com:80".split(
      " ",
    );
  const by = (...allowedDomains: string[]): string[] => judged({ allowedDomains }, targets);
  expect(by("A.com.")).toEqual(["a.com:80", "a.com:443"]);
  expect(by("*.a.com")).toEqual(["x.a.com:443", "x.y.a.com:443"]);
  expect(by("b.com:22", "c.com:*")).toEqual(["b.com:22", "c.com:9"]);
  expect(by("[::1]", "v*.d.com")).toEqual(["::1:80", "v1.d.com:80"]);
  expect(by("*").length).toBe(9);
  expect(by()).toEqual([]);
  expect(judged({ allowedDomains: ["*.a.com", "a.com"], deniedDomains: ["x.a.com"] }, targets)).toEqual([
    "a.com:80",
    "a.com:443",
    "x.y.a.com:443",
  ]);
});

test.each([
  ["https://a.com", 'expected a host such as "example.com"'],
  ["a.com/path", "expected a host"],
  ["", "expected a host"],
  ["a.com:70000", "70000 is not a valid port (at most 65535)"],
  ["a b", "expected a host"],
  ["[::zz]", "[::zz] is not a valid host name"],
])("%j in the list is an error that is reported at once", (domain, words) => {
  expect(() => new NetworkRules({ allowedDomains: [domain] })).toThrow(words);
});
