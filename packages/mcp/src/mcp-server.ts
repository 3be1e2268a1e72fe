/** An MCP server as settings name it and as it is opened. */

export type McpServer =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse" | "ws";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Of one call. */
      readonly timeoutMs: number | undefined;
    };

export interface FoundMcpServer {
  readonly name: string;
  /** The file that it comes from. */
  readonly path: string;
  /** False: it is never started. */
  readonly trusted: boolean;
  readonly server: McpServer;
}
