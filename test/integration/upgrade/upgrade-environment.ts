/**
 * The environment in which a version's objects are recorded and another version finds them: a management cluster of its
 * own, and a HANA Cloud whose addresses and clients have the same names in each run, since digests of them are stored.
 */
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { configMaps, namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { startConnectProxy } from '../../environment/connect-proxy.ts';
import { type Crd, installCrds } from '../../environment/install-crds.ts';
import {
  configMapManifest,
  namespaceManifest,
  provisioned,
  secretManifest,
  serviceBindingManifest,
  serviceInstanceManifest,
} from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import { randomSecret } from '../../simulators/hana-cloud/store.ts';
import { installedProviderAccount, type ProviderAccount } from '../harness/provider/provider-account.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';

export interface UpgradeEnvironment {
  readonly plane: ControlPlane;
  readonly management: Objects;
  readonly simulator: HanaCloudSimulator;
  readonly account: ProviderAccount;
  /** Starts the provider of this work tree. */
  run(): Promise<ProviderProcess>;
  giveNamespace(name: string): Promise<void>;
  /** Makes the instance `i-<name>` known, with credentials of its own. */
  addInstance(name: string): void;
  /** The four sources of a KymaInstanceMapping, all in the namespace `name`. */
  giveSources(name: string): Promise<void>;
  giveCredentials(name: string): Promise<void>;
  takeCredentials(name: string): Promise<void>;
  /** A kubeconfig to this cluster, in place of one to another cluster. */
  giveKubeconfig(name: string): Promise<void>;
  /** The Secret of an InstanceMapping. */
  giveRawCredentials(name: string, namespace: string): Promise<void>;
  stop(): Promise<void>;
}

const API_HOST = 'api.hana.example.com';
const TOKEN_HOST = 'auth.example.com';

export const instanceOf = (name: string): string => `i-${name}`;

export async function startUpgradeEnvironment(crds: readonly Crd[]): Promise<UpgradeEnvironment> {
  const [plane, simulator] = await Promise.all([
    startControlPlane({ name: 'upgrade' }),
    startHanaCloudSimulator({ hostnames: [API_HOST, TOKEN_HOST] }),
  ]);
  const ports: Readonly<Record<string, string>> = {
    [API_HOST]: new URL(simulator.apiUrl).port,
    [TOKEN_HOST]: new URL(simulator.tokenUrl).port,
  };
  const proxy = await startConnectProxy((host) => Number(ports[host]));
  const processes = await providerProcesses(simulator.caCertificate);
  const management = objectsOf(plane);
  await Promise.all([installCrds(plane, crds), installBtpKinds(plane)]);
  const account = await installedProviderAccount(plane);
  const clientSecrets = new Map<string, string>();

  const credentialsOf = (name: string) => ({
    baseurl: API_HOST,
    uaa: {
      url: `https://${TOKEN_HOST}`,
      clientid: `sb-${instanceOf(name)}!b1|hana-cloud!b1`,
      clientsecret: clientSecrets.get(name) ?? '',
    },
  });
  const giveNamespace = async (name: string) => {
    await management.apply(namespaces, namespaceManifest(name));
  };
  const adminSecret = (name: string) => ({ namespace: name, name: 'hana-admin' });
  const giveCredentials = async (name: string) => {
    const { baseurl, uaa } = credentialsOf(name);
    const data = { baseurl, uaa: JSON.stringify(uaa) };
    await management.apply(secrets, secretManifest(adminSecret(name), data));
  };
  return {
    plane,
    management,
    simulator,
    account,
    run: () =>
      processes.start({
        kubeconfig: account.kubeconfig,
        // Polls are off: each resource is reconciled because the provider started.
        args: ['--poll=10m'],
        env: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
      }),
    giveNamespace,
    addInstance: (name) => {
      const secret = randomSecret();
      clientSecrets.set(name, secret);
      const instances = new Set([instanceOf(name)]);
      simulator.store.addInstance(instanceOf(name));
      simulator.store.addClient({ id: credentialsOf(name).uaa.clientid, secret, instances });
    },
    giveSources: async (name) => {
      await giveNamespace(name);
      const status = { instanceID: instanceOf(name), ...provisioned };
      const instance = serviceInstanceManifest({ namespace: name, name: 'hana' }, { status });
      const binding = serviceBindingManifest(adminSecret(name), { status: provisioned });
      await management.apply(serviceInstances, instance);
      await management.applyStatus(serviceInstances, instance);
      await management.apply(serviceBindings, binding);
      await management.applyStatus(serviceBindings, binding);
      const clusterID = configMapManifest(
        { namespace: name, name: 'cluster-id' },
        { CLUSTER_ID: `c-${name}` },
      );
      await management.apply(configMaps, clusterID);
      await giveCredentials(name);
    },
    giveCredentials,
    takeCredentials: (name) => management.delete(secrets, adminSecret(name)),
    giveKubeconfig: async (name) => {
      const secret = secretManifest({ namespace: 'default', name }, { kubeconfig: plane.kubeconfig });
      await management.apply(secrets, secret);
    },
    giveRawCredentials: async (name, namespace) => {
      await giveNamespace(namespace);
      const data = { credentials: JSON.stringify(credentialsOf(name)) };
      await management.apply(secrets, secretManifest({ namespace, name }, data));
    },
    stop: async () => {
      await processes.stop();
      await proxy.stop();
      await Promise.all([simulator.stop(), plane.stop()]);
    },
  };
}
