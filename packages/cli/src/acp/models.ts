/** The models that a client can choose, as a configuration option of the session. */

import { RequestError, type SessionConfigOption } from "@agentclientprotocol/sdk";
import type { CodingAgent } from "@runahead/harness";

const ID = "model";
const SHORT = ["sonnet", "opus", "haiku"];

export class Models {
  readonly #made: CodingAgent;
  readonly #first: string;
  #chosen: string;

  constructor(made: CodingAgent) {
    this.#made = made;
    this.#first = made.model.name;
    this.#chosen = this.#first;
  }

  /** The model of the start, those that the settings list, and the short names of Claude models. */
  get options(): SessionConfigOption[] {
    const listed = this.#made.settings.other.get("availableModels") ?? [];
    const named = listed.flatMap(({ trusted, value }) => (trusted && Array.isArray(value) ? value : []));
    const texts = named.filter((one): one is string => typeof one === "string");
    const short = texts.length === 0 && /claude/i.test(this.#first) ? SHORT : [];
    const values = [...new Set([this.#first, this.#chosen, ...texts, ...short])];
    return [
      {
        id: ID,
        name: "Model",
        category: "model",
        type: "select",
        currentValue: this.#chosen,
        options: values.map((value) => ({ value, name: value })),
      },
    ];
  }

  /** Any model that the program knows can be named. Throws a `RequestError` if it cannot be used. */
  async choose(configId: string, value: unknown): Promise<SessionConfigOption[]> {
    if (configId !== ID)
      throw RequestError.invalidParams(
        undefined,
        `unknown option ${JSON.stringify(configId)}. Available: ${ID}`,
      );
    if (typeof value !== "string" || value === "")
      throw RequestError.invalidParams(undefined, "the value of model must be the name of a model");
    await this.#made.setModel(value === this.#first ? undefined : value);
    this.#chosen = value;
    return this.options;
  }
}
