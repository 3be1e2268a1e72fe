/** Servers with OpenAI's API that have a name of their own: `openrouter/…`, `ollama/…`, `llamacpp/…`. */

import type { Surroundings } from "../../surroundings.ts";

type Env = Surroundings["env"];

export interface ModelServer {
  readonly address: string;
  /** The variable that holds the address. */
  readonly addressName: string;
  /** The variable that holds the key. */
  readonly keyName: string;
  readonly key: string;
}

interface Known {
  readonly variable: string;
  readonly keyName: string;
  readonly address: string;
}

const KNOWN: Readonly<Record<string, Known>> = {
  openrouter: {
    variable: "OPENROUTER_BASE_URL",
    keyName: "OPENROUTER_API_KEY",
    address: "https://openrouter.ai/api/v1",
  },
  ollama: { variable: "OLLAMA_HOST", keyName: "OLLAMA_API_KEY", address: "http://localhost:11434/v1" },
  llamacpp: { variable: "LLAMACPP_HOST", keyName: "LLAMACPP_API_KEY", address: "http://localhost:8080/v1" },
};

export const SERVER_NAMES: readonly string[] = Object.keys(KNOWN);

/** Returns undefined for a name that is not known. */
export function serverOf(env: Env, name: string): ModelServer | undefined {
  if (!Object.hasOwn(KNOWN, name)) return undefined;
  const { variable, keyName, address } = KNOWN[name] as Known;
  const given = env[variable] ?? "";
  return {
    address: given === "" ? address : apiAddress(given),
    addressName: variable,
    keyName,
    key: env[keyName] ?? "",
  };
}

/** Whether the user has set the server up. */
export function isConfigured(env: Env, name: string): boolean {
  const known = KNOWN[name];
  return known !== undefined && ((env[known.variable] ?? "") !== "" || (env[known.keyName] ?? "") !== "");
}

/** Hosts are given with or without a scheme and the path of the API. */
function apiAddress(given: string): string {
  const url = (given.includes("://") ? given : `http://${given}`).replace(/\/+$/, "");
  return /\/v\d+$/.test(url) ? url : `${url}/v1`;
}
