/** Background work of a session that the model can read and stop by id: shell commands and sub-agents. */

/** The file in the folder of a session with the number of its last background job. */
export const LAST_JOB_FILE = ".last-job";

/** Work that goes on while the model does other things. */
export interface BackgroundTask {
  /** Unique within the session, such as `bash_1` or `agent-2`. */
  readonly id: string;
  /** What kind of work it is. */
  readonly kind: "command" | "agent";
  /** What it does, in one line. */
  readonly description: string;
  /** Whether it has not ended. */
  readonly isRunning: boolean;
  /** Its state in one word: `running`; `ended` or `finished`; `failed`; `stopped`; or another one of a sub-agent. */
  readonly state: string;
  /** Resolves when it has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Resolves with its state and what it has printed or written since it was last read. */
  read(): Promise<string>;
  /** Stops it. Resolves with what was stopped, for the model. */
  stop(): Promise<string>;
}

/** A source of background tasks, such as the jobs of a shell. */
export interface BackgroundTasks {
  /** Returns the tasks that are running or have not been forgotten, oldest first. */
  list(): readonly BackgroundTask[];
  /** Calls the listener when a task ends and the model does not know it yet. Returns the unsubscriber. */
  onEnded(listener: (task: BackgroundTask) => void): () => void;
  /**
   * Receives a function that finds the tasks of other sources by id, so that BashOutput and KillShell also work for
   * sub-agents.
   */
  reach?(find: (id: string) => BackgroundTask | undefined): void;
}
