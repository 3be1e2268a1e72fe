/**
 * The logins of MCP servers: in the system's keychain, or in a file that only the user can read. The file lists every
 * login; an entry has the login itself, or the name of an item of the keychain.
 */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isShape, type Shape } from "@runahead/base";
import type { McpCredential, McpCredentials } from "@runahead/mcp";
import { changeFile } from "./change.ts";
import { NotSaved } from "./error.ts";
import { checkSurroundings, runaheadHome } from "../home.ts";
import { KeychainItems } from "./keychain/items.ts";
import { systemKeychain } from "./keychain/keychain.ts";
import type { Where } from "./place.ts";
import { readPrivate } from "./private-file.ts";

/** The logins of MCP servers on this computer. */
export interface StoredMcpCredentials extends McpCredentials {
  /** Returns where the login of a server is, without reading the login; undefined if there is none. */
  place(url: string): Promise<string | undefined>;
}

/** Options of `mcpCredentials`. */
export interface McpCredentialsOptions extends Where {
  /** Receives why the system's keychain cannot be used. Default: ignored. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Returns the logins of MCP servers. They are kept in the system's keychain: the Secret Service of Linux desktops, or the
 * login keychain of macOS. Without a keychain, or if it fails or does not answer, they are kept in
 * `~/.runahead/mcp-credentials.json`, which has the mode 0600. `RUNAHEAD_KEYCHAIN=0` always uses the file.
 *
 * A file that is damaged or writable by others is not used and not overwritten.
 *
 * @example
 * ```ts
 * const credentials = mcpCredentials({ cwd, home, env });
 * await credentials.save("https://example.org/mcp", undefined); // logs out
 * ```
 */
export function mcpCredentials(options: McpCredentialsOptions): StoredMcpCredentials {
  checkSurroundings(options, "mcpCredentials");
  return new Logins(options);
}

class Logins implements StoredMcpCredentials {
  readonly #path: string;
  readonly #items: KeychainItems;
  readonly #onNotice: (message: string) => void;
  readonly #noted = new Set<string>();

  constructor({ onNotice = () => {}, ...where }: McpCredentialsOptions) {
    this.#path = join(runaheadHome(where), "mcp-credentials.json");
    this.#items = new KeychainItems(systemKeychain(where));
    this.#onNotice = onNotice;
  }

  async load(url: string): Promise<McpCredential | undefined> {
    const held = await this.#entry(url);
    const id = itemOf(held);
    if (id === undefined) return held;
    const read = await this.#items.load(id);
    if (read.type === "value") return read.value;
    // Another process may have replaced the item since the file was read.
    const now = await this.#entry(url);
    if (itemOf(now) !== id) return now === undefined ? undefined : this.load(url);
    this.#note(`cannot read the login of ${url} from the system keychain: ${read.why}`);
    return undefined;
  }

  async save(url: string, credential: McpCredential | undefined): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const entry = credential === undefined ? undefined : await this.#stored(url, credential);
    let before: Shape[string];
    try {
      await changeFile({ path: this.#path, mode: 0o600 }, async () => {
        const found = await readLogins(this.#path);
        if (typeof found === "string") throw new NotSaved(this.#path, found);
        const { [url]: replaced, ...others } = found;
        before = replaced;
        const servers = entry === undefined ? others : { ...others, [url]: entry };
        return `${JSON.stringify({ servers }, undefined, 2)}\n`;
      });
    } catch (error) {
      await this.#removeItem(url, itemOf(entry));
      throw error;
    }
    await this.#removeItem(url, itemOf(before));
  }

  async place(url: string): Promise<string | undefined> {
    const held = await this.#entry(url);
    if (held === undefined) return undefined;
    if (itemOf(held) !== undefined) return "the system keychain";
    const { missing } = this.#items;
    const why = missing === undefined ? "" : `; the system keychain is not used: ${missing}`;
    return `${this.#path} (mode 0600${why})`;
  }

  async #entry(url: string): Promise<McpCredential | undefined> {
    const found = await readLogins(this.#path);
    const held = typeof found === "string" ? undefined : found[url];
    return isShape(held) ? held : undefined;
  }

  /** What the file contains: the name of an item, or the login itself if the keychain does not take it. */
  async #stored(url: string, credential: McpCredential): Promise<McpCredential> {
    const saved = await this.#items.save(credential, labelOf(url));
    if (saved.type === "value") return { [ITEM]: saved.value };
    // That there is none at all matters when the user logs in, not whenever a token is refreshed.
    if (this.#items.missing === undefined)
      this.#note(`the system keychain failed: ${saved.why}. The login is saved in ${this.#path} (mode 0600)`);
    return credential;
  }

  async #removeItem(url: string, id: string | undefined): Promise<void> {
    const why = id === undefined ? undefined : await this.#items.remove(id);
    if (why !== undefined)
      this.#note(`cannot remove the old login of ${url} from the system keychain: ${why}`);
  }

  #note(message: string): void {
    if (this.#noted.has(message)) return;
    this.#noted.add(message);
    this.#onNotice(`MCP: ${message}`);
  }
}

/** The member of an entry that names an item of the keychain. */
const ITEM = "keychainItem";

function itemOf(entry: unknown): string | undefined {
  const id = isShape(entry) ? entry[ITEM] : undefined;
  // The file is the user's own, but the name becomes part of a command.
  return typeof id === "string" && /^[\da-f-]{36}$/.test(id) ? id : undefined;
}

function labelOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host.replaceAll(/[^\w.:-]/g, "") : "";
  return `Runahead: MCP login${host === "" ? "" : ` at ${host}`}`;
}

/** Returns why the file cannot be used, if so. */
async function readLogins(path: string): Promise<Shape | string> {
  const file = await readPrivate(path);
  if (file.type === "missing") return {};
  if (file.type === "unknown") return file.why;
  const servers = isShape(file.value) ? file.value["servers"] : undefined;
  return isShape(servers) ? servers : 'expected {"servers": {address: …}}';
}
