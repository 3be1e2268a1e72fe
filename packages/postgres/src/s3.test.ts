import { expect, test } from "vitest";
import { type S3Request, signed } from "./s3.ts";

const KEY = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const NOW = new Date("2026-01-02T03:04:05.678Z");
const PLACES = [
  { endpoint: "https://s3.eu-central-1.amazonaws.com", bucket: "agent-results", region: "eu-central-1" },
  { endpoint: "http://127.0.0.1:9000", bucket: "b.with.dots" },
];
const REQUESTS: readonly S3Request[] = [
  { method: "PUT", key: "default/s1/result-1", body: "text" },
  { method: "GET", key: "default/s1/result-1", body: "" },
  { method: "DELETE", key: "default/s1/result-1", body: "" },
  { method: "PUT", key: "tenant/s-2/result (1)!*'~_.-+&=@:$,; ü/€", body: "ünïcode \0 €\n" },
];
/** Made with @smithy/signature-v4 5.7.5, the signer of the AWS SDK, and with aws4 1.13.2; both made the same ones. */
const SIGNATURES = [
  "058ec9e0e41088ff16fde5f391891ec6c5208193b87b3209999d0a5d686ef5fa",
  "c9793010b8f30c6d3cbf1a08ab3a46135f13d256a0e176b65748972ec184df00",
  "8bd1a1618635f7db8241ac9777d658b0a2fcbae4bb3f9cec64c458c604fe941c",
  "b1d7d3e2e065ddbee81d4754c39cc40ee56f54df9e3cf150306cc62dc08ced38",
  "1712b9aa9162fbfd1900a0f6b05d9dc7f9e56ab657337816b59b0537a38f8716",
  "b8e794db35fe2e269a097c49219cc65328c51c56c7e737eeeb09113a6842dcbf",
  "f19904e8614a1d3c6bdf5ca71ef645186c68f62ff4975ac6352710badb599db6",
  "72343475fec21972c1111e2bedbe7e1c76bc36df27314795b1d5b7ef1638ac1f",
];

test("requests have the signatures that the AWS SDK makes", () => {
  const made = PLACES.flatMap((place) =>
    REQUESTS.map((request) => signed({ ...KEY, ...place }, request, NOW).headers.authorization),
  );
  expect(made.map((one) => /Signature=(\w+)$/.exec(one)?.[1])).toEqual(SIGNATURES);
  expect(made[0]).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20260102\/eu-central-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, /,
  );
});

test("the path that is sent is the path that was signed", () => {
  const [place] = PLACES;
  const request = REQUESTS.at(-1);
  if (place === undefined || request === undefined) throw new Error("no case");
  const { url } = signed({ ...KEY, ...place }, request, NOW);
  expect(url.pathname).toBe(
    "/agent-results/runahead/tenant/s-2/result%20%281%29%21%2A%27~_.-%2B%26%3D%40%3A%24%2C%3B%20%C3%BC/%E2%82%AC",
  );
});
