import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

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
      { name: 'clusterproviderconfigs.hana.m.sap.crossplane.io', conditions },
      { name: 'instancemappings.inventory.hana.m.orchestrate.cloud.sap', conditions },
      { name: 'instancemappings.inventory.hana.orchestrate.cloud.sap', conditions },
      { name: 'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap', conditions },
      { name: 'kymainstancemappings.inventory.hana.orchestrate.cloud.sap', conditions },
      { name: 'providerconfigs.hana.m.sap.crossplane.io', conditions },
      { name: 'providerconfigs.hana.sap.crossplane.io', conditions },
      { name: 'providerconfigusages.hana.m.sap.crossplane.io', conditions },
      { name: 'providerconfigusages.hana.sap.crossplane.io', conditions },
    ]);
  });
});
