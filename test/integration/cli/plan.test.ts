/** `provider-kyma plan` as pipelines run it: the bundle, against real control planes and the simulator. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { childrenLeftByGo } from '../../../internal/systems/inventory/kymainstancemapping/migration/left-by-go.fixture.ts';
import { objectsOf } from '../../environment/objects.ts';
import { grantRights } from '../../environment/rights.ts';
import { createSecretScanner } from '../../secrets/secret-scanner.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { type Cli, type CliResult, type CliRunOptions, createCli } from '../harness/provider/cli-run.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

let environment: TestEnvironment;
let cli: Cli;
/** Ready, and no provider reconciles them any more. */
let live: Scenario;
let orphan: Scenario;
const said: string[] = [];

beforeAll(async () => {
  environment = await startTestEnvironment();
  [live, orphan] = await Promise.all([environment.scenario(), environment.scenario({ sources: 'local' })]);
  await Promise.all([live.createReady(), orphan.createReady({ spec: { deletionPolicy: 'Orphan' } })]);
  await environment.provider.stop();
  cli = await createCli(environment.planes.management, environment.simulator.caCertificate);
}, 120_000);
afterAll(async () => {
  await cli.stop();
  await environment.stop();
});

async function plan(args: readonly string[], options?: CliRunOptions): Promise<CliResult> {
  const result = await cli.run(['plan', ...args], options);
  said.push(result.out, result.err);
  return result;
}

async function planned(args: readonly string[], options?: CliRunOptions) {
  const { code, out, err } = await plan([...args, '-o', 'json'], options);
  expect(out).not.toBe('');
  const { entries, summary } = JSON.parse(out);
  return { code, err, entries, entry: entries[0], summary };
}

/** Sources without the resource. Those on the remote cluster are read by a user of their own. */
async function described(sources: 'local' | 'remote' = 'local'): Promise<Scenario> {
  const reader = () => cli.user(environment.planes.kyma, uniqueName('remote'), ['system:masters']);
  const remote = async () => ({ kubeconfig: await readFile(await reader(), 'utf8') });
  const scenario = await environment.scenario({ sources, ...(sources === 'remote' ? await remote() : {}) });
  await scenario.applySources();
  return scenario;
}

describe('a manifest that is not in the cluster', () => {
  test('prints create, with the mapping field by field, and exits with 2', async () => {
    const scenario = await described('remote');
    const mark = scenario.hana.mark();
    const manifest = scenario.manifest({ forProvider: { isDefault: true } });
    const { code, err, entry, summary } = await planned(['-f', await cli.file(manifest)]);
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(entry).toMatchObject({
      kind: 'KymaInstanceMapping',
      name: scenario.name,
      action: 'create',
      steps: ['create'],
      externalName: scenario.externalName,
      object: [],
      writes: [],
      notes: [],
    });
    expect(entry.external).toEqual([
      { path: 'isDefault', to: true },
      { path: 'platform', to: 'kubernetes' },
      { path: 'primaryID', to: scenario.clusterID },
      { path: 'secondaryID', to: scenario.namespace },
      { path: 'serviceInstanceID', to: scenario.instanceID },
    ]);
    expect(summary).toEqual({ create: 1, update: 0, delete: 0, nothing: 0, unknown: 0 });
    expect(scenario.hana.calls(mark)).toEqual(['list']);
    expect(await scenario.find()).toBeUndefined();
  });

  test('of a raw InstanceMapping, and of a namespaced one in the namespace of -n, are planned as well', async () => {
    const raw = environment.instanceMapping();
    await raw.applySecret();
    const forProvider = {
      serviceInstanceID: raw.instanceID,
      platform: 'cloudfoundry',
      primaryID: 'org',
      adminCredentialsSecretRef: { name: raw.name, key: 'credentials' },
    };
    const manifest = {
      apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
      kind: 'InstanceMapping',
      metadata: { name: uniqueName('raw') },
      spec: { forProvider },
    };
    const { code, entry } = await planned(['-f', await cli.file(manifest), '-n', 'default']);
    expect(code).toBe(2);
    expect(entry).toMatchObject({
      action: 'create',
      namespace: 'default',
      externalName: `${raw.instanceID}/cloudfoundry/org`,
    });
  });
});

