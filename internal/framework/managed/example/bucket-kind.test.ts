import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createKindHarness } from '../fakes/index.ts';
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
  const harness = createKindHarness<Bucket>({
    kind,
    resource: {
      apiVersion: 'storage.example.org/v1',
      kind: 'Bucket',
      metadata: { namespace: 'shop', name: 'photos' },
      spec: { forProvider: { versioning: true } },
    },
  });
  const cutOff = () => {
    online = false;
  };
  return { ...harness, buckets, cutOff };
}

/** What authors import in place of the files of this repository. */
const ENTRIES = { '../../base/index.ts': 'provider-kyma/base', '../index.ts': 'provider-kyma/managed' };

describe('the example of the README', () => {
  test('is the very code that is compiled and tested here, with the imports of authors', () => {
    let source = readFileSync(new URL('./bucket-kind.ts', import.meta.url), 'utf8');
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    for (const [file, entry] of Object.entries(ENTRIES)) source = source.replace(`'${file}'`, `'${entry}'`);
    expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  test('creates the bucket, is ready after the first reconcile and corrects changes of others', async () => {
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
    const { buckets, stored, reconcile, delete: remove } = setup();
    await reconcile();
    await remove();
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
