import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import type { Secret } from '../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../../internal/framework/managed/index.ts';
import { eventually } from '../../../environment/eventually.ts';
import { CLIENT_ID, startOidcIssuer } from '../../../environment/mothership/oidc-issuer.ts';
import { type KymaClusterEnvironment, startKymaClusters } from './kyma-cluster-environment.ts';

let environment: KymaClusterEnvironment;
beforeAll(async () => {
  environment = await startKymaClusters({ pollIntervalMs: 2000 });
});
afterAll(async () => environment?.[Symbol.asyncDispose]());

const isReady =
  (version = '2.20.0') =>
  (cluster: KymaCluster) => {
    expect(getCondition(cluster, 'Ready')).toMatchObject({ status: 'True' });
    expect(getCondition(cluster, 'Synced')).toMatchObject({ status: 'True' });
    expect(cluster.status?.atProvider).toMatchObject({ status: 'ready', kymaVersion: version, failures: [] });
  };

const statusesOf = async (id: string): Promise<string[]> => {
  const { body } = await environment.mothership.call('GET', `/v1/clusters/${id}/statusChanges`);
  return (body as { statusChanges: { status: string }[] }).statusChanges.map(({ status }) => status);
};

// Side by side: most of the time they wait for the next observation, five seconds after a change.
test.concurrent('a cluster is registered with the kubeconfig of its Secret, is ready, and has its statusURL; changes are registered once', async () => {
  const { namespace, objects, kubeconfig, giveKubeconfig, create, find, becomes } = environment;
  await create('shop');
  await becomes('shop', (cluster) =>
    expect(getCondition(cluster, 'Synced')).toMatchObject({
      reason: 'Waiting',
      message: `Secret ${namespace}/shop not found`,
    }),
  );
  await giveKubeconfig('shop');
  const { metadata, status } = await becomes('shop', isReady());
  const id = metadata.uid ?? '';
  expect(metadata.annotations?.['crossplane.io/external-name']).toBe(id);
  const connection = await objects.get<Secret>(secrets, { name: 'shop-connection', namespace });
  expect(Buffer.from(connection.data?.statusURL ?? '', 'base64').toString()).toBe(
    status?.atProvider?.statusURL,
  );
  expect(JSON.stringify(await find('shop'))).not.toContain('certificate-authority-data');

  await create('shop', { version: '2.21.0', components: [{ component: 'a' }, { component: 'b' }] });
  const changed = await becomes('shop', isReady('2.21.0'));
  expect(changed.status?.atProvider?.configurationVersion).not.toBe(status?.atProvider?.configurationVersion);

  // A changed kubeconfig is a new version of the cluster.
  await giveKubeconfig('shop', `${kubeconfig}\n# rotated\n`);
  await becomes('shop', (cluster) => {
    isReady('2.21.0')(cluster);
    expect(cluster.status?.atProvider?.clusterVersion).not.toBe(changed.status?.atProvider?.clusterVersion);
  });
  // Polls register nothing: three changes gave three runs.
  await new Promise((done) => setTimeout(done, 5000));
  expect(await statusesOf(id)).toHaveLength(9);
});

test.concurrent('deleting the resource deletes the cluster, unless its policies leave it; a missing Secret does not matter', async () => {
  const { namespace, objects, mothership, giveKubeconfig, create, find, becomes } = environment;
  await giveKubeconfig('gone');
  await create('gone');
  const { metadata } = await becomes('gone', isReady());
  await objects.delete(secrets, { name: 'gone', namespace });
  await objects.delete(kymaClusterTypes.namespaced, { name: 'gone', namespace });
  await eventually(async () => expect(await find('gone')).toBeUndefined());
  const deleted = await mothership.call('GET', `/v1/clusters/${metadata.uid}/status`);
  expect(deleted.status).toBe(404);

  await giveKubeconfig('left');
  await create('left', { runtimeID: 'left-runtime' });
  await objects.patch(
    kymaClusterTypes.namespaced,
    { name: 'left', namespace },
    {
      spec: { managementPolicies: ['Create', 'Observe', 'Update', 'LateInitialize'] },
    },
  );
  await becomes('left', isReady());
  await objects.delete(kymaClusterTypes.namespaced, { name: 'left', namespace });
  await eventually(async () => expect(await find('left')).toBeUndefined());
  expect((await mothership.call('GET', '/v1/clusters/left-runtime/status')).status).toBe(200);
});

test.concurrent('an OAuth client is logged in to a mothership with OIDC, its token is in no object', async () => {
  const { namespace, objects, giveKubeconfig, giveSecret, create, becomes, startMothership } = environment;
  const issuer = await startOidcIssuer();
  const guarded = await startMothership({ oidcIssuerUrl: issuer.url, oidcClientId: CLIENT_ID });
  try {
    const client = { id: 'provider-kyma', secret: 'oauth-client-secret' };
    issuer.addClient({ ...client, claims: { groups: ['reconciler-operator'] } });
    await giveSecret('oauth', { clientid: client.id, clientsecret: 'wrong' });
    const oauthClient = { tokenURL: `${issuer.url}/token`, secretRef: { name: 'oauth', namespace } };
    await objects.apply(
      clusterProviderConfigs,
      clusterProviderConfig({
        name: 'guarded',
        spec: { url: guarded.url, credentials: { source: 'OAuthClient', oauthClient } },
      }),
    );
    await giveKubeconfig('guarded');
    await create('guarded');
    const key = { name: 'guarded', namespace };
    const providerConfigRef = { kind: 'ClusterProviderConfig', name: 'guarded' };
    await objects.patch(kymaClusterTypes.namespaced, key, { spec: { providerConfigRef } });
    await becomes('guarded', (cluster) =>
      expect(getCondition(cluster, 'Synced')?.message).toContain(
        `cannot get a token from ${new URL(issuer.url).host}: POST /oauth/token answered 401`,
      ),
    );
    await giveSecret('oauth', { clientid: client.id, clientsecret: client.secret });
    await becomes('guarded', isReady());
    expect(issuer.grants()).toBe(1);
    const written = [
      await objects.get(kymaClusterTypes.namespaced, key),
      await objects.get(secrets, { name: 'guarded-connection', namespace }),
      await objects.get(clusterProviderConfigs, { name: 'guarded' }),
    ];
    expect(JSON.stringify(written)).not.toMatch(/eyJ|oauth-client-secret/);
    await objects.delete(kymaClusterTypes.namespaced, key);
    await eventually(async () => expect(await environment.find('guarded')).toBeUndefined());
  } finally {
    await guarded.stop();
    await issuer.close();
  }
});
