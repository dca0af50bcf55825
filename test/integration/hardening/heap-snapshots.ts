import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

/** What a process keeps in memory. */
export interface HeapSnapshots {
  /** For the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** All that is reachable after a forced collection, as text. */
  take(provider: ProviderProcess): Promise<string>;
  stop(): Promise<void>;
}

/** Writes snapshots on a signal. V8 collects garbage before each; it would cut strings, and not show the rest of them. */
const preload = (folder: string) => `
  import { existsSync } from 'node:fs';
  import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
  setFlagsFromString('--heap-snapshot-string-limit=100000000');
  process.on('SIGUSR2', () => {
    let number = 1;
    while (existsSync('${folder}/' + number + '.done')) number++;
    writeHeapSnapshot('${folder}/' + number + '.heapsnapshot');
    writeHeapSnapshot('${folder}/' + number + '.done');
  });
`;

export async function heapSnapshots(): Promise<HeapSnapshots> {
  const folder = await mkdtemp(join(tmpdir(), 'heap-'));
  const file = join(folder, 'preload.mjs');
  await writeFile(file, preload(folder));
  let taken = 0;
  return {
    env: { NODE_OPTIONS: `--import=${file}` },
    take: async (provider) => {
      taken++;
      provider.signal('SIGUSR2');
      // The second is complete when it can be parsed, and the first was complete before it began.
      await eventually(
        async () => expect((await readFile(join(folder, `${taken}.done`), 'utf8')).at(-1)).toBe('}'),
        { timeoutMs: 60_000 },
      );
      return readFile(join(folder, `${taken}.heapsnapshot`), 'utf8');
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
