/** How a language server is started. */

/** A language server that is named in settings or by a plugin. */
export interface LanguageServerSpec {
  /** Its name in messages. */
  readonly name: string;
  /** The program: an absolute path, or a name that is looked up in PATH. */
  readonly command: string;
  /** Its arguments. Default: none. */
  readonly args?: readonly string[];
  /** The language id of each file extension, such as `{ ".ts": "typescript" }`. */
  readonly extensionToLanguage: Readonly<Record<string, string>>;
  /** Variables that are added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Passed on in the `initialize` request. */
  readonly initializationOptions?: unknown;
  /** What it reads with `workspace/configuration`, by section. */
  readonly settings?: unknown;
  /** How long it can take to start, in milliseconds. Default: 30,000. */
  readonly startupTimeoutMs?: number;
  /** Whether it starts only in trusted folders. Default: false. */
  readonly needsTrust?: boolean;
}

/** A server with a program that exists. */
export interface FoundServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** By extension in lower case, with the dot. */
  readonly languages: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly initializationOptions: unknown;
  readonly settings: unknown;
  readonly startupMs: number;
  readonly needsTrust: boolean;
  /** Whether the user named it, so that it is offered without looking for files. */
  readonly isNamed: boolean;
}
