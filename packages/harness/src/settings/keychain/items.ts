/** JSON objects in the system's keychain. A failure is a value here, because there is always the file instead. */

import { randomUUID } from "node:crypto";
import { isShape, messageOf, type Shape } from "@runahead/base";
import type { FoundKeychain, Keychain } from "./keychain.ts";
import { KeychainFailure, KeychainSilent } from "./run.ts";

type Tried<Value> =
  | { readonly type: "value"; readonly value: Value }
  | { readonly type: "failed"; readonly why: string };

export class KeychainItems {
  readonly #found: FoundKeychain;
  /** What was read or written, because tokens are needed for every request. An item never changes. */
  readonly #known = new Map<string, Promise<Tried<Shape>>>();
  #silence: string | undefined;

  constructor(found: FoundKeychain) {
    this.#found = found;
  }

  /** Why the system has no keychain. */
  get missing(): string | undefined {
    return this.#found.type === "missing" ? this.#found.why : undefined;
  }

  load(id: string): Promise<Tried<Shape>> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const loading = this.#try(async (keychain) => {
      const text = await keychain.load(id);
      if (text === undefined) throw new KeychainFailure("it is locked, or the item was removed");
      const value: unknown = JSON.parse(text);
      if (!isShape(value)) throw new KeychainFailure("the item is damaged");
      return value;
    });
    this.#known.set(id, loading);
    // The user can unlock it later.
    void loading.then(({ type }) => type === "failed" && this.#known.delete(id));
    return loading;
  }

  /** Returns the name of the new item. */
  async save(value: Shape, label: string): Promise<Tried<string>> {
    const id = randomUUID();
    const saved = await this.#try(async (keychain) => {
      await keychain.save(id, { text: JSON.stringify(value), label });
      return id;
    });
    if (saved.type === "value") this.#known.set(id, Promise.resolve({ type: "value", value }));
    return saved;
  }

  /** Returns why the item cannot be removed, if so. */
  async remove(id: string): Promise<string | undefined> {
    this.#known.delete(id);
    const removed = await this.#try((keychain) => keychain.remove(id));
    return removed.type === "failed" ? removed.why : undefined;
  }

  async #try<Value>(use: (keychain: Keychain) => Promise<Value>): Promise<Tried<Value>> {
    if (this.#found.type === "missing") return { type: "failed", why: this.#found.why };
    // Waiting again and again would delay every connection.
    if (this.#silence !== undefined) return { type: "failed", why: this.#silence };
    try {
      return { type: "value", value: await use(this.#found.keychain) };
    } catch (error) {
      const why = messageOf(error);
      if (error instanceof KeychainSilent) this.#silence = why;
      return { type: "failed", why };
    }
  }
}
