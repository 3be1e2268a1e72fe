import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { type TlsOptions, createServer } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Shell, said } from "./shell.ts";

let shell: Shell;
const closing: (() => void)[] = [];
beforeEach(() => {
  shell = new Shell();
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await shell.close();
});

const openssl = (...args: string[]): void => void execFileSync("openssl", args, { stdio: "ignore" });
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** An authority that no computer knows, and the certificates that it gave. */
function makeAuthority() {
  const folder = `${shell.root}/certificates`;
  shell.write("certificates/names", "subjectAltName=DNS:localhost,IP:127.0.0.1");
  const cert = (name: string): string => `${folder}/${name}.pem`;
  const key = (name: string): string => `${folder}/${name}.key`;
  const to = (name: string): string[] => ["-keyout", key(name), "-out"];
  openssl("req", "-x509", ...NEW_KEY, "-days", "2", "-subj", "/CN=authority", ...to("ca"), cert("ca"));
  for (const name of ["server", "client"]) {
    const request = `${folder}/${name}.csr`;
    openssl("req", "-new", ...NEW_KEY, "-subj", `/CN=${name}`, ...to(name), request);
    const by = ["-CA", cert("ca"), "-CAkey", key("ca"), "-CAcreateserial", "-extfile", `${folder}/names`];
    openssl("x509", "-req", "-days", "2", "-in", request, ...by, "-out", cert(name));
  }
  return { cert, key };
}

/** Passes what arrives over TLS on to the model, and notes the names in the certificates of clients. */
async function tlsBefore(port: () => number, options: TlsOptions) {
  const names: unknown[] = [];
  const server = createServer(options, (client) => {
    names.push(client.getPeerCertificate().subject.CN);
    const model = connect(port(), "127.0.0.1");
    for (const socket of [model, client]) {
      socket.on("error", () => {});
      socket.on("close", () => [model, client].forEach((each) => each.destroy()));
    }
    client.pipe(model).pipe(client);
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return { names, address: `https://localhost:${(server.address() as AddressInfo).port}` };
}

test("a model is reached with NODE_EXTRA_CA_CERTS and a client certificate; without the first, the error names it", async () => {
  const { cert, key } = makeAuthority();
  const pem = (path: string): Buffer => readFileSync(path);
  let port = 0;
  const { names, address } = await tlsBefore(() => port, {
    ...{ key: pem(key("server")), cert: pem(cert("server")), ca: pem(cert("ca")) },
    ...{ requestCert: true, rejectUnauthorized: true },
  });
  const run = async (env: Readonly<Record<string, string>>) => {
    const { child, ended, server } = await shell.start({
      args: ["-p", "x"],
      answers: [said("Over TLS.")],
      stdin: "open",
      env: { ANTHROPIC_BASE_URL: address, ...env },
    });
    port = Number(new URL(server.url).port);
    child.stdin.end();
    const { code, out, error } = await ended;
    return { code, out, error, asked: server.requests.length };
  };
  const known = { NODE_EXTRA_CA_CERTS: cert("ca") };
  const named = { RUNAHEAD_CLIENT_CERT: cert("client"), RUNAHEAD_CLIENT_KEY: key("client") };
  expect(await run({ ...known, ...named })).toEqual({ code: 0, out: "Over TLS.\n", error: "", asked: 1 });
  expect(names).toEqual(["client"]);
  const unknown = await run(named);
  expect([unknown.code, unknown.asked]).toEqual([5, 0]);
  expect(unknown.out + unknown.error).toContain("NODE_EXTRA_CA_CERTS");
});
