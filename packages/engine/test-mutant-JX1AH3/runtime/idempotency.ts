/** The idempotency key of a call: the same whenever it is computed from the same turn and the same call. */

/** Services accept at least this many characters in a key. */
const MOST_CHARS = 200;

/** Makes the keys of one turn. */
export class Keys {
  #scope: string | undefined;

  constructor(scope: string | undefined) {
    this.#scope = scope;
  }

  /** Without a scope, keys are unique to the executor: ids of calls can repeat in later responses. */
  of(callId: string): string {
    this.#scope ??= crypto.randomUUID();
    return idempotencyKey(this.#scope, callId);
  }
}

/** Returns a key of characters that a header can carry. A long one ends with a digest of all of it. */
export function idempotencyKey(scope: string, callId: string): string {
  const whole = `${scope}/${callId}`.toWellFormed();
  const key = /^[\w./:-]*$/.test(whole) ? whole : encodeURIComponent(whole);
  if (key.length <= MOST_CHARS) return key;
  const digest = digestOf(whole);
  return `${key.slice(0, MOST_CHARS - digest.length - 1)}-${digest}`;
}

/** Returns a number from 0 to 1, always the same one for a text. */
export function digestNumber(text: string): number {
  return Number.parseInt(digestOf(text).slice(0, 8), 16) / 2 ** 32;
}

/** Returns 128 bits of a text, as cyrb128 does. The engine runs where there is no synchronous cryptographic digest. */
function digestOf(text: string): string {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = b ^ Math.imul(a ^ code, 597_399_067);
    b = c ^ Math.imul(b ^ code, 2_869_860_233);
    c = d ^ Math.imul(c ^ code, 951_274_213);
    d = a ^ Math.imul(d ^ code, 2_716_044_179);
  }
  a = Math.imul(c ^ (a >>> 18), 597_399_067);
  b = Math.imul(d ^ (b >>> 22), 2_869_860_233);
  c = Math.imul(a ^ (c >>> 17), 951_274_213);
  d = Math.imul(b ^ (d >>> 19), 2_716_044_179);
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a]
    .map((part) => (part >>> 0).toString(16).padStart(8, "0"))
    .join("");
}
