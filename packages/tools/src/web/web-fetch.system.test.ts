import { type AddressInfo, createServer } from "node:net";
import { gzipSync, brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { type AnyTool, StreamingToolExecutor } from "@runahead/engine";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { networkOf, page, webServer } from "../../test/support/web-server.ts";
import { SYSTEM_NETWORK } from "./web-connect.ts";
import { type WebFetchOptions, webFetchTool } from "./web-fetch.ts";

/** A generous ceiling: what is waited for comes at once, or never. */
const POLL = { timeout: 10_000 };

function fetching(options: WebFetchOptions = { allowPrivate: true }) {
  const call = agentIn("/tmp", [webFetchTool(options)]);
  return (url: string, signal?: AbortSignal) => call("WebFetch", { url, prompt: "What is it?" }, signal);
}

const HTTP_NOTE = "[Fetched over unencrypted http, so the content could have been changed in transit.]";
const ARTICLE = `<!doctype html><html><head><title>On  &amp; off</title></head><body><nav><a href="/menu">Menu</a></nav>
<article><h1>Title</h1><p>${"Words that make sense, one after another. ".repeat(20)}</p>
<pre><code class="language-js">let a;\n\nlet b;</code></pre>
<table><thead><tr><th>x</th><th>y</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<p>See <a href="../other#x">that</a> and <img src="data:image/png;base64,AAAA" alt="a dot">.</p></article>
<script>alert("x")</script></body></html>`;

test("a page is returned as markdown with absolute links, and says which part is shown", async () => {
  const server = await webServer(page(ARTICLE));
  const { text, isError, output } = await fetching()(`${server.url}/docs/page#part`);
  const words = "Words that make sense, one after another. ".repeat(20).trim();
  expect(isError).toBe(false);
  expect(text).toBe(
    [
      `[${server.url}/docs/page · On & off · text/html · ${ARTICLE.length} bytes]`,
      HTTP_NOTE,
      "[Only the main part of the page is shown (892 of 897 characters of text); menus and hidden text are left out.]",
      "",
      "## Title",
      "",
      words,
      "",
      "```js\nlet a;\n\nlet b;\n```",
      "",
      "| x | y |\n| --- | --- |\n| 1 | 2 |",
      "",
      `See [that](${server.url}/other#x) and \\[image: a dot\\].`,
    ].join("\n"),
  );
  expect(output).toMatchObject({
    type: "page",
    title: "On & off",
    mediaType: "text/html",
    bytes: ARTICLE.length,
  });
});

test("the request names the agent and sends no cookies", async () => {
  const server = await webServer(page("<p>hello</p>", { "set-cookie": "a=1", "cache-control": "no-store" }));
  const call = fetching();
  await call(server.url);
  await call(server.url);
  expect(server.requests.map(({ headers }) => [headers["user-agent"], headers.cookie])).toEqual([
    ["Runahead/0.1 (an AI agent's web tools)", undefined],
    ["Runahead/0.1 (an AI agent's web tools)", undefined],
  ]);
});

test("text and JSON are returned unchanged, compressed or not", async () => {
  const json = '{"a": [1, 2]}';
  for (const [encoding, body] of [
    ["identity", Buffer.from(json)],
    ["gzip", gzipSync(json)],
    ["br", brotliCompressSync(json)],
  ] as const) {
    const server = await webServer(
      page(body, { "content-type": "application/json", "content-encoding": encoding }),
    );
    expect((await fetching()(`${server.url}/`)).text).toBe(
      `[${server.url}/ · application/json · ${json.length} bytes]\n${HTTP_NOTE}\n\n${json}`,
    );
  }
});

test("the character set comes from the byte order mark, the header or the page, and an unknown one is reported", async () => {
  const latin = Buffer.from(
    "<html><head><meta charset='iso-8859-1'></head><body>caf\xe9</body></html>",
    "latin1",
  );
  const cases = [
    [Buffer.from("caf\xe9", "latin1"), "text/plain; charset=iso-8859-1"],
    [latin, "text/html"],
    [Buffer.from("\ufeffcafé", "utf16le"), "text/plain"],
    [Buffer.from("café"), "text/plain; charset=klingon"],
  ] as const;
  const texts: string[] = [];
  for (const [body, type] of cases) {
    const server = await webServer(page(body, { "content-type": type }));
    texts.push((await fetching()(server.url)).text.split("\n").slice(2).join("\n"));
  }
  expect(texts).toEqual([
    "\ncafé",
    "\ncafé",
    "\ncafé",
    '[Unknown character set "klingon"; decoded as UTF-8.]\n\ncafé',
  ]);
});

test("C15: images, PDF and other binary data are refused with their type and size, whatever the server calls them", async () => {
  const said = async (body: Buffer, type: string): Promise<string> => {
    const server = await webServer(page(body, type === "" ? {} : { "content-type": type }));
    const { text, isError } = await fetching()(`${server.url}/`);
    expect(isError).toBe(true);
    return text.replaceAll(server.url, "SERVER");
  };
  const rest = "and WebFetch reads only text; download it with a Bash command, then use Read.";
  expect([
    await said(Buffer.alloc(10), "image/png"),
    await said(Buffer.from("%PDF-1.7 …"), "application/pdf"),
    await said(Buffer.from("%PDF-1.7 abc"), "text/plain"),
    await said(Buffer.from([1, 2, 0, 4]), "application/octet-stream"),
  ]).toEqual([
    `Error: Cannot fetch SERVER/: it is image/png (10 bytes), ${rest}`,
    `Error: Cannot fetch SERVER/: it is application/pdf (12 bytes), ${rest}`,
    `Error: Cannot fetch SERVER/: it is text/plain (12 bytes), ${rest}`,
    `Error: Cannot fetch SERVER/: it is application/octet-stream (4 bytes), ${rest}`,
  ]);
});

test("C13: pages above 10 MB are refused: by content-length, while downloading, and while decompressing", async () => {
  const most = 10 * 1024 * 1024;
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
  const declared = await webServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": String(most + 1) });
    response.write("begin");
  });
  const endless = await webServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = (): void => void (response.destroyed || response.write("x".repeat(100_000), more));
    more();
  });
  const packed = await webServer(page(bomb, { "content-type": "text/plain", "content-encoding": "gzip" }));
  const texts: string[] = [];
  for (const { url } of [declared, endless, packed])
    texts.push((await fetching()(url)).text.replace(url, "SERVER"));
  expect(bomb.length).toBeLessThan(most / 10);
  expect(texts).toEqual([
    `Error: Cannot fetch SERVER/: it has ${most + 1} bytes (limit: ${most}).`,
    `Error: Cannot fetch SERVER/: it has more than ${most} bytes (limit: ${most}).`,
    `Error: Cannot fetch SERVER/: it has more than ${most} bytes (limit: ${most}).`,
  ]);
  await expect.poll(() => endless.connections(), POLL).toBe(0);
});

