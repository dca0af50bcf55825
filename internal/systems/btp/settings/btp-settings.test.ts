import { expect, test } from '@jest/globals';
import { defaultsOf } from '../../../framework/process/flag.ts';
import { btpSettings } from './btp-settings.ts';
import { type BtpFlags, btpFlags } from './flags.ts';

const required = { clusterId: 'cluster', releaseNamespace: 'release' };
const settings = (flags: Partial<BtpFlags>, env: NodeJS.ProcessEnv = {}) =>
  btpSettings({ ...defaultsOf(btpFlags), ...flags }, env);

test('the defaults are those of the operator', () => {
  expect(settings(required)).toEqual({
    clusterID: 'cluster',
    initialClusterID: '',
    releaseNamespace: 'release',
    managementNamespace: 'release',
    namespaceSecrets: true,
    pollIntervalMs: 10_000,
    driftIntervalMs: 600_000,
    backoff: { baseMs: 10_000, maxMs: 10_800_000 },
    webhooks: true,
  });
});

test('flags change them', () => {
  expect(
    settings({
      ...required,
      managementNamespace: 'm',
      retryBaseDelay: 50,
      retryMaxDelay: 1,
    }),
  ).toMatchObject({ managementNamespace: 'm', backoff: { baseMs: 50, maxMs: 50 } });
});

test('without access to the cluster only some namespaces are read', () => {
  const flags = { ...required, allowedNamespaces: 'shop, office,,shop' };
  expect(settings(flags).namespaces).toBeUndefined();
  expect(settings({ ...flags, allowClusterAccess: false }).namespaces).toEqual(['shop', 'office', 'release']);
});

test('the release namespace is that of the pod', () => {
  expect(settings({ clusterId: 'c' }, { POD_NAMESPACE: 'pod' })).toMatchObject({
    releaseNamespace: 'pod',
    managementNamespace: 'pod',
  });
});

test('another ID than that of the first start is refused', () => {
  expect(settings({ ...required, initialClusterId: 'cluster' })).toMatchObject({ clusterID: 'cluster' });
  expect(() => settings({ ...required, initialClusterId: 'first' })).toThrow(
    'ClusterID changed, which is not supported. Please redeploy with --set cluster.id=first',
  );
});

test('a missing ID or namespace is refused', () => {
  expect(() => settings({ releaseNamespace: 'release' })).toThrow('--cluster-id (CLUSTER_ID) is empty');
  expect(() => settings({ clusterId: 'c' })).toThrow('--release-namespace (RELEASE_NAMESPACE) is empty');
});
