/** What slash commands can do with the program, and how they end. */

import type { CodingAgent, PromptFile } from "@runahead/harness";
import type { TimelineRecorder } from "@runahead/harness/timeline";
import type { Checkpoints } from "../../shared/checkpoints.ts";
import type { World } from "../../shared/world.ts";
import type { Terminal } from "../doctor.ts";
import type { Choosing } from "../panels/chooser.ts";
import type { Asking } from "../panels/text-field.ts";
import type { Showing } from "../panels/text-view.ts";
import type { Counts } from "../screen/counts.ts";
import type { Wish } from "../transcript/conversation.ts";

export interface CommandPorts {
  readonly world: World;
  readonly made: () => CodingAgent;
  /** Adds a folder to the workspace and returns its full path. */
  readonly addFolder: (path: string) => Promise<string>;
  readonly counts: Counts;
  readonly recorder: TimelineRecorder;
  readonly terminal: () => Terminal;
  /** Reads the custom commands from their files. */
  readonly files: () => Promise<readonly PromptFile[]>;
  /** Resolves with undefined if nothing was chosen. */
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
  /** Opens the list of sub-agents and background commands. */
  readonly showAgents: () => void;
  /** Asks for a line of text. Resolves with undefined if there is none. */
  readonly ask: (asking: Asking) => Promise<string | undefined>;
  /** Shows text until the user closes it. */
  readonly show: (showing: Showing) => Promise<void>;
  /** Opens a file in the user's editor. Resolves with why that failed. */
  readonly openFile: (path: string) => Promise<string | undefined>;
  /** Sends a sequence to the terminal that draws nothing. */
  readonly sendSequence: (sequence: string) => void;
  readonly exchange: (wish: Wish) => Promise<void>;
  readonly checkpoints: Checkpoints;
  /** Puts text into the input line. */
  readonly put: (text: string) => void;
  readonly setVim: (isOn: boolean) => void;
  readonly leave: () => void;
}

export type CommandEnd =
  /** Shown to the user. */
  | { readonly type: "lines"; readonly lines: readonly string[] }
  /** Sent to the model. */
  | {
      readonly type: "prompt";
      readonly text: string;
      /** The file that the text comes from; undefined for a prompt of an MCP server or of the program. */
      readonly file?: PromptFile;
      /** The program wrote the text. */
      readonly isOwn?: boolean;
    };

/** Lines for the user, or a prompt for the model. */
export type Ending = readonly string[] | Extract<CommandEnd, { type: "prompt" }>;

export interface Command {
  readonly help: string;
  readonly run: (ports: CommandPorts, words: string) => Ending | Promise<Ending>;
}