test("C13: a page above the tool's limit goes to a file, and its two ends to the model", async () => {
  const body = `first ${"x ".repeat(100_000)} last`;
  const server = await webServer(page(body, { "content-type": "text/plain" }));
  const { text } = await fetching()(server.url);
  expect(text.slice(0, 120)).toMatch(
    /^\[Result too large: \d+ characters\. The full result is stored in memory:\/results\//,
  );
  expect([text.includes("first x"), text.endsWith(" last"), text.length < 10_000]).toEqual([
    true,
    true,
    true,
  ]);
});

test("redirects on the same host are followed, at most five; one to another host is reported and not followed", async () => {
  const other = await webServer(page("<p>other</p>"));
  const server = await webServer((request, response) => {
    const at = request.url ?? "";
    if (at === "/away")
      return void response.writeHead(302, { location: `http://localhost:${other.port}/x` }).end();
    if (at === "/file") return void response.writeHead(302, { location: "file:///etc/passwd" }).end();
    if (at === "/nowhere") return void response.writeHead(301).end();
    const left = Number(at.slice(1));
    if (left > 0) return void response.writeHead(302, { location: `${left - 1}` }).end("moved");
    response.writeHead(200, { "content-type": "text/plain" }).end("here");
  });
  const call = fetching();
  expect((await call(`${server.url}/5`)).text).toBe(
    `[${server.url}/0 · text/plain · 4 bytes]\n${HTTP_NOTE}\n\nhere`,
  );
  expect((await call(`${server.url}/6`)).text).toBe(
    `Error: Cannot fetch ${server.url}/6: it redirects more than 5 times.`,
  );
  const away = await call(`${server.url}/away`);
  expect([away.isError, away.output, away.text]).toEqual([
    false,
    { type: "redirected", from: `${server.url}/away`, to: `http://localhost:${other.port}/x`, status: 302 },
    `Not fetched: ${server.url}/away redirects (302) to another host.\n` +
      `To fetch it, call WebFetch with the new URL: http://localhost:${other.port}/x`,
  ]);
  expect(other.requests).toEqual([]);
  expect((await call(`${server.url}/file`)).text).toBe(
    `Error: Cannot fetch ${server.url}/file: file: URLs are not supported, only http: and https:.`,
  );
  expect((await call(`${server.url}/nowhere`)).text).toBe(
    `Error: Cannot fetch ${server.url}/nowhere: the server responded 301 Moved Permanently without a valid Location.`,
  );
});

test("private addresses are refused: directly, in other notations, and through a name", async () => {
  const server = await webServer(page("secret"));
  const call = fetching({
    network: networkOf({
      "inside.example": [["10.0.0.7"]],
      "mixed.example": [["93.184.216.34", "127.0.0.1"]],
      "six.example": [["::ffff:127.0.0.1"]],
      localhost: [["127.0.0.1"]],
    }),
  });
  const hosts = ["127.0.0.1", "2130706433", "0x7f.1", "0177.1", "[::1]", "[::ffff:7f00:1]", "localhost"];
  for (const host of [...hosts, "inside.example", "mixed.example", "six.example", "169.254.169.254"]) {
    const { text, isError } = await call(`http://${host}:${server.port}/`);
    expect([host, isError]).toEqual([host, true]);
    expect(text).toContain(
      "is an address of this machine or a private network, and only public addresses are allowed.",
    );
  }
  expect((await call(`http://mixed.example:${server.port}/`)).text).toBe(
    `Error: Cannot fetch http://mixed.example:${server.port}/: mixed.example (127.0.0.1) is an address of ` +
      "this machine or a private network, and only public addresses are allowed.",
  );
  expect(server.requests).toEqual([]);
});

test("a name that resolves differently the second time is refused, also after a redirect", async () => {
  const server = await webServer((request, response) => {
    if (request.url === "/")
      return void response.writeHead(302, { location: "/next", connection: "close" }).end();
    response.writeHead(200).end("secret");
  });
  // 127.0.0.1 stands for a public machine, 127.0.0.2 for a private one on the same port.
  const names = networkOf({ "turn.example": [["127.0.0.1"], ["127.0.0.2"]] });
  const call = fetching({ network: { ...names, isPublic: (address) => address === "127.0.0.1" } });
  const { text } = await call(`http://turn.example:${server.port}/`);
  expect(text).toBe(
    `Error: Cannot fetch http://turn.example:${server.port}/: turn.example (127.0.0.2) is an address of ` +
      "this machine or a private network, and only public addresses are allowed.",
  );
  expect(server.requests.map(({ path }) => path)).toEqual(["/"]);
});

test("a page is loaded again unless the server says that it has the same version", async () => {
  let version = 1;
  const sent: number[] = [];
  const server = await webServer((request, response) => {
    const etag = `"v${version}"`;
    const isKnown = request.headers["if-none-match"] === etag;
    const headers = request.url === "/secret" ? { "cache-control": "private, no-store" } : {};
    sent.push(isKnown ? 304 : 200);
    response.writeHead(isKnown ? 304 : 200, {
      "content-type": "text/plain",
      ...(request.url === "/plain" ? {} : { etag }),
      ...headers,
    });
    response.end(isKnown ? undefined : `version ${version}`);
  });
  const call = fetching();
  const lastLine = async (path: string): Promise<string> =>
    (await call(server.url + path)).text.split("\n").at(-1) ?? "";
  expect([await lastLine("/a"), await lastLine("/a#part")]).toEqual(["version 1", "version 1"]);
  version = 2;
  expect([await lastLine("/a"), await lastLine("/a")]).toEqual(["version 2", "version 2"]);
  expect(sent.splice(0)).toEqual([200, 304, 200, 304]);
  for (const path of ["/plain", "/plain", "/secret", "/secret"]) await lastLine(path);
  expect(sent).toEqual([200, 200, 200, 200]);
});

test("an etag is not sent to the page that a redirect leads to, and a 304 that nobody asked for is an error", async () => {
  const asked: unknown[] = [];
  let isMoved = false;
  const server = await webServer((request, response) => {
    asked.push([request.url, request.headers["if-none-match"]]);
    if (request.url === "/odd") return void response.writeHead(304).end();
    if (request.url === "/" && isMoved) return void response.writeHead(302, { location: "/new" }).end();
    response.writeHead(200, { "content-type": "text/plain", etag: '"1"' }).end(`at ${request.url}`);
  });
  const call = fetching();
  await call(server.url);
  isMoved = true;
  expect((await call(server.url)).text).toContain("at /new");
  expect(asked).toEqual([
    ["/", undefined],
    ["/", '"1"'],
    ["/new", undefined],
  ]);
  expect((await call(`${server.url}/odd`)).text).toContain("304 Not Modified without a valid Location");
});

test("errors of the server and the network are reported in plain words", async () => {
  const no = await webServer(
    page('{"error": "slow down"}', { "content-type": "application/json", "retry-after": "30" }, 429),
  );
  const gone = await webServer(page("<h1>Not here</h1>", {}, 404));
  const broken = await webServer((_request, response) => void response.destroy());
  const corrupt = await webServer(page("no gzip", { "content-encoding": "gzip" }));
  const odd = await webServer(page("x", { "content-encoding": "zstd" }));
  const call = fetching({ allowPrivate: true, network: { ...networkOf({}), isPublic: () => true } });
  const said = async (url: string): Promise<string> =>
    (await call(url)).text.replace(/^Error: Cannot fetch \S+ /, "");
  expect([
    await said(no.url),
    await said(gone.url),
    await said(broken.url),
    await said(corrupt.url),
    await said(odd.url),
    await said("http://127.0.0.1:1/"),
    await said("http://nobody.example/"),
  ]).toEqual([
    'the server responded 429 Too Many Requests (retry-after: 30): {"error": "slow down"}.',
    "the server responded 404 Not Found.",
    "the server closed the connection.",
    "the compressed response is corrupt.",
    'its content encoding "zstd" is not supported.',
    "the connection was refused, because no server listens on that port.",
    "the host name does not exist.",
  ]);
});

test("a server that is silent or never ends times out", async () => {
  const silent = await webServer(() => {});
  const slow = await webServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("begin");
  });
  const call = fetching({ allowPrivate: true, limitMs: 300 });
  for (const server of [silent, slow]) {
    const { url } = server;
    expect((await call(url)).text).toBe(`Error: Cannot fetch ${url}/: it took longer than 0.3 s.`);
    await expect.poll(() => server.connections(), POLL).toBe(0);
  }
});

