/** MCP servers: connections, their tools as Runahead tools, and approvals bound to definitions. */

export { type McpApprovals, memoryApprovals } from "./approvals.ts";
export { type McpChannel } from "./channel.ts";
export { type McpConnections, type McpOptions, type McpServerStatus, connectMcp } from "./connect.ts";
export { type McpPrompt } from "./prompts.ts";
export { type FoundMcpServer, type McpOAuth, type McpServer, type McpSource } from "./mcp-server.ts";
export { type McpToolChoice } from "./tool-choice.ts";
export { type McpLogin, loginMcp } from "./login.ts";
export { type McpCredential, type McpCredentials } from "./oauth.ts";
export { mcpToolName } from "./names.ts";
export { type AskBack as McpAskBack, type Limits as McpLimits } from "./open-spec.ts";
export { validateJsonSchema } from "./validate.ts";
