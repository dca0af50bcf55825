/** Commands that read everything in a cluster, on one of their own: `discover` and `doctor --before-uninstall`. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { ensureBinaries } from '../../../hack/control-planes/binaries/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { type ResourceType, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { createSecretScanner } from '../../secrets/secret-scanner.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { managedObject } from '../harness/mappings/managed-object.ts';
import { environmentLabel } from '../harness/mappings/mapping-context.ts';
import type { RawMapping } from '../harness/mappings/raw-mapping.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { type Cli, type CliRunOptions, createCli } from '../harness/provider/cli-run.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

let plane: ControlPlane;
let environment: TestEnvironment;
let cli: Cli;
/** Owned by a resource; two more mappings of its instance are not. */
let ours: Scenario;
let raw: RawMapping;
let orphan: Scenario;
/** When the last write of the provider had been made. */
let mark: number;
const said: string[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ name: 'whole-cluster', binaries: await ensureBinaries({}) });
  await Promise.all([installCrds(plane, await packageCrds()), installBtpKinds(plane)]);
  // `discover` lists what no resource owns, and would list the copies of others too.
  environment = await startTestEnvironment({ management: plane, simulator: { foreignCopies: false } });
  ours = await environment.scenario();
  orphan = await environment.scenario({ sources: 'local' });
  raw = environment.instanceMapping();
  await Promise.all([
    ours.createReady(),
    orphan.createReady({ spec: { deletionPolicy: 'Orphan' } }),
    raw.createReady(),
  ]);
  await environment.provider.stop();
  cli = await createCli(plane, environment.simulator.caCertificate);
  ours.hana.addMapping({ secondaryID: 'billing', isDefault: true });
  ours.hana.addMapping({ platform: 'cloudfoundry', primaryID: 'org-1', secondaryID: 'space-1' });
  mark = ours.hana.mark();
}, 180_000);
afterAll(async () => {
  await cli.stop();
  await environment.stop();
  await plane.stop();
});

async function run(args: readonly string[], options?: CliRunOptions) {
  const result = await cli.run(args, options);
  said.push(result.out, result.err);
  return result;
}

interface Printed extends Managed {
  spec: Managed['spec'] & { forProvider: Record<string, unknown> };
}

async function discovered(...args: string[]) {
  const { code, out, err } = await run(['discover', ...args, '-o', 'json']);
  const { items }: { items: Printed[] } = JSON.parse(out);
  return { code, err, items };
}

describe('discover', () => {
  const named = async () => {
    const { name, namespace } = ours;
    const { json } = await environment.simulator.credentials(ours.instanceID);
    await environment.management.apply(
      secrets,
      secretManifest({ namespace: 'default', name: `${name}-raw` }, json),
    );
    return [
      `--admin-binding=${namespace}/hana-admin`,
      `--connection-secret=default/${name}`,
      `--cluster-id-config-map=${namespace}/cluster-id`,
      `--credentials-secret=default/${name}-raw:credentials`,
    ];
  };

  test('finds, with the credentials of existing resources, mappings without an owner', async () => {
    const { code, err, items } = await discovered();
    expect(code).toBe(0);
    expect(items).toEqual([
      {
        apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
        kind: 'KymaInstanceMapping',
        metadata: {
          name: expect.stringMatching(/^billing-[0-9a-f]{8}$/),
          annotations: { 'crossplane.io/external-name': `${ours.instanceID}/${ours.clusterID}/billing` },
        },
        spec: {
          managementPolicies: ['Observe'],
          forProvider: {
            kymaConnectionRef: {
              secretRef: { name: ours.name, namespace: 'default' },
              kubeconfigKey: 'kubeconfig',
            },
            serviceInstanceRef: { name: 'hana', namespace: ours.namespace },
            adminBindingRef: { name: 'hana-admin', namespace: ours.namespace },
            clusterIdConfigMapRef: { name: 'cluster-id', namespace: ours.namespace },
            targetNamespace: 'billing',
            isDefault: true,
          },
        },
      },
    ]);
    expect(err).toBe(
      `provider-kyma discover: no manifest for ${ours.instanceID}/cloudfoundry/org-1/space-1: an InstanceMapping needs a Secret with the credentials under one key: name one with --credentials-secret\n`,
    );
  });

  test('of an instance and cluster from flags; its output plans no change, and is Ready when applied', async () => {
    const found = await run(['discover', ...(await named()), '-o', 'yaml']);
    expect(found).toMatchObject({ code: 0, err: '' });
    const manifests = parseAllDocuments(found.out).map((each): Printed => each.toJS());
    expect(manifests.map(({ kind, spec }) => [kind, spec.managementPolicies])).toEqual([
      ['InstanceMapping', ['Observe']],
      ['KymaInstanceMapping', ['Observe']],
    ]);
    const plan = await run(['plan', '-f', '-', '-o', 'json'], { stdin: found.out });
    expect(plan.code).toBe(0);
    expect(JSON.parse(plan.out).entries.map(({ action }: { action: string }) => action)).toEqual([
      'nothing',
      'nothing',
    ]);

    await environment.restartProvider();
    const label = { [environmentLabel]: environment.selector.split('=')[1] ?? '' };
    const made = manifests.map((manifest) => {
      const type: ResourceType<Managed> =
        manifest.kind === 'InstanceMapping' ? instanceMappings : kymaInstanceMappings;
      const object = { ...manifest, metadata: { ...manifest.metadata, labels: label } };
      const resource = managedObject(environment.management, type, manifest.metadata.name);
      return { resource, apply: () => environment.management.apply(type, object) };
    });
    try {
      for (const { resource, apply } of made) {
        await apply();
        await resource.untilReady(60_000);
      }
      expect((await discovered()).items).toEqual([]);
      expect(ours.hana.writes(mark)).toEqual([]);
    } finally {
      for (const { resource } of made) {
        await resource.delete();
        await resource.untilGone(60_000);
      }
      await environment.provider.stop();
    }
  }, 180_000);

  test('what cannot be read is reported on stderr, and exits with 1; the rest is printed', async () => {
    await ours.apply('secret', { data: { uaa: '{}', baseurl: 'x' } });
    try {
      const { code, err, items } = await discovered();
      expect({ code, items }).toEqual({ code: 1, items: [] });
      expect(err).toMatch(/ServiceBinding .*hana-admin on the cluster of Secret default\/.*has no clientid/);
    } finally {
      await ours.apply('secret');
    }
  });
});