test("a call that is stopped leaves no connection", async () => {
  const controller = new AbortController();
  const server = await webServer(() => controller.abort("stop"));
  const { text } = await fetching()(server.url, controller.signal);
  expect(text).toMatch(/^Stopped after /);
  await expect.poll(() => server.connections(), POLL).toBe(0);
});

test("with a model to ask, its answer is the result; if that fails, the page is", async () => {
  const server = await webServer(page("The sky is green.", { "content-type": "text/plain" }));
  const head = `[${server.url}/ · text/plain · 17 bytes]\n${HTTP_NOTE}`;
  const asked: unknown[] = [];
  const answering = fetching({
    allowPrivate: true,
    ask: (prompt, about) => {
      asked.push({ prompt, about });
      return Promise.resolve("It is green.");
    },
  });
  const { text, output } = await answering(server.url);
  expect(text).toBe(`${head}\n\nIt is green.`);
  expect(asked).toEqual([
    { prompt: "What is it?", about: { url: `${server.url}/`, title: "", text: "The sky is green." } },
  ]);
  expect(output).toMatchObject({ type: "answer", answer: "It is green.", text: "The sky is green." });
  const failing = fetching({ allowPrivate: true, ask: () => Promise.reject(new Error("overloaded")) });
  expect((await failing(server.url)).text).toBe(
    `${head}\n[The prompt could not be answered (overloaded), so this is the page itself.]\n\nThe sky is green.`,
  );
});

