/** Each remedy of a Runtime, executed as a user does: kubectl runs the printed command, and the Runtime is Ready. */
import '../harness/timeout.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { createCluster, secrets } from '../../../internal/framework/kube/index.ts';
import type { Check, Diagnosis } from '../../../internal/framework/module/diagnosis.ts';
import { diagnoseRuntime } from '../../../internal/systems/infrastructure-manager/diagnosis/diagnose-runtime.ts';
import type { runtimeRemedies } from '../../../internal/systems/infrastructure-manager/diagnosis/remedies.ts';
import { annotationRuntimeId } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { pool, runtimeOf, type ShootChange, tenant } from '../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../environment/eventually.ts';
import { REGIONS } from '../../environment/gardener/catalog.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { outcomes } from '../../simulators/gardener/gardenlet/stages.ts';
import { internalSecrets } from '../../simulators/gardener/kinds.ts';
import { serverIn } from '../harness/access/kubeconfigs.ts';
import { problemsIn } from '../harness/diagnosis.ts';
import { refuseIn } from '../harness/gardener/refusing-cluster.ts';
import { openProjectWithClusters, type ProjectWithClusters } from '../harness/gardener/shoot-plane.ts';
import { noKubectlBecause, openUserShell, type UserShell } from '../harness/user-shell/user-shell.ts';
import { connect } from '../kube/connect.ts';
import { type ModuleEnvironment, NAMESPACE, startModuleEnvironment } from './module-environment.ts';

const REFUSED = 'refused.example.org';
const REGION = 'eu-central-1';
const NO_SEED = 'eu-west-2';
const NO_TENANT = 'us-east-1';
const RUNTIME_ID = 'kyma-project.io/runtime-id';

const reason = noKubectlBecause();
let environment: ModuleEnvironment;
let clusters: ProjectWithClusters;
let client: RestClient;
let shell: UserShell;
/** What Gardener gives as the address of the clusters. */
const server = { url: '', ca: '' };

beforeAll(async () => {
  clusters = await openProjectWithClusters({
    before: async ({ kubeconfig }) => Object.assign(server, serverIn(kubeconfig)),
  });
  await refuseIn(clusters.shootPlane, REFUSED);
  environment = await startModuleEnvironment({
    clusters,
    flags: { 'audit-log-mandatory': 'true' },
  });
  client = connect(environment.plane.kubeconfig);
  shell = await openUserShell(environment.plane.kubeconfigPath);
  await setTenants(REGION, NO_SEED);
  await environment.start({ garden: environment.garden.kubeconfig });
}, 120_000);
afterAll(async () => {
  await shell?.close();
  await client?.close();
  await environment?.stop();
  await clusters?.stop();
});

const setTenants = (...regions: readonly string[]) => {
  const aws = Object.fromEntries(regions.map((region) => [region, tenant]));
  return writeFile(join(environment.folder, 'tenants.json'), JSON.stringify({ aws }));
};
const keyOf = (name: string) => ({ namespace: NAMESPACE, name });
const shootKey = (name: string) => ({ namespace: clusters.project.namespace, name });

interface Choice {
  readonly region?: string;
  readonly machine?: string;
  readonly shoot?: ShootChange;
  readonly administrators?: readonly string[];
  readonly runtimeId?: string;
  /** Default: all that are required. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default: the name of the Runtime. */
  readonly shootName?: string;
}

function runtime(name: string, { region = REGION, machine, shoot, ...choice }: Choice = {}): Runtime {
  const worker = pool('aws', (REGIONS.aws[region] ?? []).slice(0, 1));
  const workers = [
    machine === undefined ? worker : { ...worker, machine: { ...worker.machine, type: machine } },
  ];
  const { metadata, spec, ...rest } = runtimeOf('aws', name, workers, { region, ...shoot });
  if (spec === undefined) throw new Error('a Runtime without spec');
  const { administrators = spec.security.administrators, shootName = spec.shoot.name } = choice;
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: choice.labels ?? { ...metadata.labels, [RUNTIME_ID]: choice.runtimeId ?? name },
    },
    spec: {
      ...spec,
      shoot: { ...spec.shoot, name: shootName },
      security: { ...spec.security, administrators: [...administrators] },
    },
  };
}

const create = async (name: string, choice?: Choice): Promise<void> => {
  await environment.objects.apply(runtimes, runtime(name, choice));
};
const patch = (name: string, body: object) => environment.objects.patch(runtimes, keyOf(name), body);
/** Gardener fails once at the operation, with this code. */
const failOnce = (shoot: string, operation: 'Create' | 'Reconcile', code: string) =>
  clusters.project.gardenlet.rules.add({
    on: { shoot, operation, first: 1 },
    stages: outcomes.failed(code),
  });
