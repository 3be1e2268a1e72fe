/** Changes the model of the next requests: another one, or the same one with another limit on its thinking. */

import { aNumberFromZero, aString } from "@runahead/base";
import type { Model } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";
import { effortLevel } from "./effort-level.ts";
import type { ExchangeableModel } from "./exchangeable-model.ts";
import { modelWishes } from "./model-wishes.ts";
import { chooseModel, configuredModel } from "./model.ts";
import type { HarnessOptions } from "../options.ts";
import { providerSearch } from "../tools/search.ts";

interface ControlPorts {
  readonly exchangeable: ExchangeableModel;
  /** The surroundings with the API key. */
  readonly world: Surroundings;
  readonly flags: HarnessOptions;
  readonly settings: LoadedSettings;
}

export class ModelControl {
  readonly #ports: ControlPorts;
  #name: string | undefined;
  #thinkingTokens: number | undefined;

  constructor(ports: ControlPorts) {
    this.#ports = ports;
  }

  /** The level of effort of the current model; undefined if nobody asked for one. */
  get effort(): string | undefined {
    return effortLevel(this.#ports.exchangeable.current);
  }

  /** Undefined for the model of the start. */
  async setModel(name: string | undefined): Promise<void> {
    aString(name, "setModel: the name");
    await this.#exchange(name, this.#thinkingTokens);
  }

  /** Zero turns thinking off; undefined for the limit of the start. A recording is played back as it is. */
  async setMaxThinkingTokens(tokens: number | undefined): Promise<void> {
    aNumberFromZero(tokens, "setMaxThinkingTokens: the tokens");
    if (this.#ports.flags.replay === undefined) await this.#exchange(this.#name, tokens);
  }

  /** Makes a model with the effort, the thinking and the facts of the flags and the settings. */
  async named(name: string): Promise<Model> {
    return this.#made(name, this.#thinkingTokens);
  }

  async #exchange(name: string | undefined, tokens: number | undefined): Promise<void> {
    const isFirst = name === undefined && tokens === undefined;
    this.#ports.exchangeable.exchange(isFirst ? undefined : await this.#made(name, tokens));
    this.#name = name;
    this.#thinkingTokens = tokens;
  }

  async #made(name: string | undefined, tokens: number | undefined): Promise<Model> {
    const { world, settings } = this.#ports;
    const flags = {
      ...this.#ports.flags,
      ...(name === undefined ? {} : { model: name }),
      ...(tokens === undefined ? {} : { maxThinkingTokens: tokens }),
    };
    const { model } = await chooseModel(world, flags, {
      fromSettings: configuredModel(world.env, settings),
      webSearch: providerSearch(world, settings),
      wishes: withoutFallback(modelWishes(world.env, flags, settings)),
    });
    return model;
  }
}

/** The fallback of the start stays. */
function withoutFallback<Wishes extends object>(wishes: Wishes): Wishes {
  return { ...wishes, fallback: undefined };
}
