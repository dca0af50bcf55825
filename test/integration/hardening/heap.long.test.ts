/**
 * After a reconcile the process keeps no credential: neither the admin credentials of HANA Cloud nor those of Service
 * Manager, and of parameters in Secrets nothing. Access tokens stay, in the bounded cache.
 */
import { expect, test } from '@jest/globals';
import { createSecretScanner } from '../../secrets/secret-scanner.ts';
import { startBtpEnvironment } from '../btp/btp-environment.ts';
import { inFaultEnvironment } from '../faults/fault-environment.ts';
import { forFile } from '../harness/for-file.ts';
import { heapSnapshots } from './heap-snapshots.ts';

const snapshots = forFile(heapSnapshots);

test(
  'no admin credentials of HANA Cloud are in memory after the reconciles',
  inFaultEnvironment(async (environment) => {
    const provider = await environment.run({ env: snapshots.env });
    const fleet = await environment.fleet(5);
    await fleet.applyClusterIDs();
    await fleet.create();
    await fleet.untilReady();
    const { fields } = await environment.simulator.credentials(fleet.shared.instanceID);
    const { clientsecret } = JSON.parse(fields.uaa ?? '');

    const heap = await snapshots.take(provider);

    // The search works: names of the mappings are in the caches.
    expect(heap).toContain(fleet.members()[0]?.name);
    const scan = createSecretScanner([{ name: 'client secret', value: clientsecret }]);
    expect(scan('heap', heap)).toEqual([]);
  }),
  120_000,
);

test('no credentials of Service Manager and no parameters of Secrets are in memory after the reconciles', async () => {
  const environment = await startBtpEnvironment();
  try {
    const provider = await environment.start(snapshots.env);
    const instance = await environment.instance();
    const password = 'a-parameter-that-is-a-password';
    await instance.putSecret('parameters', { password });
    await instance.create({
      parametersFrom: [{ secretKeyRef: { name: 'parameters', key: 'parameters' } }],
    });
    await instance.until('Ready', /^True/);
    const { secret } = await environment.simulator.credentials();

    const heap = await snapshots.take(provider);

    expect(heap).toContain(instance.name);
    const scan = createSecretScanner([
      { name: 'client secret', value: secret.clientsecret ?? '' },
      { name: 'parameter', value: password },
    ]);
    expect(scan('heap', heap)).toEqual([]);
  } finally {
    await environment.stop();
  }
}, 120_000);
