import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderProcess } from './provider-process.ts';

/** The wall clock and the event loop of one process of the provider. The monotonic clock stays as it is, as if a clock is set. */
export interface ProcessClock {
  /** For the start of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** The wall clock of the running process jumps to that distance from the real one, in ms. */
  jump(provider: ProviderProcess, offsetMs: number): void;
  /** The event loop of the running process does nothing for that time; its connections stay open. */
  stall(provider: ProviderProcess, ms: number): void;
  close(): void;
}

/** Not used by Node or the provider. */
const SIGNAL = 'SIGUSR2';

/** What the process runs before the provider: it takes its orders from a file at the start and at each signal. */
const preload = (file: string) => `
  import { readFileSync } from 'node:fs';
  const RealDate = Date;
  let offset = 0;
  const read = () => {
    const { offsetMs, stallMs } = JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'));
    offset = offsetMs;
    if (stallMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs);
  };
  read();
  process.on('${SIGNAL}', read);
  globalThis.Date = class Date extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + offset);
      else super(...args);
    }
    static now() {
      return RealDate.now() + offset;
    }
  };
`;

/** @param offsetMs distance of the wall clock from the real one, in ms; default 0 */
export function createProcessClock(offsetMs = 0): ProcessClock {
  const folder = mkdtempSync(join(tmpdir(), 'kyma-clock-'));
  const file = join(folder, 'clock.json');
  let current = offsetMs;
  const order = (stallMs: number) => writeFileSync(file, JSON.stringify({ offsetMs: current, stallMs }));
  order(0);
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload(file))}` },
    jump: (provider, to) => {
      current = to;
      order(0);
      provider.signal(SIGNAL);
    },
    stall: (provider, ms) => {
      order(ms);
      provider.signal(SIGNAL);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
