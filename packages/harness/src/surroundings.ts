/** Where an agent works: the folder, the home folder and the environment. Given, so that a test can give others. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
