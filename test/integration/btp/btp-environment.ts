/**
 * The module `btp` as a process, with Service Manager's simulator: the environment of a file. Its control plane is none of the
 * two that all files share, which have these kinds with an open schema.
 */
import { expect } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { noHelmBecause } from '../../environment/helm.ts';
import { btpCrds, installCrds } from '../../environment/install-crds.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { type BorrowedBtpPlane, borrowBtpPlane } from '../harness/btp/borrow-btp-plane.ts';
import { OPERATOR_ACCOUNT } from '../harness/btp/btp-accounts.ts';
import { installBtpChart } from '../harness/btp/btp-installation.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { boundSecrets, placeCopiesOn } from '../harness/foreign-copies.ts';
import { type CliResult, createCli } from '../harness/provider/cli-run.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';
import {
  type BindingOfTest,
  type BindingPlace,
  bindingOfTest,
  createNamespace,
  type InstanceOfTest,
  instanceOfTest,
} from './objects-of-test.ts';

export interface BtpEnvironment {
  readonly plane: ControlPlaneAccess;
  readonly objects: Objects;
  /** Sends requests to the API server as an admin. */
  readonly request: ControlPlaneAccess['request'];
  readonly simulator: ServiceManagerSimulator;
  /** It is the management namespace too, unless the options name another one. */
  readonly releaseNamespace: string;
  start(env?: Readonly<Record<string, string>>): Promise<ProviderProcess>;
  /** The user that the module runs as; undefined: an admin. */
  readonly user: string | undefined;
  /** Runs `doctor` as an admin, with the environment of the module. */
  doctor(...args: readonly string[]): Promise<CliResult>;
  /** A ServiceInstance in a namespace of its own, with the same name in Service Manager. */
  instance(): Promise<InstanceOfTest>;
  /** A ServiceBinding `NAME-db` of the instance, with the Secret `NAME-db-secret`. */
  binding(instance: InstanceOfTest, place?: BindingPlace): BindingOfTest;
  /** @throws if a request of the module was refused for lack of a right, or a copy of a Secret was changed or deleted */
  stop(): Promise<void>;
}

export interface BtpEnvironmentOptions {
  /** Namespaces of instances, to which the module is limited; default: none, and it has access to the cluster. */
  readonly allowedNamespaces?: readonly string[];
  /** Namespace with credentials of others; default: the release namespace. */
  readonly managementNamespace?: string;
}

/**
 * The module runs as the service account of the Helm chart, with the rights that the chart grants it. Without Helm on this
 * machine it runs as an admin. Files without options use control planes one after the other.
 */
export async function startBtpEnvironment({
  allowedNamespaces = [],
  managementNamespace,
}: BtpEnvironmentOptions = {}): Promise<BtpEnvironment> {
  const simulator = await startServiceManagerSimulator({ foreignCopies: true });
  const { secret } = await simulator.credentials();
  const isLimited = allowedNamespaces.length > 0;
  const limits = {
    ...(isLimited ? { allow_cluster_access: false, allowed_namespaces: allowedNamespaces } : {}),
    ...(managementNamespace === undefined ? {} : { management_namespace: managementNamespace }),
  };
  const others = [...allowedNamespaces, ...(managementNamespace === undefined ? [] : [managementNamespace])];
  const { plane, releaseNamespace, accounts, giveBack } =
    Object.keys(limits).length === 0 ? await borrowBtpPlane(secret) : await ownPlane(secret, limits, others);
  const objects = objectsOf(plane);
  const copies = placeCopiesOn(plane, boundSecrets);
  const processes = await providerProcesses(simulator.caCertificate);
  const cli = await createCli(plane, simulator.caCertificate);
  const kubeconfig = (await accounts?.kubeconfigOf(OPERATOR_ACCOUNT)) ?? plane.kubeconfig;
  const podEnvironment = {
    CLUSTER_ID: 'cluster-1',
    PROVIDER_NAME: 'sap-btp-operator',
    RELEASE_NAMESPACE: releaseNamespace,
    MANAGEMENT_NAMESPACE: managementNamespace ?? releaseNamespace,
    ALLOW_CLUSTER_ACCESS: String(!isLimited),
    ALLOWED_NAMESPACES: allowedNamespaces.join(','),
  };
  const namespacesLeft = [...allowedNamespaces];
  return {
    plane,
    objects,
    request: plane.request,
    simulator,
    releaseNamespace,
    user: accounts?.userOf(OPERATOR_ACCOUNT),
    start: (env = {}) =>
      processes.start({
        kubeconfig,
        args: ['--controllers=btp'],
        env: {
          ...podEnvironment,
          ENABLE_WEBHOOKS: 'false',
          POLL_INTERVAL: '250ms',
          RETRY_BASE_DELAY: '50ms',
          RETRY_MAX_DELAY: '2s',
          ...env,
        },
      }),
    doctor: (...args) => cli.run(['doctor', ...args], { env: podEnvironment }),
    instance: () => instanceOfTest(objects, simulator, namespacesLeft.shift()),
    binding: (instance, place) => bindingOfTest(objects, simulator, instance, place),
    stop: async () => {
      await processes.stop();
      const touched = await copies.stop().then(
        () => undefined,
        (error: unknown) => error,
      );
      const refusals = await accounts?.refusals(OPERATOR_ACCOUNT);
      await cli.stop();
      await Promise.all([simulator.stop(), giveBack()]);
      expect(refusals ?? []).toEqual([]);
      if (touched !== undefined) throw touched;
    },
  };
}

/** The same with the module running. */
export async function runBtpEnvironment(): Promise<BtpEnvironment> {
  const environment = await startBtpEnvironment();
  await environment.start();
  return environment;
}

/** A control plane for an operator that is limited. */
async function ownPlane(
  secret: Readonly<Record<string, string>>,
  manager: object,
  others: readonly string[],
): Promise<BorrowedBtpPlane> {
  const plane = await startControlPlane({ name: 'btp-limited' });
  const objects = objectsOf(plane);
  const releaseNamespace = uniqueName('release');
  for (const each of [releaseNamespace, ...others]) await createNamespace(objects, each);
  if ((await noHelmBecause()) !== undefined) {
    await installCrds(plane, await btpCrds());
    const key = { namespace: releaseNamespace, name: 'sap-btp-service-operator' };
    await objects.apply(secrets, secretManifest(key, secret));
    return { plane, releaseNamespace, accounts: undefined, giveBack: plane.stop };
  }
  const cluster = { id: 'cluster-1' };
  const installed = await installBtpChart({ plane, namespace: releaseNamespace, secret, manager, cluster });
  await installed.close();
  return { plane, releaseNamespace, accounts: installed, giveBack: plane.stop };
}
