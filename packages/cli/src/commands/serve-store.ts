/** Where `runahead serve` keeps its sessions. */

import { type SessionStore, UsageError, fileStore, runaheadHome } from "@runahead/harness";
import type { World } from "../shared/world.ts";

export interface StoreFlags {
  readonly store?: string;
  readonly results?: string;
}

/** What is used of the package, which is not a dependency: most users need no database. */
interface PostgresPackage {
  readonly postgres: (url: string, options: { readonly results?: object }) => SessionStore;
  readonly s3Bucket: (options: object) => object;
}

const POSTGRES = "@runahead/postgres";

export async function storeOf(world: World, { store, results }: StoreFlags): Promise<SessionStore> {
  const url = store ?? world.env["RUNAHEAD_STORE"] ?? "";
  if (url === "") {
    if (results !== undefined) throw new UsageError("--results needs --store: files keep their results");
    return fileStore({ home: runaheadHome(world), cwd: world.cwd });
  }
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new UsageError("--store must be a URL that starts with postgres://");
  const { postgres, s3Bucket } = await loaded();
  return postgres(url, results === undefined ? {} : { results: s3Bucket(bucketOf(world, results)) });
}

async function loaded(): Promise<PostgresPackage> {
  try {
    return (await import(POSTGRES)) as PostgresPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(`--store needs the package ${POSTGRES}. Run: npm install -g ${POSTGRES}`);
  }
}

/** The address has the bucket in its path, and can have a prefix after it. */
function bucketOf({ env }: World, results: string) {
  const [, bucket = "", prefix = ""] =
    (URL.canParse(results) && /^\/([^/]+)\/?(.*)$/.exec(new URL(results).pathname)) || [];
  if (!/^https?:\/\//.test(results) || bucket === "")
    throw new UsageError("--results must be an address such as https://s3.eu-central-1.amazonaws.com/BUCKET");
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = env;
  if (accessKeyId === "" || secretAccessKey === "")
    throw new UsageError("--results needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const region = env["AWS_REGION"] ?? "";
  return {
    endpoint: new URL(results).origin,
    bucket: decodeURIComponent(bucket),
    accessKeyId,
    secretAccessKey,
    ...(region === "" ? {} : { region }),
    ...(prefix === "" ? {} : { prefix: `${decodeURIComponent(prefix).replace(/\/$/, "")}/` }),
  };
}
