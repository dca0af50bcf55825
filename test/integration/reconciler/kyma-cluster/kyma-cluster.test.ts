/** KymaClusters on a real API server, with a real mothership. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type KymaCluster,
  kymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import type { Secret } from '../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../../internal/framework/managed/index.ts';
import type { ProcessLike } from '../../../../internal/framework/module/console/process-like.ts';
import { run } from '../../../../internal/program/program.ts';
import { eventually } from '../../../environment/eventually.ts';
import { CLIENT_ID, startOidcIssuer } from '../../../environment/mothership/oidc-issuer.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { noKubectlBecause, openUserShell } from '../../harness/user-shell/user-shell.ts';
import { CONFIG, type KymaClusterEnvironment, startKymaClusters } from './kyma-cluster-environment.ts';

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

test.concurrent('a cluster-scoped KymaCluster uses a ProviderConfig of the cluster', async () => {
  const { namespace, objects, giveKubeconfig } = environment;
  const name = uniqueName('cluster-scoped');
  await giveKubeconfig(name);
  await objects.apply<KymaCluster>(
    kymaClusterTypes.cluster,
    kymaCluster({
      name,
      spec: {
        providerConfigRef: { name: CONFIG },
        forProvider: {
          version: '2.20.0',
          kubeconfigSecretRef: { name, namespace },
          components: [
            { component: 'a', configuration: [{ key: 'global.replicas', value: '3', format: 'JSON' }] },
          ],
        },
      },
    }),
  );
  await eventually(async () => isReady()(await objects.get<KymaCluster>(kymaClusterTypes.cluster, { name })));
  await objects.delete(kymaClusterTypes.cluster, { name });
  await eventually(async () =>
    expect(await objects.find(kymaClusterTypes.cluster, { name })).toBeUndefined(),
  );
});

test.concurrent('a rotated kubeconfig is registered without waiting for the poll', async () => {
  const { namespace, objects, kubeconfig, giveKubeconfig, create, becomes, mothership } = environment;
  await giveKubeconfig('rotated');
  const { metadata } = await create('rotated');
  await objects.patch(
    kymaClusterTypes.namespaced,
    { name: 'rotated', namespace },
    { metadata: { annotations: { 'crossplane.io/poll-interval': '24h' } } },
  );
  const before = await becomes('rotated', isReady());
  // The observation that found it ready has set the last poll.
  await eventually(async () => expect(await statusesOf(metadata.uid ?? '')).toContain('ready'));
  await giveKubeconfig('rotated', `${kubeconfig}\n# rotated\n`);
  await eventually(async () => {
    const { body } = await mothership.call('GET', `/v1/clusters/${metadata.uid}/status`);
    expect(body).toMatchObject({ status: 'ready' });
    const { clusterVersion } = body as { clusterVersion: number };
    expect(clusterVersion).not.toBe(before.status?.atProvider?.clusterVersion);
  });
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

/** Runs a command of the program. */
async function command(...args: readonly string[]) {
  const out: string[] = [];
  const host: ProcessLike = {
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => out.push(text) },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };
  await run(host, args);
  return { code: host.exitCode, out: out.join('') };
}

test.concurrent('doctor follows a KymaCluster to its mothership, names what is missing, and its commands fix it', async () => {
  const { namespace, broken, kubeconfig, giveKubeconfig, create, becomes, mothership } = environment;
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, environment.managementKubeconfig);
  const shell = await openUserShell(kubeconfigPath);
  /** As an administrator. */
  const doctor = (resource: string) =>
    command('doctor', resource, '-n', namespace, `--kubeconfig=${kubeconfigPath}`);
  try {
    await create('checked', { components: [{ component: 'a' }, { component: 'faulty' }] });
    await becomes('checked', (cluster) => expect(getCondition(cluster, 'Synced')?.reason).toBe('Waiting'));
    const missing = await doctor('kymacluster/checked');
    expect(missing.code).toBe(1);
    expect(missing.out).toContain(`Secret ${namespace}/checked not found`);
    expect(missing.out).toContain('the mothership does not know it');

    broken.add('faulty');
    const [, store = ''] = /remediation: (kubectl .*create secret .*)$/m.exec(missing.out) ?? [];
    if (noKubectlBecause() === undefined) await shell.run(store, { file: kubeconfig });
    else await giveKubeconfig('checked');
    await becomes('checked', ({ status }) => expect(status?.atProvider?.failures).toHaveLength(1));
    const failing = await doctor('kymaclusters.reconciler.m.kyma-project.io/checked');
    expect(failing).toMatchObject({ code: 1, out: expect.stringContaining('faulty: no image') });

    broken.delete('faulty');
    await create('checked');
    const { metadata } = await becomes('checked', isReady());
    const id = metadata.uid ?? '';
    await command('clusters', 'disable', id, `--mothership-url=${mothership.url}`);
    const disabled = await doctor('kymacluster/checked');
    expect(disabled).toMatchObject({ code: 1, out: expect.stringContaining('its runs are disabled') });
    const [, enable = ''] = /remediation: provider-kyma (clusters enable .*)$/m.exec(disabled.out) ?? [];
    expect(await command(...enable.split(' '))).toMatchObject({ code: 0 });
    const stateOf = async () => {
      const { body } = await mothership.call('GET', `/v1/clusters/state?runtimeID=${id}`);
      return body as { cluster: object; configuration: object; status: { status: string } };
    };
    await eventually(async () => expect((await stateOf()).status.status).toBe('ready'));
    const before = await stateOf();
    // A poll of before may come late.
    await eventually(async () => {
      const healthy = await doctor('kymacluster/checked');
      expect(healthy).toEqual({ code: 0, out: expect.stringContaining('every check succeeds') });
    });
    const { cluster, configuration } = await stateOf();
    expect({ cluster, configuration }).toEqual({
      cluster: before.cluster,
      configuration: before.configuration,
    });
  } finally {
    await shell.close();
    await rm(folder, { recursive: true, force: true });
  }
});
