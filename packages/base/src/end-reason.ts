/** Why the work of an agent ends. */

/**
 * Why the work on a prompt ended. The same for an agent, a query, a sub-agent and a run with an SDK.
 *
 * - `completed`: the model asked for no more calls. If it refused, `stop` is `refusal`.
 * - `max_turns`, `budget`: a limit was reached before the next turn.
 * - `aborted_streaming`, `aborted_tools`: stopped from outside, before or after the first call of the turn.
 * - `hook_stopped`: a hook, or the user in answer to a question, ended it.
 * - `deferred`: a question is answered later. `session.questions` lists it, and `session.answer` answers it.
 * - `model_error`: the model failed.
 */
export type EndReason =
  | "completed"
  | "max_turns"
  | "aborted_streaming"
  | "aborted_tools"
  | "hook_stopped"
  | "deferred"
  | "model_error"
  | "budget";
