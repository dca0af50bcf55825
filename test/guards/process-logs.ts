import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** How much of the logs of processes was returned, in bytes. */
const read = new Map<string, number>();

/** From now on the guards read the log of a process that a test has started. */
export function watchProcessLog(path: string): void {
  if (!read.has(path)) read.set(path, 0);
}

/** What the processes have written since the last call. Logs that are gone have ended. */
export function newProcessOutput(): readonly string[] {
  return [...read].flatMap(([path, from]) => {
    if (!existsSync(path)) {
      read.delete(path);
      return [];
    }
    const file = openSync(path, 'r');
    try {
      const rest = Buffer.alloc(Math.max(0, fstatSync(file).size - from));
      const length = readSync(file, rest, 0, rest.length, from);
      read.set(path, from + length);
      return length === 0 ? [] : [rest.subarray(0, length).toString()];
    } finally {
      closeSync(file);
    }
  });
}
