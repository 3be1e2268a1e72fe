/** A promise that other code resolves. */

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

export function deferred<Value>(): Deferred<Value> {
  let settle: (value: Value) => void = () => {};
  const promise = new Promise<Value>((resolve) => (settle = resolve));
  return { promise, resolve: (value) => settle(value) };
}
