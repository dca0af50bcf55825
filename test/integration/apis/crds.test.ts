import { glob, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { crd } from '../../../hack/codegen/crd.ts';
import { readSource } from '../../../hack/codegen/read-source.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access.ts';
import { installCrds, packageCrds } from '../../landscape/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes.ts';

const root = new URL('../../../', import.meta.url);

let management: ControlPlaneAccess;

beforeAll(async () => {
  ({ management } = await controlPlanes());
});

const conditionsOf = (crds: readonly unknown[]) =>
  (crds as { metadata: { name: string }; status: { conditions: { type: string; status: string }[] } }[]).map(
    ({ metadata, status }) => ({
      name: metadata.name,
      conditions: status.conditions
        .filter((condition) => condition.status === 'True')
        .map(({ type }) => type)
        .sort(),
    }),
  );

describe('the CRDs of the package', () => {
  test('are established, and structural', async () => {
    const conditions = ['Established', 'NamesAccepted'];
    const installed = conditionsOf(await installCrds(management, await packageCrds()));
    expect(installed.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'instancemappings.inventory.hana.orchestrate.cloud.sap', conditions },
      { name: 'kymainstancemappings.inventory.hana.orchestrate.cloud.sap', conditions },
      { name: 'providerconfigs.hana.sap.crossplane.io', conditions },
      { name: 'providerconfigusages.hana.sap.crossplane.io', conditions },
    ]);
  });
});

describe('the forms that are not emitted yet', () => {
  test('are accepted by an API server all the same, and work in a namespace', async () => {
    const crds: unknown[] = [];
    for await (const path of glob('apis/*/*/*.yaml', { cwd: root })) {
      const source = readSource(path, await readFile(new URL(path, root), 'utf8'));
      for (const form of source.forms) if (!form.emit) crds.push(crd(source, form));
    }
    const installed = conditionsOf(await installCrds(management, crds));
    try {
      expect(installed.map(({ name }) => name).sort()).toEqual([
        'clusterproviderconfigs.hana.m.sap.crossplane.io',
        'instancemappings.inventory.hana.m.orchestrate.cloud.sap',
        'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap',
        'providerconfigs.hana.m.sap.crossplane.io',
        'providerconfigusages.hana.m.sap.crossplane.io',
      ]);
      expect(new Set(installed.flatMap(({ conditions }) => conditions))).toEqual(
        new Set(['Established', 'NamesAccepted']),
      );
      const group = 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1';
      const created = await management.request(
        `/apis/${group}/namespaces/default/kymainstancemappings?fieldValidation=Strict`,
        {
          method: 'POST',
          body: {
            apiVersion: group,
            kind: 'KymaInstanceMapping',
            metadata: { name: uniqueName('twin') },
            spec: {
              forProvider: {
                serviceInstanceRef: { name: 'db', namespace: 'default' },
                adminBindingRef: { name: 'admin', namespace: 'default' },
              },
              writeConnectionSecretToRef: { name: 'out' },
            },
          },
        },
      );
      expect(created).toMatchObject({
        status: 201,
        body: {
          spec: {
            managementPolicies: ['*'],
            providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
          },
        },
      });
      expect(created.body).not.toHaveProperty('spec.deletionPolicy');
    } finally {
      for (const { name } of installed) {
        await management.request(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, {
          method: 'DELETE',
        });
      }
    }
  });
});
