import { expect, test } from "vitest";
import { isPublicAddress, isSameSite, webAddress } from "./web-address.ts";

test("private addresses are recognised in every form", () => {
  const closed = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "0.0.0.0",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fe80::1%eth0",
    "fec0::1",
    "fd00:ec2::254",
    "ff02::1",
    "4000::1",
    "[::1]",
    "localhost",
    "",
  ];
  expect(closed.filter(isPublicAddress)).toEqual([]);
  const open = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "[2a00:1450:4001::1]"];
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("a host in decimal, hexadecimal or octal is resolved as in a browser", () => {
  const forms = ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "１２７.0.0.1"];
  expect(forms.map((form) => webAddress(`http://${form}/`).hostname)).toEqual(forms.map(() => "127.0.0.1"));
});

test("a text that is not a web URL is refused with a reason", () => {
  const said = (text: string): string => {
    try {
      return webAddress(text).href;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(said("example.com")).toBe(
    '"example.com" is not a URL. Pass the full URL, such as https://example.com/page.',
  );
  expect(said("file:///etc/passwd")).toBe("file: URLs are not supported, only http: and https:.");
  expect(said("https://me:secret@example.com/")).toBe(
    "URLs with a user name or password are not supported. Remove them.",
  );
  expect(said(`https://example.com/${"a".repeat(4_000)}`)).toBe(
    "The URL is too long: 4020 characters (limit: 4000).",
  );
  expect(said("HTTPS://Example.com/a#part")).toBe("https://example.com/a");
});

test("the same site means the same host and port; a redirect from http to https counts, the reverse does not", () => {
  const same = (from: string, to: string): boolean => isSameSite(new URL(from), new URL(to));
  expect(same("https://a.com/x", "https://a.com/y")).toBe(true);
  expect(same("http://a.com/x", "https://a.com/x")).toBe(true);
  expect(same("https://a.com/x", "http://a.com/x")).toBe(false);
  expect(same("https://a.com/x", "https://www.a.com/x")).toBe(false);
  expect(same("https://a.com/x", "https://a.com:8443/x")).toBe(false);
  expect(same("http://a.com:8080/x", "https://a.com/x")).toBe(false);
});
