import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A version of an object that a watch has shown. */
export interface ObjectEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: {
      readonly uid: string;
      readonly name: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: unknown;
    readonly status?: unknown;
  };
}

export interface RecordedEvent extends ObjectEvent {
  /** When the watch has shown it, by `performance.now`. */
  readonly at: number;
}

/**
 * Records what happens to objects, until the returned function is called.
 *
 * @param namespace ignored for types without one
 */
export async function recordObjects(
  namespace: string,
  types: readonly string[],
): Promise<() => Promise<RecordedEvent[]>> {
  const events: RecordedEvent[] = [];
  const watches = types.map((type) => {
    const args = [
      'get',
      type,
      `--namespace=${namespace}`,
      '--watch',
      '--output-watch-events',
      '--output=json',
    ];
    const child = spawn('kubectl', args, { env: process.env, stdio: 'pipe' });
    child.stdout.setEncoding('utf8').on(
      'data',
      eventReader((event) => events.push({ ...event, at: performance.now() })),
    );
    child.stderr.resume();
    return child;
  });
  // They list first.
  await sleep(2000);
  return async () => {
    await Promise.all(watches.map(end));
    return events;
  };
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}

/** Reads what kubectl prints, in pieces of any size: one JSON document a line. The last one may be cut. */
export function eventReader(onEvent: (event: ObjectEvent) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(JSON.parse(line) as ObjectEvent);
  };
}
