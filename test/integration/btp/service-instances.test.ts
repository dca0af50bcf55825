/** ServiceInstances from the object to Service Manager, on a real API server. The unit tests have all scenarios. */
import '../harness/timeout.ts';
import { expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { forFile } from '../harness/for-file.ts';
import { type BtpEnvironment, runBtpEnvironment } from './btp-environment.ts';

const environment = forFile(runBtpEnvironment);

const created = async (...[spec]: Parameters<Awaited<ReturnType<BtpEnvironment['instance']>>['create']>) => {
  const instance = await environment.instance();
  await instance.create(spec);
  await instance.until('Succeeded', /^True Created/);
  return instance;
};

test('an instance is created, renamed and deleted', async () => {
  const instance = await created({ parameters: { size: 1 } });
  expect(instance.external()).toMatchObject([
    {
      name: instance.name,
      labels: { _namespace: [instance.name], _k8sname: [instance.name], _clusterid: ['cluster-1'] },
      parameters: { size: 1 },
    },
  ]);
  const [{ id = '' } = {}] = instance.external();
  expect((await instance.find())?.status).toMatchObject({
    instanceID: id,
    ready: 'True',
    observedGeneration: 1,
  });
  await instance.patch({ externalName: `${instance.name}-renamed` });
  await instance.until('Succeeded', /^True Updated/);
  expect(instance.external()[0]?.name).toBe(`${instance.name}-renamed`);
  expect(await instance.requests('updateInstance')).toBe(1);
  await instance.delete();
  await instance.untilGone();
  expect(instance.external()).toEqual([]);
});

test('[B12.3] an instance that exists in Service Manager is adopted', async () => {
  const instance = await created();
  const [{ id = '' } = {}] = instance.external();
  await environment.objects.patch(
    {
      group: 'services.cloud.sap.com',
      version: 'v1',
      kind: 'ServiceInstance',
      plural: 'serviceinstances',
      namespaced: true,
    },
    { namespace: instance.name, name: instance.name },
    { metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Orphan' } } },
  );
  await instance.delete();
  await instance.untilGone();
  expect(instance.external().map((each) => each.id)).toEqual([id]);
  await instance.create();
  await instance.until('Succeeded', /^True/);
  expect(instance.external().map((each) => each.id)).toEqual([id]);
  expect((await instance.find())?.status?.instanceID).toBe(id);
});

test('a watched Secret updates the instance', async () => {
  const instance = await environment.instance();
  const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
  await instance.create({ parametersFrom, watchParametersFromChanges: true });
  await instance.until('Succeeded', /^False CreateFailed secrets "db" not found/);
  await instance.putSecret('db', { a: 1 });
  await instance.until('Succeeded', /^True Created/);
  expect((await instance.secretMetadata('db')).finalizers).toEqual([
    'services.cloud.sap.com/sap-btp-finalizer',
  ]);
  await instance.putSecret('db', { a: 2 });
  await eventually(() => expect(instance.external()[0]?.parameters).toEqual({ a: 2 }));
  expect(await instance.requests('updateInstance')).toBe(1);
  await instance.delete();
  await instance.untilGone();
  const metadata = await instance.secretMetadata('db');
  expect([metadata.finalizers ?? [], metadata.labels ?? {}, metadata.annotations ?? {}]).toEqual([
    [],
    {},
    {},
  ]);
});

test('no request of the file was outside of the contract', () => {
  expect(environment.simulator.violations()).toEqual([]);
});
