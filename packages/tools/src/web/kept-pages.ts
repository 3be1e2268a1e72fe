/** Keeps fetched pages with the ETag that the server gave them, and drops the least recently used first. */

const MOST_PAGES = 50;
const MOST_CHARS = 20_000_000;

/** A page, and what the server calls this version of it. */
export interface KeptPage<Page> {
  readonly page: Page;
  readonly etag: string;
}

export class KeptPages<Page extends { readonly text: string }> {
  readonly #pages = new Map<string, KeptPage<Page>>();
  #chars = 0;

  get(url: string): KeptPage<Page> | undefined {
    const kept = this.#pages.get(url);
    if (kept === undefined) return undefined;
    this.#pages.delete(url);
    this.#pages.set(url, kept);
    return kept;
  }

  put(url: string, kept: KeptPage<Page>): void {
    this.drop(url);
    this.#pages.set(url, kept);
    this.#chars += kept.page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MOST_PAGES && this.#chars <= MOST_CHARS) return;
      this.drop(oldest);
    }
  }

  drop(url: string): void {
    this.#chars -= this.#pages.get(url)?.page.text.length ?? 0;
    this.#pages.delete(url);
  }
}
