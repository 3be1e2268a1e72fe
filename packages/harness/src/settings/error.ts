/** What keeps a file from being changed. */

/** A file could not be changed, and was left as it is. */
export class NotSaved extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name = "NotSaved";
  /** Absolute path of the file. */
  readonly path: string;

  constructor(path: string, why: string) {
    super(`${path} was left as it is: ${why}`);
    this.path = path;
  }
}
