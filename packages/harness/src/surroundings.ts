/**
 * Where an agent works. Passed explicitly, so that a test or a server can use other folders than those of the process.
 */
export interface Surroundings {
  /** The folder that the agent works in; an absolute path. */
  readonly cwd: string;
  /** The user's home folder; `~/.runahead` and `~/.claude` are read from there. */
  readonly home: string;
  /** Environment variables. API keys are read from here and are not passed to commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
