/** An API server stores parameters of 10,000 levels. The ServiceInstance that has them must not stop all others. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';

/** kube-apiserver accepts 10,000 in all. */
const LEVELS = 9900;

let environment: BtpEnvironment;

beforeAll(async () => {
  environment = await startBtpEnvironment();
});
afterAll(() => environment.stop());

/** As text: `JSON.stringify` overflows the stack. */
async function createNested(): Promise<void> {
  const parameters = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;
  const text = `{"apiVersion":"services.cloud.sap.com/v1","kind":"ServiceInstance","metadata":{"name":"nested"},
    "spec":{"serviceOfferingName":"sample","servicePlanName":"standard","parameters":${parameters}}}`;
  const path = '/apis/services.cloud.sap.com/v1/namespaces/default/serviceinstances';
  expect(await environment.request(path, { method: 'POST', text })).toMatchObject({ status: 201 });
}

test('deeply nested parameters of one tenant do not stop the instances of others, nor after a restart', async () => {
  const provider = await environment.start();
  const before = await environment.instance();
  await before.create();
  await before.until('Ready', /^True/);
  await createNested();
  const after = await environment.instance();
  await after.create();
  await after.until('Ready', /^True/);
  await provider.kill();

  const restarted = await environment.start();
  const later = await environment.instance();
  await later.create();
  await later.until('Ready', /^True/);
  await eventually(() => expect(restarted.output()).toContain('the object is nested deeper than 500 levels'));
});
