/** The error for a file that cannot be changed. */

/** A file could not be saved. Its content did not change. */
export class NotSaved extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name = "NotSaved";
  /** Absolute path of the file. */
  readonly path: string;

  constructor(path: string, why: string) {
    super(`${path} was not changed: ${why}`);
    this.path = path;
  }
}
