import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, scripted, sessions } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { postgres, s3Bucket } from "../src/index.ts";
import { type PostgresServer, postgresServer } from "./support/postgres-server.ts";
import { type S3Server, s3Server } from "./support/s3-server.ts";

let s3: S3Server;
beforeAll(async () => {
  s3 = await s3Server();
});
afterAll(() => s3?.close());

describe("a bucket of an S3-compatible server", () => {
  const TEXTS = {
    "default/s1/result-1": "text",
    "default/s1/empty": "",
    "tenant/s-2/result (1)!*'~_.-+&=@:$,; ü/€": "ünïcode \0 €\r\n😀",
    "default/s1/large": "0123456789abcdef".repeat(300_000),
  };

  test("texts are stored, replaced, read and deleted", async () => {
    const bucket = s3Bucket(s3.options);
    for (const [key, text] of Object.entries(TEXTS)) {
      expect(await bucket.get(key)).toBeUndefined();
      await bucket.put(key, "before");
      await bucket.put(key, text);
      expect((await bucket.get(key)) === text).toBe(true);
      await bucket.delete(key);
      expect(await bucket.get(key)).toBeUndefined();
      await bucket.delete(key);
    }
  });

  test("two prefixes do not share their objects", async () => {
    const [one, other] = ["one/", "other/"].map((prefix) => s3Bucket({ ...s3.options, prefix }));
    await one?.put("key", "of one");
    expect([await one?.get("key"), await other?.get("key")]).toEqual(["of one", undefined]);
  });

  test("a wrong key, region or bucket is an error with the server's reason", async () => {
    const wrong = {
      SignatureDoesNotMatch: { secretAccessKey: "wrong" },
      InvalidAccessKeyId: { accessKeyId: "wrong" },
      NoSuchBucket: { bucket: "others" },
    };
    for (const [code, option] of Object.entries(wrong)) {
      const bucket = s3Bucket({ ...s3.options, ...option });
      const refused = new RegExp(`^The bucket refused key: HTTP 40[34] .*<Code>${code}</Code>`, "s");
      await expect(bucket.put("key", "text")).rejects.toThrow(refused);
      await expect(bucket.get("key")).rejects.toThrow(refused);
      await expect(bucket.delete("key")).rejects.toThrow(refused);
    }
    const elsewhere = s3Bucket({ ...s3.options, region: "us-west-2" });
    await expect(elsewhere.put("key", "text")).rejects.toThrow(/SignatureDoesNotMatch/);
  });

  test("a server that is overloaded for a moment is asked again", async () => {
    const bucket = s3Bucket(s3.options);
    s3.failNext(2);
    await bucket.put("later", "text");
    s3.failNext(1);
    expect(await bucket.get("later")).toBe("text");
  });

  test("a text that arrives only in part is read again, and never taken for the whole", async () => {
    const bucket = s3Bucket(s3.options);
    const text = "0123456789".repeat(50_000);
    await bucket.put("cut", text);
    s3.cutNext(2);
    expect((await bucket.get("cut")) === text).toBe(true);
    s3.cutNext(100);
    await expect(bucket.get("cut")).rejects.toThrow(/^The bucket does not respond: /);
    s3.cutNext(0);
  });
});

describe("with sessions in Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server?.close());

  test("the large result of a call is in the bucket, is read from it, and is deleted with its session", async () => {
    const store = postgres(server.url, { results: s3Bucket(s3.options) });
    const output = "line\n".repeat(40_000);
    const list = defineTool({
      name: "List",
      description: "Lists much.",
      inputSchema: z.object({}),
      access: () => [],
      maxResultChars: 1_000,
      call: () => output,
    });
    const session = await sessions({ store }).create("with-bucket");
    const model = scripted([
      [{ type: "tool_use", id: "c1", name: "List", input: {} }],
      [{ type: "text", text: "Done." }],
    ]);
    const agent = createAgent({ model, tools: [list], session });
    await agent.send("List everything.");
    await agent.close();
    const resumed = await sessions({ store }).resume("with-bucket");
    await resumed.close();
    const [path = ""] = /\/\S+\/results\/[\w-]+\.txt/.exec(JSON.stringify(resumed.messages)) ?? [];
    expect((await readFile(path, "utf8")) === output).toBe(true);
    const [row] = await server.query("SELECT name FROM runahead.results");
    const name = String(row?.["name"]);
    expect((await store.result("with-bucket", name)) === output).toBe(true);
    const key = `runahead/default/with-bucket/${name}`;
    expect(s3.objects.get(key) === output).toBe(true);
    const rows = await server.query("SELECT name, text FROM runahead.results");
    expect(rows).toEqual([{ name, text: null }]);
    expect(await store.delete("with-bucket")).toBe(true);
    expect(s3.objects.has(key)).toBe(false);
    await store.close();
  });

  test("a session is not deleted without its results, and the next attempt deletes both", async () => {
    const store = postgres(server.url, { results: s3Bucket(s3.options) });
    const lease = await store.lease("half-deleted");
    await lease.append({ at: 0, lines: ['{"type":"note"}'] });
    const names = [await lease.storeResult({ callId: "a", text: "one" })];
    names.push(await lease.storeResult({ callId: "b", text: "two" }));
    await expect(store.delete("half-deleted")).rejects.toThrow("Session half-deleted is in use");
    await lease.release();
    const keys = names.map((name) => `runahead/default/half-deleted/${name}`);
    expect(keys.map((key) => s3.objects.has(key))).toEqual([true, true]);
    s3.failNext(8);
    await expect(store.delete("half-deleted")).rejects.toThrow(/HTTP 503 .*SlowDown/s);
    s3.failNext(0);
    expect((await store.ends(["half-deleted"])).size).toBe(1);
    expect(await store.delete("half-deleted")).toBe(true);
    expect(keys.map((key) => s3.objects.has(key))).toEqual([false, false]);
    expect((await store.ends(["half-deleted"])).size).toBe(0);
    await store.close();
  });

  test("a result that is gone from the bucket is unknown, and one of a lost lease is not left there", async () => {
    const store = postgres(server.url, { results: s3Bucket(s3.options), leaseMs: 200 });
    const lease = await store.lease("gone");
    const name = await lease.storeResult({ callId: "a", text: "one" });
    const bucket = s3Bucket(s3.options);
    await bucket.delete(`default/gone/${name}`);
    expect(await store.result("gone", name)).toBeUndefined();
    const before = s3.objects.size;
    await server.query(
      "UPDATE runahead.sessions SET lease_until = now() - interval '1 s' WHERE key = 'gone'",
    );
    const next = await store.lease("gone");
    await expect(lease.storeResult({ callId: "b", text: "late" })).rejects.toThrow(/lease .* is lost/);
    expect(s3.objects.size).toBe(before);
    await next.release();
    await store.close();
  });
});
