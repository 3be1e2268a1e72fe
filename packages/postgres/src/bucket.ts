/** The port for large results outside of the database. */

/** Keeps large results, such as in an S3-compatible bucket. */
export interface ResultBucket {
  /** Stores a text. Durable when it resolves. */
  put(key: string, text: string): Promise<void>;
  /** Resolves with the text; undefined if there is none. */
  get(key: string): Promise<string | undefined>;
  /** Deletes a text. Resolves if there is none. */
  delete(key: string): Promise<void>;
}
