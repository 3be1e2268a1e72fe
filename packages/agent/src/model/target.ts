/** Where a request goes, in the words of its error messages. */

export interface Target {
  /** The host, with its port if it is not the default one. */
  readonly host: string;
  readonly url: string;
  readonly model: string;
  /** Where the API key came from: an environment variable or an option. Undefined if no key was sent. */
  readonly keyFrom: string | undefined;
  /** What to set if a key is missing. */
  readonly keyName: string;
  /** Where the address came from. Undefined for the provider's own. */
  readonly addressFrom: string | undefined;
}

/** For streams that did not come over a connection of ours, such as recordings. */
export const UNKNOWN_TARGET: Target = {
  host: "the model's server",
  url: "",
  model: "",
  keyFrom: "the API key",
  keyName: "the API key",
  addressFrom: undefined,
};

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

interface Origin {
  /** The option's value, if it was given. */
  readonly given: string | undefined;
  readonly option: string;
  readonly variable: string;
}

/** Names the variable also if its value was passed on as an option, as the CLI does: that is what the user sets. */
export function originOf({ given, option, variable }: Origin): string {
  return given === undefined || given === process.env[variable] ? variable : `the ${option} option`;
}

/** Local servers that need no key often get this in place of one. */
export function isKey(key: string): boolean {
  return key !== "" && key !== "none";
}

export function isLocal({ url }: Target): boolean {
  const name = URL.canParse(url) ? new URL(url).hostname : "";
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(name);
}