describe('a resource of the cluster', () => {
  test('by its name: no change while it is up to date, update after a change in HANA Cloud', async () => {
    expect(await planned([live.name])).toMatchObject({ code: 0, entry: { action: 'nothing' } });
    live.hana.removeMapping();
    live.hana.addMapping({ isDefault: true });
    try {
      const { code, entry } = await planned([`kymainstancemapping/${live.name}`]);
      expect(code).toBe(2);
      expect(entry).toMatchObject({
        action: 'update',
        steps: ['delete', 'create'],
        reason: 'isDefault is true, should be false',
        external: [{ path: 'isDefault', from: true, to: false }],
        source: 'cluster',
      });
    } finally {
      live.hana.removeMapping({ isDefault: true });
      live.hana.addMapping();
    }
  });

  test('with another manifest: what changes in it, and what follows in HANA Cloud', async () => {
    const path = await cli.file(live.manifest({ forProvider: { isDefault: true } }));
    const { code, entry } = await planned(['-f', path]);
    expect(code).toBe(2);
    expect(entry).toMatchObject({
      action: 'update',
      object: [{ path: 'spec.forProvider.isDefault', from: false, to: true }],
      external: [{ path: 'isDefault', from: false, to: true }],
    });
    expect((await live.get()).spec.forProvider.isDefault).toBe(false);
  });

  test('with a manifest that the API server would refuse: its words, and 1', async () => {
    const path = await cli.file(
      live.manifest({ forProvider: { targetNamespace: 'elsewhere' } }),
      orphan.manifest({ spec: { deletionPolicyy: 'Orphan' } as never }),
    );
    const { code, entries } = await planned(['-f', path]);
    expect(code).toBe(1);
    expect(entries).toEqual([
      expect.objectContaining({
        problem: 'error',
        reason: expect.stringContaining('targetNamespace can be neither added nor removed'),
      }),
      expect.objectContaining({
        problem: 'error',
        reason: expect.stringContaining('unknown field "spec.deletionPolicyy"'),
      }),
    ]);
  });

  test('to be deleted: delete, or nothing where it orphans its mapping', async () => {
    const { code, entries } = await planned(['--delete', live.name, orphan.name]);
    expect(code).toBe(2);
    expect(entries).toMatchObject([
      { name: live.name, action: 'delete', steps: ['delete'] },
      { name: orphan.name, action: 'nothing', steps: [] },
    ]);
    expect(entries[0].external).toContainEqual({ path: 'primaryID', from: live.clusterID });
  });

  test('that SAP’s Go provider left: adopted, with what goes first in the cluster', async () => {
    const scenario = await described();
    const { name, instanceID, clusterID, namespace } = scenario;
    scenario.hana.addMapping();
    const { metadata } = await scenario.create({ annotations: { 'crossplane.io/external-name': name } });
    const mapping = { serviceInstanceID: instanceID, primaryID: clusterID, secondaryID: namespace };
    const { child, secret } = childrenLeftByGo({ name, uid: metadata.uid ?? '' }, mapping, namespace);
    await environment.management.apply(secrets, secret);
    await environment.management.apply(instanceMappings, {
      ...child,
      metadata: { ...child.metadata, finalizers: [] },
    });
    const { code, entry } = await planned([name]);
    expect(code).toBe(0);
    expect(entry).toMatchObject({
      action: 'nothing',
      reason: 'it exists as asked for and would be adopted',
      externalName: scenario.externalName,
      writes: [
        `delete Secret ${namespace}/${secret.metadata.name}`,
        `delete InstanceMapping ${child.metadata.name}`,
      ],
    });
    expect(await environment.management.find(instanceMappings, { name: child.metadata.name })).toBeDefined();
  });

  test('that does not exist: an error on stderr alone', async () => {
    const { code, out, err } = await plan(['no-such-mapping']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^provider-kyma plan: cannot plan no-such-mapping: not found among /);
  });
});

