import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { codeBlocksOf } from '../docs/pages.ts';
import { packageCrds } from '../environment/install-crds.ts';
import { type Application, argoApplications, syncedObjects, syncWaveOf } from './argo-applications.ts';
import { argoHealthChecks } from './argo-health.ts';
import { exampleManifests } from './example-manifests.ts';

const root = new URL('../../', import.meta.url);

let applications: Application[];
beforeAll(async () => {
  applications = await argoApplications();
});

function applicationNamed(name: string): Application {
  const found = applications.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no Application ${name}`);
  return found;
}

const isMapping = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion.startsWith('inventory.hana.') && kind.endsWith('InstanceMapping');

describe('the settings', () => {
  test('argocd-cm.yaml has health checks only, so that it takes no key from another owner', async () => {
    const [settings] = (await exampleManifests('argocd/argocd-cm.yaml')) as (KubeObject & {
      data: Record<string, string>;
    })[];
    const others = Object.keys(settings?.data ?? {}).filter(
      (key) => !key.startsWith('resource.customizations.health.'),
    );
    expect(others).toEqual([]);
  });

  test('the optional exclusion is a list entry that names the usage kinds of the package', async () => {
    const path = 'examples/argocd/README.md';
    const page = { path, text: await readFile(new URL(path, root), 'utf8') };
    const lists = codeBlocksOf(page)
      .filter(({ language, code }) => language === 'yaml' && code.startsWith('- '))
      .map(({ code }) => parse(code));
    const apiGroups = (await packageCrds())
      .filter(({ spec }) => spec.names.kind === 'ProviderConfigUsage')
      .map(({ spec }) => spec.group)
      .sort();
    expect(apiGroups).toHaveLength(2);
    expect(lists).toEqual([
      [{ apiGroups: expect.arrayContaining(apiGroups), kinds: ['ProviderConfigUsage'], clusters: ['*'] }],
    ]);
  });
});

describe('the Applications', () => {
  test('a resource that refers to another one comes in a later wave, and needs no kinds that are not installed yet', async () => {
    const objects = await syncedObjects(applicationNamed('hana-platform'));
    const waves = objects.map((object) => [
      syncWaveOf(object),
      `${object.kind} ${object.metadata.name}`,
      object.metadata.annotations?.['argocd.argoproj.io/sync-options'],
    ]);
    expect(waves).toEqual([
      [0, 'Provider provider-kyma', undefined],
      [1, 'Namespace team-shop', undefined],
      [1, 'ClusterProviderConfig default', 'SkipDryRunOnMissingResource=true'],
      [2, 'Application hana-mappings', undefined],
      [3, 'Application checkout', undefined],
    ]);
  });

  test('no wave follows a mapping, because a sync would wait for a waiting mapping forever', async () => {
    let mappings = 0;
    for (const application of applications) {
      const objects = await syncedObjects(application);
      const last = Math.max(...objects.map(syncWaveOf));
      for (const mapping of objects.filter(isMapping)) {
        mappings++;
        expect([mapping.metadata.name, syncWaveOf(mapping)]).toEqual([mapping.metadata.name, last]);
      }
    }
    expect(mappings).toBe(1);
  });

  test('Applications get no health check, because the sync of the outer one would then wait for the mapping', async () => {
    const { kinds } = await argoHealthChecks();
    expect(kinds).not.toContain('argoproj.io_Application');
  });

  test('each prunes its resources before it is deleted, so that workloads are deleted before mappings', () => {
    for (const { metadata } of applications) {
      expect([metadata.name, metadata.finalizers]).toEqual([
        metadata.name,
        ['resources-finalizer.argocd.argoproj.io'],
      ]);
    }
    expect(applications).toHaveLength(3);
  });

  test('each retries without a limit, with the latest revision', () => {
    for (const { metadata, spec } of applications) {
      expect([metadata.name, spec.syncPolicy?.retry]).toEqual([
        metadata.name,
        { limit: -1, refresh: true, backoff: { duration: '10s', factor: 2, maxDuration: '5m' } },
      ]);
    }
  });

  test('one that deploys into a namespace creates it', () => {
    const deploying = applications.filter(({ spec }) => spec.destination.namespace !== undefined);
    expect(deploying.map(({ metadata }) => metadata.name)).toEqual(['checkout']);
    for (const { spec } of deploying) expect(spec.syncPolicy?.syncOptions).toContain('CreateNamespace=true');
  });
});

test.each(['examples/argocd/mappings/orders-checkout.yaml', 'test/e2e/manifests/argocd/mapping.yaml'])(
  '%s sets the fields that Argo CD would not heal if Git left them out',
  async (path) => {
    const text = await readFile(new URL(path, root), 'utf8');
    const mappings = parseAllDocuments(text).map((document): KubeObject => document.toJS());
    expect(mappings.filter(isMapping)).toHaveLength(1);
    for (const mapping of mappings) {
      // The namespaced kinds have no deletionPolicy.
      const namespaced = mapping.metadata.namespace !== undefined;
      expect(mapping).toMatchObject({
        spec: {
          forProvider: { isDefault: false },
          managementPolicies: ['*'],
          ...(namespaced ? {} : { deletionPolicy: 'Delete' }),
        },
      });
    }
  },
);
