/** An error that a model can act on: a message without a stack. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}