describe('doctor --before-uninstall', () => {
  test('names what would be lost or hang, with the command that fixes it, and exits with 1', async () => {
    const { code, out, err } = await run(['doctor', '--before-uninstall', '-o', 'json']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    const { safe, findings } = JSON.parse(out);
    expect(safe).toBe(false);
    const of = (kind: string) => findings.filter((finding: { kind: string }) => finding.kind === kind);
    expect(of('KymaInstanceMapping')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: ours.name, fate: 'lost', externalName: ours.externalName }),
        expect.objectContaining({ name: orphan.name, fate: 'hangs', deletionPolicy: 'Orphan' }),
      ]),
    );
    expect(of('InstanceMapping')).toMatchObject([{ name: raw.name, fate: 'lost' }]);
    expect(of('ProviderConfigUsage')).toHaveLength(3);
  });

  test('shows people a table with commands, of which the one for a mapping saves it', async () => {
    const before = await run(['doctor', '--before-uninstall']);
    expect(before.code).toBe(1);
    expect(before.out).toMatch(
      new RegExp(`^lost +KymaInstanceMapping +${ours.name} +${ours.externalName}`, 'm'),
    );
    expect(before.out).toContain('2 would be lost, ');
    const command = before.out
      .split('\n')
      .find((line) => line.includes(` patch `) && line.includes(ours.name));
    const patch = /-p '(.*)'$/.exec(command ?? '')?.[1] ?? '';
    await ours.patch(JSON.parse(patch));
    const after = await run(['doctor', '--before-uninstall']);
    expect(after.out).toContain('1 would be lost, ');
  });

  test('a cluster without resources of the provider: 0', async () => {
    const kubeconfigPath = await cli.user(environment.planes.kyma, uniqueName('cli'), ['system:masters']);
    const { code, out } = await run(['doctor', '--before-uninstall', '-o', 'yaml'], { kubeconfigPath });
    expect(code).toBe(0);
    expect(out).toContain('safe: true\n');
    expect(out).toContain('  - kymainstancemappings.inventory.hana.orchestrate.cloud.sap\n');
  });

  test('a user who cannot see everything: 2, since the result is unknown', async () => {
    const kubeconfigPath = await cli.user(plane, uniqueName('nobody'));
    const { code, out, err } = await run(['doctor', '--before-uninstall'], { kubeconfigPath });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^provider-kyma doctor: cannot list .* forbidden/);
    expect(await run(['doctor', 'x', '--before-uninstall'])).toMatchObject({ code: 2, out: '' });
  });
});

test('none of it wrote anything, or printed a credential', async () => {
  expect(ours.hana.writes(mark)).toEqual([]);
  const { real, dry } = await cli.changes();
  expect(real).toEqual([]);
  expect(dry.length).toBeGreaterThan(0);
  const credentials = await Promise.all(
    [ours.instanceID, raw.instanceID, orphan.instanceID].map(async (id) => {
      const { fields } = await environment.simulator.credentials(id);
      const { clientsecret }: { clientsecret: string } = JSON.parse(fields.uaa ?? '{}');
      return { name: `client secret of ${id}`, value: clientsecret };
    }),
  );
  const scan = createSecretScanner(credentials);
  expect(said.flatMap((text, index) => scan(`output ${index}`, text))).toEqual([]);
});
