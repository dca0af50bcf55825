/** The module with `allow_cluster_access: false`, as the service account of the chart: no request of it is refused. */
import '../../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { PermissionReview } from '../../../../internal/program/doctor/permissions/run-permissions.ts';
import { eventually } from '../../../environment/eventually.ts';
import { noHelmBecause } from '../../../environment/helm.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { type BtpEnvironment, startBtpEnvironment } from '../btp-environment.ts';

const reason = await noHelmBecause();
if (reason !== undefined) {
  test.todo(`the rights of the chart cannot be tested here: ${reason}`);
} else {
  const managementNamespace = uniqueName('management');
  const allowedNamespaces = Array.from({ length: 4 }, () => uniqueName('allowed'));
  let environment: BtpEnvironment;
  beforeAll(async () => {
    environment = await startBtpEnvironment({ allowedNamespaces, managementNamespace });
    await environment.start();
  });
  afterAll(() => environment?.stop());

  test('an instance is created, updated and deleted', async () => {
    const instance = await environment.instance();
    await instance.create({ servicePlanName: 'async' });
    await instance.until('Succeeded', /^True Created/);
    await instance.patch({ parameters: { size: 2 } });
    await instance.until('Succeeded', /^True Updated/);
    await instance.delete();
    await instance.untilGone();
    expect(instance.external()).toEqual([]);
  });

  test('a watched Secret updates the instance', async () => {
    const instance = await environment.instance();
    await instance.putSecret('db', { a: 1 });
    await instance.create({
      parametersFrom: [{ secretKeyRef: { name: 'db', key: 'parameters' } }],
      watchParametersFromChanges: true,
    });
    await instance.until('Succeeded', /^True Created/);
    await instance.putSecret('db', { a: 2 });
    await eventually(() => expect(instance.external()[0]?.parameters).toEqual({ a: 2 }));
    await instance.delete();
    await instance.untilGone();
  });

  test('credentials are read in the management namespace', async () => {
    const instance = await environment.instance();
    const { secret } = await environment.simulator.credentials();
    const key = { namespace: managementNamespace, name: 'other' };
    await environment.objects.apply(secrets, secretManifest(key, secret));
    await instance.create({ btpAccessCredentialsSecret: 'other' });
    await instance.until('Succeeded', /^True Created/);
    const finalizers = async () => (await environment.objects.get(secrets, key)).metadata.finalizers ?? [];
    expect(await finalizers()).toEqual(['services.cloud.sap.com/sap-btp-finalizer']);
    await instance.delete();
    await instance.untilGone();
    await eventually(async () => expect(await finalizers()).toEqual([]));
  });

  test('doctor finds no missing right but that to follow CRDs, and lists the namespaces of a user without rights', async () => {
    const review = (user: string | undefined) =>
      environment.doctor('--permissions', '--controllers=btp', '--as', String(user), '-o', 'json');
    const installed = await review(environment.user);
    expect(installed).toMatchObject({ code: 0, err: '' });
    const { missing }: PermissionReview = JSON.parse(installed.out);
    expect(missing.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(
      ['get', 'list', 'watch'].map((verb) => `${verb} customresourcedefinitions.apiextensions.k8s.io`),
    );
    const other = await review('somebody');
    expect(other.code).toBe(1);
    const { namespacedRules }: PermissionReview = JSON.parse(other.out);
    expect(namespacedRules[managementNamespace]).toEqual({
      'btp-secrets': [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'patch'] }],
    });
    expect(Object.keys(namespacedRules)).toEqual(expect.arrayContaining(allowedNamespaces));
  });

  test('[B12.9] instances of other namespaces are not touched', async () => {
    const inside = await environment.instance();
    // No allowed namespace is left: this one is another.
    const outside = await environment.instance();
    await outside.create();
    await inside.create();
    await inside.until('Succeeded', /^True Created/);
    expect((await outside.find())?.status).toBeUndefined();
    await inside.delete();
    await inside.untilGone();
  });
}
