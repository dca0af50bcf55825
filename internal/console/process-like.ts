/** Where a command writes. */
export interface OutputLike {
  write(text: string): unknown;
  /** Whether people look at it; default false. */
  readonly isTTY?: boolean;
}

/** What a command needs of the process it runs in; tests pass their own. */
export interface ProcessLike {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: OutputLike;
  readonly stderr: OutputLike;
  /** Read by commands that are given `-` as a file. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  exitCode?: NodeJS.Process['exitCode'];
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  removeListener(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}
