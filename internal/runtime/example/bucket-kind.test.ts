import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/fake-clock.ts';
import { nopLogger } from '../../base/logger.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { createFakeRecorder } from '../fakes/fake-recorder.ts';
import { createManagedReconciler } from '../managed/reconciler.ts';
import { type Bucket, bucketKind } from './bucket-kind.ts';

function setup() {
  const buckets = new Map<string, { versioning: boolean; objects: number }>();
  let online = true;
  const kind = bucketKind({
    online: () => online,
    find: (name) => buckets.get(name),
    put: (name, settings) => void buckets.set(name, { objects: 0, ...settings }),
    drop: (name) => void buckets.delete(name),
  });
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const key = { namespace: 'shop', name: 'photos' };
  client.seed<Bucket>(kind.type, {
    apiVersion: 'storage.example.org/v1',
    kind: 'Bucket',
    metadata: { ...key },
    spec: { forProvider: { versioning: true } },
  });
  const stored = () => client.peek<Bucket>(kind.type, key);
  const recorder = createFakeRecorder();
  const reconciler = createManagedReconciler<Bucket>({
    kind,
    client,
    read: stored,
    recorder,
    clock,
    random: Math.random,
    log: nopLogger,
  });
  const reconcile = () => reconciler('shop/photos', new AbortController().signal);
  const cutOff = () => {
    online = false;
  };
  return { buckets, client, kind, key, stored, reconcile, recorder, cutOff };
}

describe('the example of the README', () => {
  test('is the very code that is compiled and tested here', () => {
    const source = readFileSync(new URL('./bucket-kind.ts', import.meta.url), 'utf8');
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  test('creates the bucket, is ready in the first pass and mends what others change', async () => {
    const { buckets, stored, reconcile } = setup();
    expect(await reconcile()).toMatchObject({ poll: true });
    expect(buckets.get('photos')).toEqual({ versioning: true, objects: 0 });
    expect(stored()?.status).toMatchObject({
      atProvider: { versioning: true },
      conditions: [
        { type: 'Synced', status: 'True' },
        { type: 'Ready', status: 'True' },
        { type: 'UpToDate', status: 'True' },
      ],
    });
    buckets.set('photos', { versioning: false, objects: 7 });
    await reconcile();
    expect(buckets.get('photos')?.versioning).toBe(true);
  });

  test('deletes the bucket before the resource goes', async () => {
    const { buckets, client, kind, key, stored, reconcile } = setup();
    await reconcile();
    await client.delete(kind.type, key);
    await reconcile();
    expect(buckets.size).toBe(0);
    expect(stored()).toBeDefined();
    await reconcile();
    expect(stored()).toBeUndefined();
  });

  test('waits for a storage service that does not answer', async () => {
    const { reconcile, recorder, cutOff } = setup();
    cutOff();
    expect(await reconcile()).toEqual({ type: 'requeue' });
    expect(recorder.lines()).toEqual(['Normal Waiting: the storage service does not answer']);
  });
});
