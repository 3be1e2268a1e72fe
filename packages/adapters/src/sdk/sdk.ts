/** For programs on the Anthropic SDK or the OpenAI SDK. */

export {
  type AnthropicClient,
  type ChatClient,
  type ResponsesClient,
  type Running,
  type RunWithOptions,
  type RunWithResult,
  runWith,
} from "./run-with.ts";
