/** Caches recently fetched pages by URL and drops the oldest first. */

const KEPT_MS = 15 * 60 * 1_000;
const MOST_PAGES = 50;
const MOST_CHARS = 20_000_000;

interface Entry<Page> {
  readonly page: Page;
  readonly chars: number;
  readonly atMs: number;
}

export class WebCache<Page extends { readonly text: string }> {
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<Page>>();
  #chars = 0;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get(url: string): { readonly page: Page; readonly ageMs: number } | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined) return undefined;
    const ageMs = this.#now() - entry.atMs;
    if (ageMs < KEPT_MS) return { page: entry.page, ageMs };
    this.#drop(url, entry);
    return undefined;
  }

  put(url: string, page: Page): void {
    const old = this.#entries.get(url);
    if (old !== undefined) this.#drop(url, old);
    const chars = page.text.length;
    this.#entries.set(url, { page, chars, atMs: this.#now() });
    this.#chars += chars;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MOST_PAGES && this.#chars <= MOST_CHARS) return;
      this.#drop(oldest, entry);
    }
  }

  #drop(url: string, entry: Entry<Page>): void {
    this.#entries.delete(url);
    this.#chars -= entry.chars;
  }
}
