/** What tenants write, and what a Service Manager of theirs does, must not stop the instances of others. */
import '../harness/timeout.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { openNetworkPath } from '../../environment/network-path.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forEach } from '../harness/for-each.ts';
import { forFile } from '../harness/for-file.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { startBtpEnvironment } from './btp-environment.ts';
import { createNamespace } from './objects-of-test.ts';

const environment = forFile(startBtpEnvironment);
let provider: ProviderProcess;
beforeAll(async () => {
  provider = await environment.start();
});

const instance = (name: string, namespace: string, spec: object = {}) => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceInstance',
  metadata: { name, namespace },
  spec: { serviceOfferingName: 'sample', servicePlanName: 'standard', ...spec },
});

test('a Secret without credentials of Service Manager that an instance names can be deleted', async () => {
  const { objects, releaseNamespace } = environment;
  const key = { namespace: releaseNamespace, name: uniqueName('other') };
  await objects.apply(secrets, secretManifest(key, { password: 'x' }));
  const named = await environment.instance();
  await named.create({ btpAccessCredentialsSecret: key.name });
  await named.until('Succeeded', /^False Failed invalid Service-Manager credentials/);
  await objects.delete(secrets, key);
  expect(await objects.find(secrets, key)).toBeUndefined();
});

/** As many as there are workers, of hosts that each have fewer slots. */
const HOSTS = 5;
const INSTANCES = 20;

test('instances whose Service Managers never respond do not stop those with credentials of administrators', async () => {
  const { objects, simulator } = environment;
  const { secret } = await simulator.credentials('tenants');
  const hosts = await Promise.all(Array.from({ length: HOSTS }, () => openNetworkPath()));
  const { clientid = '' } = secret;
  const hang = simulator.faults.add({
    on: { route: 'grantToken', clientID: clientid },
    do: { kind: 'hang' },
  });
  try {
    await forEach(hosts, async (host) => {
      host.leadTo(simulator.url);
      const namespace = uniqueName('tenant');
      await createNamespace(objects, namespace);
      const url = `https://${host.address}`;
      const key = { namespace, name: 'sap-btp-service-operator' };
      await objects.apply(secrets, secretManifest(key, { ...secret, sm_url: url, tokenurl: url }));
      for (let number = 0; number < INSTANCES; number++)
        await objects.apply(serviceInstances, instance(`i-${number}`, namespace));
    });
    await eventually(() => expect(hang.hits()).toBe(HOSTS));
    const healthy = await environment.instance();
    await healthy.create();
    await healthy.until('Ready', /^True/);
  } finally {
    await Promise.all(hosts.map(({ close }) => close()));
  }
});

/** Of parameters; kube-apiserver accepts 10,000 in all. */
const LEVELS = 9900;

/** As text: `JSON.stringify` overflows the stack. */
async function createNested(): Promise<void> {
  const parameters = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;
  const text = `{"apiVersion":"services.cloud.sap.com/v1","kind":"ServiceInstance","metadata":{"name":"nested"},
    "spec":{"serviceOfferingName":"sample","servicePlanName":"standard","parameters":${parameters}}}`;
  const path = '/apis/services.cloud.sap.com/v1/namespaces/default/serviceinstances';
  expect(await environment.request(path, { method: 'POST', text })).toMatchObject({ status: 201 });
}

test('deeply nested parameters of one tenant do not stop the instances of others, nor after a restart', async () => {
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