describe('where no dry run is possible, the generated schema gives the same defaults', () => {
  test('for a user with read permission only', async () => {
    const scenario = await described();
    const name = uniqueName('reader');
    await grantReads(name);
    const kubeconfigPath = await cli.user(environment.planes.management, name);
    const path = await cli.file(scenario.manifest());
    const asAdmin = await planned(['-f', path]);
    const asReader = await planned(['-f', path], { kubeconfigPath });
    const { notes, ...rest } = asReader.entry;
    expect(asReader.code).toBe(2);
    expect({ ...rest, notes: [] }).toEqual(asAdmin.entry);
    expect(notes).toEqual([expect.stringMatching(/^not checked by a dry run: cannot create/)]);
  });

  test('for a cluster that does not have the kinds yet', async () => {
    const { kyma } = environment.planes;
    const scenario = await environment.scenario({ sources: 'remote' });
    await scenario.applySources();
    const { kymaConnectionRef: _, ...forProvider } = scenario.manifest().spec.forProvider;
    const manifest = { ...scenario.manifest(), spec: { forProvider } };
    const kubeconfigPath = await cli.user(kyma, uniqueName('cli'), ['system:masters']);
    const { code, entry } = await planned(['-f', await cli.file(manifest)], { kubeconfigPath });
    expect(code).toBe(2);
    expect(entry).toMatchObject({ action: 'create', externalName: scenario.externalName });
    expect(entry.notes).toEqual(['not checked by a dry run: the cluster does not know the kind']);
  });

  async function grantReads(name: string): Promise<void> {
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
    const subject = { kind: 'User', name } as const;
    await grantRights(objectsOf(environment.planes.management), { name }, { rules, subject });
  }
});

describe('for people', () => {
  test('a table without colours in a pipe, with colours on request', async () => {
    const scenario = await described();
    const path = await cli.file(scenario.manifest());
    const { code, out } = await plan(['-f', path]);
    expect(code).toBe(2);
    expect(out.split('\n')).toEqual([
      `+ create  KymaInstanceMapping ${scenario.name}  (${path}:1)`,
      '    it does not exist',
      `    external name: ${scenario.externalName}`,
      '    in HANA Cloud:',
      '      + isDefault: false',
      '      + platform: kubernetes',
      `      + primaryID: ${scenario.clusterID}`,
      `      + secondaryID: ${scenario.namespace}`,
      `      + serviceInstanceID: ${scenario.instanceID}`,
      '',
      'Plan: 1 to create, 0 to update, 0 to delete, 0 unchanged.',
      '',
    ]);
    const coloured = await plan(['-f', path], { env: { FORCE_COLOR: '1' } });
    expect(coloured.out).toContain('\u001b[32m+ create');
    const yaml = await plan(['-f', path, '-o', 'yaml']);
    expect(yaml.out).toContain('    action: create\n');
  });
});

test('all of these commands wrote nothing: not in HANA Cloud, not in the clusters, and no credentials in the output', async () => {
  const writes = environment.simulator
    .requests()
    .filter(({ route }) => route === 'create' || route === 'delete');
  // Those of the provider, before it was stopped.
  expect(writes.map(({ route }) => route)).toEqual(['create', 'create']);
  expect(environment.simulator.violations()).toEqual([]);
  const { real, dry } = await cli.changes();
  expect(real).toEqual([]);
  expect(dry.length).toBeGreaterThan(5);

  const values = await Promise.all(
    [live, orphan].map(async ({ instanceID }) => {
      const { fields } = await environment.simulator.credentials(instanceID);
      const { clientsecret }: { clientsecret: string } = JSON.parse(fields.uaa ?? '{}');
      return { name: `client secret of ${instanceID}`, value: clientsecret };
    }),
  );
  const scan = createSecretScanner([
    ...values,
    { name: 'kubeconfig', value: environment.planes.kyma.kubeconfig },
  ]);
  expect(said.flatMap((text, index) => scan(`output ${index}`, text))).toEqual([]);
  expect(await environment.management.find(secrets, { namespace: 'default', name: live.name })).toBeDefined();
});
