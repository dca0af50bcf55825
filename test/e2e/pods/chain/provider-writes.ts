import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** A version of an object that a watch has shown. */
export interface ObjectEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: {
      readonly uid: string;
      readonly name: string;
      readonly finalizers?: readonly string[];
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly status?: unknown;
  };
}

/**
 * The writes of the provider to composed resources, each `<kind>/<name>`: it writes their status, its finalizer and their external name;
 * everything else is from Crossplane.
 */
export function providerWrites(events: readonly ObjectEvent[]): string[] {
  const last = new Map<string, unknown>();
  const writes: string[] = [];
  for (const { type, object } of events) {
    const { kind, metadata, status } = object;
    const { uid, name, finalizers, annotations = {} } = metadata;
    const own = [status, finalizers, annotations['crossplane.io/external-name']];
    const before = last.has(uid) ? last.get(uid) : [undefined, undefined, undefined];
    if (type !== 'DELETED' && !isDeepStrictEqual(own, before)) writes.push(`${kind}/${name}`);
    last.set(uid, own);
  }
  return writes;
}

/** Records what happens to objects of a namespace, until the returned function is called. */
export async function recordObjects(
  namespace: string,
  types: readonly string[],
): Promise<() => Promise<ObjectEvent[]>> {
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
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.stderr.resume();
    return { child, text: () => text };
  });
  // They list first.
  await sleep(2000);
  return async () => {
    await Promise.all(watches.map(({ child }) => end(child)));
    return watches.flatMap(({ text }) => eventsIn(text()));
  };
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}

/** One JSON document a line. The last one may be cut. */
export function eventsIn(text: string): ObjectEvent[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ObjectEvent);
}
