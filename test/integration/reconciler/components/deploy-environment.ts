/** Components that are deployed to the shared control plane: it has no nodes, so that tests set the status of workloads. */
import { parseAllDocuments } from 'yaml';
import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { createDeps } from '../../../../internal/framework/base/deps.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Transport } from '../../../../internal/framework/kube/transport/transport.ts';
import { openManagedCluster } from '../../../../internal/systems/reconciler/components/clusters/open-managed-cluster.ts';
import type {
  Awaited,
  ManagedCluster,
  Manifest,
} from '../../../../internal/systems/reconciler/components/model/component.ts';
import {
  createDeployer,
  type DeployerOptions,
} from '../../../../internal/systems/reconciler/components/objects/deploy/create-deployer.ts';
import {
  INVENTORY_NAMESPACE,
  inventoryName,
  parseInventory,
} from '../../../../internal/systems/reconciler/components/objects/inventory.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../../harness/control-planes/control-planes.ts';
import { componentObjects, placeCopiesOn } from '../../harness/foreign-copies.ts';

export const deployments = typeOf('apps', 'v1', 'Deployment');
export const jobs = typeOf('batch', 'v1', 'Job');
export const services = typeOf('', 'v1', 'Service');
export const serviceAccounts = typeOf('', 'v1', 'ServiceAccount');
export const configMaps = typeOf('', 'v1', 'ConfigMap');

export function typeOf(group: string, version: string, kind: string, namespaced = true): ResourceType {
  return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced };
}

/** The objects of a YAML text. */
export const manifestOf = (text: string): Manifest =>
  parseAllDocuments(text).flatMap((document) => {
    const object: KubeObject | null = document.toJS();
    return object === null ? [] : [{ object, source: 'chart/templates/all.yaml' }];
  });

export interface DeployEnvironment {
  readonly plane: ControlPlaneAccess;
  readonly objects: Objects;
  /** A component with a namespace of its own. */
  component(options?: ComponentOptions): TestComponent;
  /** @throws if a copy of an object was changed or deleted */
  stop(): Promise<void>;
}

export interface ComponentOptions extends Partial<Omit<DeployerOptions, 'clock'>> {
  readonly name?: string;
  readonly namespace?: string;
  /** Of the kubeconfig; default: the control plane. */
  readonly server?: string;
  readonly wrapTransport?: (transport: Transport) => Transport;
}

export interface TestComponent {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: ManagedCluster;
  /** What was awaited, whenever it changed. */
  readonly progress: readonly (readonly Awaited[])[];
  deploy(manifest: string, options?: CallOptions): Promise<void>;
  remove(manifest: string, options?: CallOptions): Promise<void>;
  /** The names of objects in its inventory; undefined: it has none. */
  inventory(): Promise<readonly string[] | undefined>;
}

interface CallOptions {
  readonly version?: string;
  readonly signal?: AbortSignal;
}

/** @param own a control plane of the file; default: the shared one */
export async function startDeployEnvironment(own?: ControlPlaneAccess): Promise<DeployEnvironment> {
  const plane = own ?? (await controlPlanes()).kyma;
  const objects = objectsOf(plane);
  const clusters: ManagedCluster[] = [];
  const names = new Set<string>();
  const others = uniqueName('others');
  await objects.apply(namespaces, namespaceManifest(others));
  const copies = placeCopiesOn(plane, componentObjects(names, others));
  return {
    plane,
    objects,
    component: ({
      name = uniqueName('deploy'),
      namespace = name,
      server = plane.server,
      wrapTransport,
      ...options
    } = {}) => {
      names.add(name);
      const deps = createDeps({ clock: systemClock });
      const cluster = openManagedCluster(plane.kubeconfig.replace(plane.server, server), {
        ...deps,
        env: {},
        allowPrivateEndpoints: true,
        ...(wrapTransport === undefined ? {} : { wrapTransport }),
      });
      clusters.push(cluster);
      const deployer = createDeployer({
        ...deps,
        progressIntervalMs: 100,
        progressTimeoutMs: 60_000,
        discoveryTries: 1,
        ...options,
      });
      const progress: (readonly Awaited[])[] = [];
      const call =
        (action: 'deploy' | 'remove') =>
        (text: string, { version = '1.0.0', signal = new AbortController().signal }: CallOptions = {}) =>
          deployer[action]({ cluster, component: name, namespace, version }, manifestOf(text), {
            signal,
            onProgress: (awaited) => progress.push(awaited),
          });
      return {
        name,
        namespace,
        cluster,
        progress,
        deploy: call('deploy'),
        remove: call('remove'),
        inventory: async () => {
          const stored = await objects.find(secrets, {
            namespace: INVENTORY_NAMESPACE,
            name: inventoryName(name),
          });
          if (stored === undefined) return undefined;
          return [...parseInventory(stored.data?.objects ?? '').values()]
            .map(({ kind, key }) => `${kind} ${key.name}`)
            .sort();
        },
      };
    },
    stop: async () => {
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await copies.stop();
    },
  };
}

export const namespaceOf = (objects: Objects, name: string) => objects.find(namespaces, { name });

/** A ConfigMap as YAML. */
export const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = { key: 'value' },
  more = '',
) => `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}${more} }
data: ${JSON.stringify(data)}
`;
