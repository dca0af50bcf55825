import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe('missing credentials', () => {
  const waits = [
    { title: 'no Secret', data: undefined, message: 'not found' },
    { title: 'no such key', data: { other: '{}' }, message: 'has no key credentials' },
    { title: 'an empty key', data: { credentials: '' }, message: 'has an empty key credentials' },
    {
      title: 'a key without uaa',
      data: { credentials: '{"baseurl":"api.example.org"}' },
      message: 'has no uaa in key credentials',
    },
  ];
  test.concurrent.each(waits)(
    'are waited for, and used once they appear: $title',
    async ({ data, message }) => {
      const raw = environment.instanceMapping();
      if (data) await raw.applySecret(data);
      await raw.create();
      const wanted = `Secret default/${raw.name} ${message} (on management cluster)`;
      await raw.untilReason('Synced', 'Waiting');
      expect(await raw.condition('Synced')).toMatchObject({ status: 'False', message: wanted });
      expect(await raw.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'Waiting',
        message: wanted,
      });
      expect((await raw.untilEvent('Waiting')).map(({ count }) => count)).toEqual([1]);
      await raw.applySecret();
      await raw.untilReady();
      expect(raw.mappings()).toEqual([raw.hana.mapping()]);
    },
  );
});

test.concurrent('rotated credentials are used at the next reconcile, and the mapping stays Ready meanwhile', async () => {
  const raw = environment.instanceMapping();
  await raw.createReady();
  const rotated = await environment.simulator.rotateCredentials(raw.instanceID, { revokeOld: true });
  await raw.reconcile();
  expect(await raw.condition('Synced')).toMatchObject({ reason: 'ReconcileError' });
  expect(await raw.condition('Ready')).toMatchObject({ status: 'True' });
  await raw.applySecret(rotated.json);
  await raw.reconcile();
  await raw.untilReady();
  expect(raw.hana.writes()).toEqual(['create']);
});

describe('a deletion without credentials', () => {
  test.concurrent('waits for them, names how to remove the finalizer, then continues', async () => {
    const raw = environment.instanceMapping();
    await raw.createReady();
    await raw.removeSecret();
    await raw.delete();
    const { message } = await raw.untilReason('Synced', 'Waiting');
    expect(message).toContain(`Secret default/${raw.name} not found`);
    expect(message).toContain('deletionPolicy to Orphan');
    expect(raw.mappings()).toEqual([raw.hana.mapping()]);
    await raw.applySecret();
    await raw.untilGone();
    expect(raw.mappings()).toEqual([]);
  });

  test.concurrent('leaves the mapping where it is set to orphan', async () => {
    const raw = environment.instanceMapping();
    await raw.createReady();
    await raw.removeSecret();
    await raw.delete();
    await raw.untilReason('Synced', 'Waiting');
    await raw.patch({ spec: { deletionPolicy: 'Orphan' } });
    await raw.untilGone();
    await eventually(() => expect(raw.mappings()).toEqual([raw.hana.mapping()]));
    expect(raw.hana.writes()).toEqual(['create']);
  });
});
