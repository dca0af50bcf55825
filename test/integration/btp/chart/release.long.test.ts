/** Install, upgrade and uninstall on a real API server. There is no kubelet: the test runs what the pods would. */
import '../../harness/timeout.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { KubeObject, Lease } from '../../../../internal/framework/kube/object/object.ts';
import {
  customResourceDefinitions,
  leases,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { noHelmBecause } from '../../../environment/helm.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../../simulators/service-manager/simulator.ts';
import { OPERATOR_ACCOUNT } from '../../harness/btp/btp-accounts.ts';
import { type BtpInstallation, installBtpChart } from '../../harness/btp/btp-installation.ts';
import { type Cli, createCli } from '../../harness/provider/cli-run.ts';
import {
  type ProviderProcess,
  type ProviderProcesses,
  providerProcesses,
} from '../../harness/provider/provider-process.ts';

interface PodTemplate {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly [{ readonly args: string[] }];
      };
    };
  };
}
const deployments: ResourceType<KubeObject & PodTemplate> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const jobs: ResourceType<KubeObject & PodTemplate> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};
const namespace = 'sap-btp-operator';
const managerKey = { namespace, name: 'sap-btp-operator-controller-manager' };
const jobKey = { namespace, name: 'pre-delete-job' };
const PRE_DELETE_ACCOUNT = 'sap-btp-operator-pre-delete';