const issuer = (host: string) => ({ issuerURL: `https://${host}`, clientID: 'client' });
const withIssuers = (...hosts: readonly string[]) => ({
  kubernetes: { version: '1.30.12', kubeAPIServer: { additionalOidcConfig: hosts.map(issuer) } },
});

interface Fault {
  readonly what: string;
  /** Done before the Runtime is created. */
  readonly spoil?: (name: string) => Promise<unknown>;
  readonly create?: Choice;
  /** Done when the Runtime is Ready. */
  readonly harm?: (name: string) => Promise<unknown>;
  /** The check with the cause. */
  readonly check: string;
  readonly field?: string;
  /** What others do before the command. */
  readonly repair?: (name: string) => Promise<unknown>;
  /** What the user types in the editor. */
  readonly edit?: (name: string) => object;
  /** What others do after the command, or the user where the remedy is no command. */
  readonly after?: (name: string) => Promise<unknown>;
}

/** Those without a cause are for objects that wait. */
const faults: Readonly<Record<Exclude<keyof typeof runtimeRemedies, 'unknown'>, readonly Fault[]>> = {
  spec: [
    {
      what: 'Gardener has no such machine type',
      create: { machine: 'no-such' },
      check: 'state',
      field: 'spec.shoot',
      edit: (name) => ({ spec: { shoot: { provider: runtime(name).spec?.shoot.provider } } }),
    },
  ],
  labels: [
    {
      what: 'most are missing',
      create: { labels: { team: 'shop' } },
      check: 'state',
      field: 'metadata.labels',
      edit: (name) => ({ metadata: { labels: runtime(name).metadata.labels } }),
    },
  ],
  seed: [
    {
      what: 'the region has none, and another one is not allowed',
      create: { region: NO_SEED, shoot: { enforceSeedLocation: true } },
      check: 'state',
      field: 'spec.shoot.enforceSeedLocation',
      edit: () => ({ spec: { shoot: { enforceSeedLocation: false } } }),
    },
  ],
  auditTenant: [
    {
      what: 'the file has none for the region',
      create: { region: NO_TENANT },
      check: 'state',
      field: 'spec.shoot.provider.type, spec.shoot.region',
      after: () => setTenants(REGION, NO_SEED, NO_TENANT),
    },
  ],
  issuers: [
    {
      what: 'the cluster refuses one',
      create: { shoot: withIssuers(REFUSED) },
      check: 'state',
      field: 'spec.shoot.kubernetes.kubeAPIServer.additionalOidcConfig',
      edit: () => ({ spec: { shoot: withIssuers('accepted.example.org') } }),
    },
  ],
  administrators: [
    {
      what: 'the cluster refuses one',
      create: { administrators: [`admin@${REFUSED}`] },
      check: 'state',
      field: 'spec.security.administrators',
      edit: () => ({ spec: { security: { administrators: ['admin@accepted.example.org'] } } }),
    },
  ],
  runtimeId: [
    {
      what: 'another Runtime has the same',
      spoil: async (name) => {
        await create(`${name}x`);
        await untilReady(`${name}x`);
        await create(name, { runtimeId: `${name}x` });
      },
      check: 'state',
      field: `metadata.labels[${RUNTIME_ID}]`,
      edit: (name) => ({ metadata: { labels: { [RUNTIME_ID]: name } } }),
    },
  ],
  shootName: [
    {
      what: 'it is that of another Runtime, which keeps it',
      spoil: async (name) => {
        await create(`${name}x`);
        await untilReady(`${name}x`);
        await create(name, { shootName: `${name}x` });
      },
      check: 'state',
      field: 'spec.shoot.name',
      after: async (name) => {
        const { metadata } = await clusters.project.client.get(shoots, shootKey(`${name}x`));
        expect(metadata.deletionTimestamp).toBeUndefined();
        expect(metadata.annotations?.[annotationRuntimeId]).toBe(`${name}x`);
        await untilReady(`${name}x`);
        await create(name);
      },
    },
  ],
  suspended: [
    {
      what: 'a changed Runtime',
      harm: (name) =>
        patch(name, {
          metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' } },
          spec: { shoot: { purpose: 'evaluation' } },
        }),
      check: 'operation',
      field: 'metadata.annotations[operator.kyma-project.io/suspend-patch-reconciliation]',
    },
  ],
  failedOperation: [
    {
      what: 'the creation',
      spoil: async (shoot) => failOnce(shoot, 'Create', 'ERR_INFRA_UNAUTHORIZED'),
      check: 'state',
      field: 'status.lastErrors',
    },
  ],
  operation: [
    {
      what: 'the creation takes its time',
      spoil: async (shoot) => {
        const on = { shoot, operation: 'Create', first: 1 } as const;
        clusters.project.gardenlet.rules.add({ on, stages: outcomes.stuck() });
      },
      check: 'operation',
      after: (name) => clusters.project.gardenlet.begin(name),
    },
  ],
  foreignSecret: [
    {
      what: 'it has the name of the kubeconfig',
      spoil: async (name) => {
        const manifest = secretManifest(
          { namespace: NAMESPACE, name: `kubeconfig-${name}` },
          { of: 'a team' },
        );
        await environment.objects.apply(secrets, manifest);
      },
      check: 'kubeconfig',
      field: 'spec.kubeconfig.secret.name',
      edit: (name) => ({ spec: { kubeconfig: { secret: { name: `kubeconfig-own-${name}` } } } }),
    },
  ],
  kubeconfig: [
    {
      what: 'its server is another one',
      spoil: async () => {
        server.url = `https://127.0.0.1:${await freePort()}`;
      },
      check: 'runtime cluster',
      repair: async (name) => {
        Object.assign(server, serverIn(clusters.shootPlane.kubeconfig));
        await clusters.project.gardenlet.begin(name);
        await eventually(async () => {
          const { status } = await clusters.project.client.get(shoots, shootKey(name));
          expect(JSON.stringify(status?.advertisedAddresses)).toContain(server.url);
        });
      },
    },
  ],
  unknownOfCluster: [
    {
      what: 'Gardener grants no kubeconfig until the Shoot is reconciled',
      harm: async (name) => {
        const { namespace } = clusters.project;
        await clusters.project.client.delete(internalSecrets, { namespace, name: `${name}.ca-client` });
        await environment.objects.delete(secrets, { namespace: NAMESPACE, name: `kubeconfig-${name}` });
      },
      check: 'kubeconfig',
      after: (name) => clusters.project.gardenlet.begin(name),
    },
  ],
};

