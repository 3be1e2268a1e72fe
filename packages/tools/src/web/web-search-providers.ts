/** Search services of WebSearch: how to send a query and where the results are. */

import { aString, anObject, checkOptions, required } from "@runahead/base";

interface SearchWish {
  readonly query: string;
  /** Domains to search; empty for all. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. Undefined: GET. */
  readonly body: object | undefined;
}

/** A search service. */
export interface SearchProvider {
  /** Display name. */
  readonly name: string;
  /** Returns the HTTP request for a search. */
  request(wish: SearchWish): SearchRequest;
  /** Extracts the results from the parsed response. Entries without a URL are left out. */
  results(answer: unknown): SearchResult[];
  /** Returns what to do about an HTTP error; undefined for no advice. */
  advice(status: number): string | undefined;
}

/** Options of a service with an API key. `address` replaces the service's own, for a gateway. */
export interface KeyedSearch {
  readonly key: string;
  readonly address?: string;
}

const ASKED_RESULTS = 20;
const SNIPPET_CHARS = 500;

/**
 * Searches with a SearXNG server, which must allow the JSON format.
 *
 * @example
 * ```ts
 * webTools({ search: { provider: searxngSearch("https://search.example.com") } });
 * ```
 */
export function searxngSearch(address: string): SearchProvider {
  return {
    name: "SearXNG",
    request: (wish) => ({
      ...get(`${address.replace(/\/+$/, "")}/search`, { q: withSites(wish), format: "json" }),
      headers: {},
    }),
    results: (answer) => resultsAt(answer, ["results"], "content"),
    advice: (status) => (status === 403 ? 'add "json" to search.formats in its settings.yml' : undefined),
  };
}

const KEYED = { key: required(aString), address: aString };

/**
 * Searches with Brave Search. `address` replaces that of the service, for a gateway.
 *
 * @example
 * ```ts
 * webTools({ search: { provider: braveSearch({ key }) } });
 * ```
 */
export function braveSearch(options: KeyedSearch): SearchProvider {
  checkOptions(options, KEYED, "braveSearch");
  const { key, address = "https://api.search.brave.com" } = options;
  return {
    name: "Brave Search",
    request: (wish) => ({
      ...get(`${address}/res/v1/web/search`, { q: withSites(wish), count: String(ASKED_RESULTS) }),
      headers: { "x-subscription-token": key },
    }),
    results: (answer) => resultsAt(answer, ["web", "results"], "description"),
    advice: keyAdvice("BRAVE_API_KEY"),
  };
}

/**
 * Searches with Tavily. `address` replaces that of the service, for a gateway.
 *
 * @example
 * ```ts
 * webTools({ search: { provider: tavilySearch({ key }) } });
 * ```
 */
export function tavilySearch(options: KeyedSearch): SearchProvider {
  checkOptions(options, KEYED, "tavilySearch");
  const { key, address = "https://api.tavily.com" } = options;
  return {
    name: "Tavily",
    request: ({ query, allowed, blocked }) => ({
      url: `${address}/search`,
      headers: { authorization: `Bearer ${key}` },
      body: { query, max_results: ASKED_RESULTS, include_domains: allowed, exclude_domains: blocked },
    }),
    results: (answer) => resultsAt(answer, ["results"], "content"),
    advice: keyAdvice("TAVILY_API_KEY"),
  };
}

/**
 * Searches with Exa. `address` replaces that of the service, for a gateway.
 *
 * @example
 * ```ts
 * webTools({ search: { provider: exaSearch({ key }) } });
 * ```
 */
export function exaSearch(options: KeyedSearch): SearchProvider {
  checkOptions(options, KEYED, "exaSearch");
  const { key, address = "https://api.exa.ai" } = options;
  return {
    name: "Exa",
    request: ({ query, allowed, blocked }) => ({
      url: `${address}/search`,
      headers: { "x-api-key": key },
      body: {
        query,
        numResults: ASKED_RESULTS,
        ...(allowed.length > 0 ? { includeDomains: allowed } : {}),
        ...(blocked.length > 0 ? { excludeDomains: blocked } : {}),
        contents: { text: { maxCharacters: SNIPPET_CHARS } },
      },
    }),
    results: (answer) => resultsAt(answer, ["results"], "text"),
    advice: keyAdvice("EXA_API_KEY"),
  };
}

function get(address: string, parameters: Readonly<Record<string, string>>) {
  return { url: `${address}?${new URLSearchParams(parameters).toString()}`, body: undefined };
}

/** For services that filter domains only through the query. */
function withSites({ query, allowed, blocked }: SearchWish): string {
  const sites = allowed.map((domain) => `site:${domain}`).join(" OR ");
  const without = blocked.map((domain) => `-site:${domain}`);
  return [query, ...(allowed.length > 1 ? [`(${sites})`] : [sites]), ...without]
    .filter((part) => part !== "")
    .join(" ");
}

function keyAdvice(variable: string): SearchProvider["advice"] {
  return (status) => {
    if (status === 401 || status === 403) return `check the key in ${variable}`;
    return status === 402 || status === 429 ? "its quota or rate limit is exceeded" : undefined;
  };
}

function resultsAt(answer: unknown, path: readonly string[], snippetField: string): SearchResult[] {
  let list = answer;
  for (const key of path) list = (list as Record<string, unknown> | null | undefined)?.[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const { url, title, [snippetField]: snippet } = (item ?? {}) as Record<string, unknown>;
    if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return [];
    return [{ title: words(title) || url, url, snippet: words(snippet) }];
  });
}

/** Makes one line, without the tags that some services put around matches. */
function words(text: unknown): string {
  if (typeof text !== "string") return "";
  const plain = text
    .replaceAll(/<\/?(strong|b|em|mark)>/gi, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return plain.length <= SNIPPET_CHARS ? plain : `${plain.slice(0, SNIPPET_CHARS).toWellFormed()}…`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** In order of precedence. */
const BY_VARIABLE: readonly (readonly [string, (value: string) => SearchProvider])[] = [
  ["SEARXNG_URL", searxngSearch],
  ["BRAVE_API_KEY", (key) => braveSearch({ key })],
  ["TAVILY_API_KEY", (key) => tavilySearch({ key })],
  ["EXA_API_KEY", (key) => exaSearch({ key })],
];

/**
 * Returns the first provider that the environment has an address or a key for: `SEARXNG_URL`, `BRAVE_API_KEY`,
 * `TAVILY_API_KEY`, `EXA_API_KEY`. Undefined if there is none.
 *
 * @example
 * ```ts
 * const provider = searchProvider(process.env);
 * ```
 */
export function searchProvider(environment: Environment): SearchProvider | undefined {
  required(anObject)(environment, 'searchProvider: "environment"');
  for (const [variable, make] of BY_VARIABLE) {
    const value = environment[variable]?.trim() ?? "";
    if (value !== "") return make(value);
  }
  return undefined;
}
