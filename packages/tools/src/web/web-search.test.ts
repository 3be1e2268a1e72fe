import { expect, test } from "vitest";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { type WebServer, page, webServer } from "../../test/support/web-server.ts";
import {
  braveSearch,
  exaSearch,
  searchProvider,
  searxngSearch,
  tavilySearch,
} from "./web-search-providers.ts";
import { type WebSearchOptions, webSearchTool } from "./web-search.ts";

/** A generous ceiling: what is waited for comes at once, or never. */
const POLL = { timeout: 10_000 };

function searching(options: WebSearchOptions) {
  const call = agentIn("/tmp", [webSearchTool(options)]);
  return (input: object, signal?: AbortSignal) => call("WebSearch", input, signal);
}

function serving(answer: unknown, status = 200): Promise<WebServer> {
  return webServer(page(JSON.stringify(answer), { "content-type": "application/json" }, status));
}

const FOUND = { title: "A <strong>page</strong>", url: "https://example.com/a" };
const RESULT = { title: "A page", url: "https://example.com/a", snippet: "It says so." };

test("each service is asked in its own way, and its results come in one form", async () => {
  const [searxng, brave, tavily, exa] = [
    await serving({ results: [{ ...FOUND, content: "It  says\nso." }, { url: "ftp://x" }, null] }),
    await serving({ web: { results: [{ ...FOUND, description: "It says <b>so</b>." }] } }),
    await serving({ results: [{ ...FOUND, content: "It says so." }] }),
    await serving({ results: [{ ...FOUND, text: "It says so." }] }),
  ];
  const cases = [
    [searxng, searxngSearch(`${searxng.url}/`)],
    [brave, braveSearch({ key: "brave-key", address: brave.url })],
    [tavily, tavilySearch({ key: "tavily-key", address: tavily.url })],
    [exa, exaSearch({ key: "exa-key", address: exa.url })],
  ] as const;
  const input = {
    query: "a page",
    allowed_domains: ["example.com", "https://b.com/x"],
    blocked_domains: ["*.c.com"],
  };
  for (const [, provider] of cases) {
    const { output } = await searching({ provider })(input);
    expect(output).toEqual({ provider: provider.name, query: "a page", results: [RESULT], leftOut: 0 });
  }
  const query = "a+page+%28site%3Aexample.com+OR+site%3Ab.com%29+-site%3Ac.com";
  expect(searxng.requests[0]?.path).toBe(`/search?q=${query}&format=json`);
  expect(brave.requests[0]).toMatchObject({
    path: `/res/v1/web/search?q=${query}&count=20`,
    headers: { "x-subscription-token": "brave-key" },
  });
  expect(tavily.requests[0]).toMatchObject({
    path: "/search",
    headers: { authorization: "Bearer tavily-key" },
  });
  expect(JSON.parse(tavily.requests[0]?.body ?? "")).toEqual({
    query: "a page",
    max_results: 20,
    include_domains: ["example.com", "b.com"],
    exclude_domains: ["c.com"],
  });
  expect(exa.requests[0]).toMatchObject({ path: "/search", headers: { "x-api-key": "exa-key" } });
  expect(JSON.parse(exa.requests[0]?.body ?? "")).toEqual({
    query: "a page",
    numResults: 20,
    includeDomains: ["example.com", "b.com"],
    excludeDomains: ["c.com"],
    contents: { text: { maxCharacters: 500 } },
  });
});

test("domains are filtered here too, whatever the service does, and at most ten results are shown", async () => {
  const urls = [
    "https://example.com/1",
    "https://docs.example.com/2",
    "https://notexample.com/3",
    "https://evil.example.com/4",
  ];
  const server = await serving({ results: urls.map((url) => ({ url, title: url, content: "" })) });
  const call = searching({ provider: searxngSearch(server.url) });
  const { text } = await call({
    query: "xx",
    allowed_domains: ["example.com"],
    blocked_domains: ["evil.example.com"],
  });
  expect(text).toBe(
    'Results for "xx":\n\n1. https://example.com/1\n   https://example.com/1\n\n' +
      "2. https://docs.example.com/2\n   https://docs.example.com/2\n\n[2 results from other domains were left out.]",
  );
  const many = await serving({
    results: Array.from({ length: 30 }, (_, at) => ({ url: `https://a.com/${at}`, title: `${at}` })),
  });
  const { output } = await searching({ provider: searxngSearch(many.url) })({ query: "xx" });
  expect((output as { results: unknown[] }).results).toHaveLength(10);
});