test("fetches run in parallel, and after a call that writes everything", async () => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const server = await webServer((request, response) => {
    order.push(`fetch ${request.url}`);
    waiting.push(() => void response.writeHead(200, { "content-type": "text/plain" }).end("x"));
    // Both are answered when both are here: one after the other would never end.
    if (waiting.length === 2) for (const answer of waiting) answer();
  });
  const start: AnyTool = {
    name: "Start",
    description: "",
    inputSchema: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } },
    call: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push("started");
    },
  };
  const tools = [start, webFetchTool({ allowPrivate: true })];
  const executor = new StreamingToolExecutor({ tools });
  executor.add({ id: "1", name: "Start", input: {} });
  executor.add({ id: "2", name: "WebFetch", input: { url: `${server.url}/a`, prompt: "" } });
  executor.add({ id: "3", name: "WebFetch", input: { url: `${server.url}/b`, prompt: "" } });
  executor.end();
  for await (const update of executor.remaining())
    if (update.type === "result") expect(update.result.is_error).toBe(false);
  expect(order.toSorted()).toEqual(["fetch /a", "fetch /b", "started"]);
  expect(order[0]).toBe("started");
});

test("a DNS lookup that never ends is stopped by the limit and by an abort", async () => {
  const lookup = (): void => {};
  const network = { ...SYSTEM_NETWORK, lookup };
  expect((await fetching({ network, limitMs: 200 })("http://slow.example/")).text).toBe(
    "Error: Cannot fetch http://slow.example/: it took longer than 0.2 s.",
  );
  for (const protocol of ["http", "https"]) {
    const controller = new AbortController();
    const asked = { ...network, lookup: () => setTimeout(() => controller.abort("stop"), 20) };
    const { text } = await fetching({ network: asked })(`${protocol}://slow.example/`, controller.signal);
    expect(text).toMatch(/^Stopped after \d+\.\d s: .*\nIt had printed nothing\.$/);
  }
});

test("a connection that is never established ends with its call", async () => {
  // It reads, so that it notices the end, and says nothing.
  const silent = createServer((socket) => void socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const open = (): Promise<number> =>
    new Promise((resolve) => silent.getConnections((_error, count) => resolve(count)));
  const fetched = fetching({ allowPrivate: true, limitMs: 2_000 })(`https://127.0.0.1:${port}/`);
  await expect.poll(open, POLL).toBe(1);
  expect((await fetched).text).toContain("it took longer than 2 s.");
  await expect.poll(open, POLL).toBe(0);
  await new Promise((resolve) => silent.close(resolve));
});
