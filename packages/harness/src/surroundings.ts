/**
 * Says where an agent works. Given explicitly, so that a test or a server can use other folders than the process.
 */
export interface Surroundings {
  /** The folder that the agent works in; an absolute path. */
  readonly cwd: string;
  /** The person's home folder; `~/.runahead` and `~/.claude` are read from there. */
  readonly home: string;
  /** Environment variables. Keys of models are taken from here, and do not reach commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
