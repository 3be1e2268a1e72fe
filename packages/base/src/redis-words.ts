/** How messages name a Redis server and what is wrong with it. */

interface RedisPlace {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | null | undefined;
}

/** The address without credentials. */
export function redisAddress(connection: string | RedisPlace): string {
  if (typeof connection !== "string")
    return connection.path ?? `${connection.host ?? "127.0.0.1"}:${connection.port ?? 6379}`;
  try {
    const { hostname, port } = new URL(connection);
    return `${hostname || "127.0.0.1"}:${port || 6379}`;
  } catch {
    return "an invalid address";
  }
}

/** What a connection error means. */
export function redisProblem(error: Error): string {
  const nested = (error as { errors?: readonly Error[] }).errors?.[0];
  const { code } = (nested ?? error) as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "connection refused, no server is listening there";
  if (code === "ENOTFOUND") return "the host name has no address";
  return error.message || nested?.message || error.name;
}