function diagnosisOf(name: string): Promise<Diagnosis> {
  const deps = createDeps();
  return diagnoseRuntime({
    ...{ kind: 'runtime', name, namespace: NAMESPACE, clock: deps.clock },
    signal: AbortSignal.timeout(30_000),
    client,
    gardener: clusters.project.client,
    project: clusters.project.project,
    connect: (config, settings) => createCluster({ ...deps, ...settings, config }),
  });
}

const stateOf = async (name: string) => (await environment.objects.get(runtimes, keyOf(name))).status?.state;

async function untilReady(name: string): Promise<void> {
  await eventually(async () => expect(await stateOf(name)).toBe('Ready'));
}

/** A check that failed; else one that waits, apart from the state, which repeats it. */
const untilFound = (name: string, { check, field }: Fault): Promise<Check> =>
  eventually(async () => {
    const diagnosis = await diagnosisOf(name);
    const problems = problemsIn(diagnosis);
    const found =
      problems.find(({ status }) => status === 'failed') ?? problems.find((each) => each.name !== 'state');
    expect([diagnosis.healthy, found?.name, found?.field]).toEqual([false, check, field]);
    if (found === undefined) throw new Error('no check fails');
    return found;
  });

const inOrder = Object.entries(faults).flatMap(([cause, rows]) => rows.map((row) => ({ cause, ...row })));

if (reason !== undefined) test.todo(`commands cannot be executed here: ${reason}`);
else
  describe('after the command the Runtime is Ready, and doctor says healthy', () => {
    let count = 0;
    test.each(inOrder)('$cause: $what', async (row) => {
      const name = `fault${count++}`;
      await row.spoil?.(name);
      if ((await environment.objects.find(runtimes, keyOf(name))) === undefined)
        await create(name, row.create);
      if (row.harm !== undefined) {
        await untilReady(name);
        await row.harm(name);
      }
      const found = await untilFound(name, row);
      await row.repair?.(name);
      const { remediation = '' } = found;
      if (remediation.startsWith('kubectl'))
        await shell.run(remediation, { file: environment.garden.kubeconfig, edit: row.edit?.(name) ?? {} });
      await row.after?.(name);
      await eventually(async () => {
        const diagnosis = await diagnosisOf(name);
        expect([problemsIn(diagnosis), diagnosis.healthy, await stateOf(name)]).toEqual([[], true, 'Ready']);
      });
      // All Runtimes have the same cluster: an older one must not configure it for itself.
      await environment.objects.delete(runtimes, keyOf(name));
    });
  });
