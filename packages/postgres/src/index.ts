/** Stores the sessions of Runahead agents in Postgres. */

export type { ResultBucket } from "./bucket.ts";
export { type PostgresOptions, type PostgresStore, postgres } from "./postgres.ts";
export { type S3Options, s3Bucket } from "./s3.ts";
