/** What keeps a file from being changed. */

/** The file was left as it is. */
export class NotSaved extends Error {
  override readonly name = "NotSaved";
  readonly path: string;

  constructor(path: string, why: string) {
    super(`${path} was left as it is: ${why}`);
    this.path = path;
  }
}
