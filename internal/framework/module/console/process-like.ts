/** An output stream. */
export interface OutputLike {
  write(text: string): unknown;
  /** Whether it is a terminal. Default: false. */
  readonly isTTY?: boolean;
}

/** The parts of `process` that commands use. Tests pass their own. */
export interface ProcessLike {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: OutputLike;
  readonly stderr: OutputLike;
  /** Read for the file name `-`. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  exitCode?: NodeJS.Process['exitCode'];
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  removeListener(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}