const reason = await noHelmBecause();
if (reason !== undefined) {
  test.todo(`the chart cannot be installed here: ${reason}`);
} else {
  let plane: ControlPlane;
  let simulator: ServiceManagerSimulator;
  let objects: Objects;
  let installation: BtpInstallation;
  let processes: ProviderProcesses;
  let cli: Cli;
  let folder: string;

  beforeAll(async () => {
    [plane, simulator] = await Promise.all([
      startControlPlane({ name: 'btp-release' }),
      startServiceManagerSimulator(),
    ]);
    objects = objectsOf(plane);
    folder = await mkdtemp(join(tmpdir(), 'btp-release-'));
    processes = await providerProcesses(simulator.caCertificate);
    cli = await createCli(plane, simulator.caCertificate);
    await objects.apply(namespaces, namespaceManifest(namespace));
    const { secret } = await simulator.credentials();
    installation = await installBtpChart({ plane, namespace, secret });
  });
  afterAll(async () => {
    await processes?.stop();
    await installation?.close();
    await cli?.stop();
    await Promise.all([simulator?.stop(), plane?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** As a pod of the Deployment, with its arguments, environment and account. */
  async function startOperator(): Promise<ProviderProcess> {
    const { spec } = await objects.get(deployments, managerKey);
    const { containers, serviceAccountName } = spec.template.spec;
    expect(serviceAccountName).toBe(OPERATOR_ACCOUNT);
    return processes.start({
      kubeconfig: await installation.kubeconfigOf(serviceAccountName),
      args: containers[0].args,
      env: {
        ...(await installation.podEnvironment()),
        PROVIDER_NAME: 'sap-btp-operator',
        ENABLE_WEBHOOKS: 'false',
      },
    });
  }
  const applyInstance = (name: string) =>
    objects.apply<ServiceInstance>(serviceInstances, {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: { namespace: 'default', name },
      spec: { serviceOfferingName: 'sample', servicePlanName: 'standard' },
    } as ServiceInstance);
  const untilReady = (name: string) =>
    eventually(async () => {
      const { status } = await objects.get(serviceInstances, { namespace: 'default', name });
      expect(status?.ready).toBe('True');
    });
  /** As the kubelet and the controller of Jobs would: with the Job's arguments and account. */
  async function runJob(): Promise<{ readonly code: number | null; readonly err: string }> {
    const { spec } = await eventually(() => objects.get(jobs, jobKey));
    const { containers, serviceAccountName } = spec.template.spec;
    const kubeconfigPath = join(folder, 'job.kubeconfig');
    await writeFile(kubeconfigPath, await installation.kubeconfigOf(serviceAccountName), { mode: 0o600 });
    const env = await installation.podEnvironment();
    const running = cli.run(containers[0].args, { kubeconfigPath, env });
    const stopping = stopWithDeployment(running);
    const { code, err } = await running;
    await stopping;
    const time = new Date().toISOString();
    const last = code === 0 ? 'Complete' : 'Failed';
    const before = code === 0 ? 'SuccessCriteriaMet' : 'FailureTarget';
    const conditions = [before, last].map((type) => ({
      type,
      status: 'True',
      reason: 'Test',
      lastTransitionTime: time,
      lastProbeTime: time,
    }));
    const status = { startTime: time, conditions };
    const counts = code === 0 ? { succeeded: 1, completionTime: time } : { failed: 1 };
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${jobKey.name}/status`;
    const { status: http, body } = await plane.request(path, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { status: { ...status, ...counts } },
    });
    expect({ http, body }).toMatchObject({ http: 200 });
    return { code, err };
  }
  /** As the controller of Deployments and the kubelet would: without replicas the pods get SIGTERM. */
  async function stopWithDeployment(job: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    void job.then(end, end);
    while (!isOver) {
      const { spec } = await objects.get(deployments, managerKey);
      if (spec.replicas === 0) return processes.stop();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const checksum = async () =>
    (await objects.get(deployments, managerKey)).spec.template.metadata.annotations?.['checksum/config'];
  const clusterID = async () => (await installation.podEnvironment()).CLUSTER_ID;

  let firstID: string | undefined;
  test('an installation has a random cluster ID, which the operator records; it leads and reconciles', async () => {
    firstID = await clusterID();
    expect(firstID).toMatch(/^[0-9a-f-]{36}$/);
    const operator = await startOperator();
    await applyInstance('orders');
    await untilReady('orders');
    await objects.apply<ServiceBinding>(serviceBindings, {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceBinding',
      metadata: { namespace: 'default', name: 'orders' },
      spec: { serviceInstanceName: 'orders' },
    } as ServiceBinding);
    await eventually(async () => {
      expect(await objects.find(secrets, { namespace: 'default', name: 'orders' })).toBeDefined();
    });
    expect(simulator.store.instances()).toMatchObject([
      { name: 'orders', labels: { _clusterid: [firstID], _namespace: ['default'] } },
    ]);
    const held = await objects.list<Lease>(leases, namespace);
    expect(held.map(({ metadata }) => metadata.name).sort()).toEqual([
      'aa689ecc.cloud.sap.com',
      'crossplane-leader-election-sap-btp-operator',
    ]);
    await eventually(async () => {
      expect(await installation.podEnvironment()).toMatchObject({ INITIAL_CLUSTER_ID: firstID });
    });
    expect(operator.isRunning()).toBe(true);
  });

  test('doctor finds no missing right of the operator', async () => {
    const kubeconfigPath = join(folder, 'operator.kubeconfig');
    await writeFile(kubeconfigPath, await installation.kubeconfigOf(OPERATOR_ACCOUNT), { mode: 0o600 });
    const env = { ...(await installation.podEnvironment()), PROVIDER_NAME: 'sap-btp-operator' };
    const { code, out } = await cli.run(['doctor', '--permissions', '--controllers=btp'], {
      kubeconfigPath,
      env,
    });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^You: (\d+) of \1 rights granted\n$/),
    });
  });

  test('an upgrade keeps the ID, and starts new pods only if their configuration changed', async () => {
    const before = await checksum();
    await installation.upgrade({ replica_count: 3 });
    expect([await clusterID(), await checksum()]).toEqual([firstID, before]);
    const { secret } = await simulator.credentials();
    await installation.upgrade({ secret: { ...secretValues(secret), clientsecret: 'changed' } });
    expect(await checksum()).not.toBe(before);
    await installation.upgrade({ secret: secretValues(secret) });
    expect([await clusterID(), await checksum()]).toEqual([firstID, before]);
  });

  test('another ID is refused; the ConfigMap can be lost', async () => {
    await expect(installation.upgrade({}, { id: 'other' })).rejects.toThrow(
      `cluster.id cannot be changed: it is ${firstID}`,
    );
    const path = `/api/v1/namespaces/${namespace}/configmaps/sap-btp-operator-config`;
    await plane.request(path, { method: 'DELETE' });
    await installation.upgrade({}, { id: null });
    expect(await clusterID()).toBe(firstID);
  });

  test('an uninstallation fails while an instance is protected, and deletes nothing', async () => {
    const key = { namespace: 'default', name: 'orders' };
    const protect = (value: string | null) =>
      objects.patch(serviceInstances, key, {
        metadata: { annotations: { 'services.cloud.sap.com/preventDeletion': value } },
      });
    await protect('true');
    const uninstalling = installation.uninstall();
    const failed = expect(uninstalling).rejects.toThrow(/pre-delete/);
    const { code, err } = await runJob();
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('nothing was deleted') });
    await failed;
    expect(await objects.find(deployments, managerKey)).toBeDefined();
    await protect(null);
  });

  test('[B12.2] an uninstallation deletes everything, in Service Manager too, and releases credentials of others', async () => {
    const credentials = { namespace: 'default', name: 'sap-btp-service-operator' };
    const { secret } = await simulator.credentials();
    await objects.apply(secrets, secretManifest(credentials, secret));
    await applyInstance('other');
    await untilReady('other');
    expect((await objects.get(secrets, credentials)).metadata.finalizers).toHaveLength(1);
    const uninstalling = installation.uninstall();
    // The Job of the attempt before is deleted first.
    await eventually(async () => {
      const job = await objects.get(jobs, jobKey);
      expect(job).not.toHaveProperty('status.conditions');
    });
    expect(await runJob()).toEqual({ code: 0, err: expect.stringContaining('nothing is left') });
    expect(await uninstalling).toContain('uninstalled');
    expect([simulator.store.instances(), simulator.store.bindings()]).toEqual([[], []]);
    expect(await objects.list<Lease>(leases, namespace)).toEqual([]);
    expect(await objects.list(secrets, namespace)).toEqual([]);
    expect(await objects.find(secrets, { namespace: 'default', name: 'orders' })).toBeUndefined();
    expect((await objects.get(secrets, credentials)).metadata).not.toHaveProperty('finalizers');
    await eventually(async () => {
      const crds = await objects.list(customResourceDefinitions);
      expect(crds.filter(({ metadata }) => metadata.name.endsWith('.services.cloud.sap.com'))).toEqual([]);
    });
    expect(await objects.find(deployments, managerKey)).toBeUndefined();
    const clusterRoles = await plane.request('/apis/rbac.authorization.k8s.io/v1/clusterroles');
    expect(JSON.stringify(clusterRoles.body)).not.toContain('sap-btp-operator');
  });

  test('[B12.9] no request of the operator and of the Job was refused', async () => {
    expect(await installation.refusals(OPERATOR_ACCOUNT, PRE_DELETE_ACCOUNT)).toEqual([]);
  });
}

const secretValues = ({
  clientid,
  clientsecret,
  sm_url,
  tokenurl,
  tokenurlsuffix,
}: Record<string, string>) => ({
  clientid,
  clientsecret,
  sm_url,
  tokenurl,
  tokenurlsuffix,
});