test("an empty result says so, and a result has title, URL and snippet", async () => {
  const nothing = await serving({ results: [] });
  expect((await searching({ provider: searxngSearch(nothing.url) })({ query: "qwertz" })).text).toBe(
    'No results for "qwertz".',
  );
  const server = await serving({ results: [{ ...FOUND, content: "long ".repeat(200) }] });
  expect((await searching({ provider: searxngSearch(server.url) })({ query: "long" })).text).toBe(
    `Results for "long":\n\n1. A page\n   https://example.com/a\n   ${"long ".repeat(100)}…`,
  );
});

test("without a service, the message names the variables to set; the first one that is set is used", async () => {
  const { text, isError } = await searching({ environment: { BRAVE_API_KEY: " " } })({ query: "xx" });
  expect([isError, text]).toEqual([
    true,
    "Error: No web search is configured. The user can set one of these variables: SEARXNG_URL (a SearXNG server that " +
      "allows the JSON format), BRAVE_API_KEY, TAVILY_API_KEY or EXA_API_KEY. Without it, use WebFetch with URLs that you know.",
  ]);
  const names = [
    { SEARXNG_URL: "http://localhost:8888", EXA_API_KEY: "x" },
    { BRAVE_API_KEY: "x", TAVILY_API_KEY: "x" },
    { TAVILY_API_KEY: "x" },
    { EXA_API_KEY: "x" },
  ].map((environment) => searchProvider(environment)?.name);
  expect(names).toEqual(["SearXNG", "Brave Search", "Tavily", "Exa"]);
});

test("errors of the service are reported in plain words, without the key", async () => {
  const said = async (status: number, body: string, type = "application/json"): Promise<string> => {
    const server = await webServer(page(body, { "content-type": type }, status));
    const provider = braveSearch({ key: "top-secret", address: server.url });
    return (await searching({ provider })({ query: "xx" })).text;
  };
  const start = "Error: Cannot search with Brave Search: it responded";
  expect([
    await said(401, '{"error":"bad key"}'),
    await said(429, ""),
    await said(500, "<html>oops</html>"),
    await said(302, ""),
    await said(200, "<html>hello</html>"),
  ]).toEqual([
    `${start} 401 Unauthorized; check the key in BRAVE_API_KEY; message: {"error":"bad key"}.`,
    `${start} 429 Too Many Requests; its quota or rate limit is exceeded.`,
    `${start} 500 Internal Server Error.`,
    `${start} 302 Found.`,
    `Error: Cannot search with Brave Search: its response is not JSON: <html>hello</html>.`,
  ]);
  const closed = await webServer(page("<h1>403</h1>", {}, 403));
  expect((await searching({ provider: searxngSearch(closed.url) })({ query: "xx" })).text).toBe(
    'Error: Cannot search with SearXNG: it responded 403 Forbidden; add "json" to search.formats in its settings.yml.',
  );
  expect((await searching({ provider: searxngSearch("localhost:8888") })({ query: "xx" })).text).toBe(
    "Error: The address of SearXNG is not an http or https URL. The user must correct its configuration.",
  );
});

test("an invalid domain is reported, and a silent service times out or ends with the call", async () => {
  const server = await webServer(() => {});
  const provider = searxngSearch(server.url);
  const call = searching({ provider, limitMs: 200 });
  expect((await call({ query: "xx", blocked_domains: ["not a domain"] })).text).toBe(
    'Error: "not a domain" is not a domain. Write it like example.com.',
  );
  expect((await call({ query: "xx" })).text).toBe(
    "Error: Cannot search with SearXNG: it took longer than 0.2 s.",
  );
  const controller = new AbortController();
  const stopped = searching({ provider })({ query: "xx" }, controller.signal);
  await expect.poll(() => server.requests.length, POLL).toBe(2);
  controller.abort("stop");
  expect((await stopped).text).toMatch(/^Stopped after /);
  await expect.poll(() => server.connections(), POLL).toBe(0);
});
