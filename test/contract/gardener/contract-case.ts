import { randomBytes } from 'node:crypto';
import {
  type ExtensionSchemas,
  type Shoot,
  type ShootSpec,
  shoots,
  type Worker,
} from '../../../apis/gardener/kinds.ts';
import type { KubeClient } from '../../../internal/framework/kube/client/client.ts';
import { KubeApiError } from '../../../internal/framework/kube/errors/errors.ts';
import type { Gardenlet } from '../../simulators/gardener/gardenlet/gardenlet.ts';

/** Gardener, real or simulated. Its gardenlet goes on by `step` only. */
export interface GardenerServer {
  readonly client: KubeClient;
  readonly project: string;
  readonly namespace: string;
  readonly gardenlet: Gardenlet;
  /** What the gardenlet could not do. */
  readonly errors: readonly unknown[];
}

export interface ContractCase {
  readonly title: string;
  readonly run: (server: GardenerServer) => Promise<void>;
}

/** A name that no other case uses; short, because names of Shoots are. */
export const uniqueShootName = (): string => `s${randomBytes(3).toString('hex')}`;

export const worker = (more: Partial<Worker> = {}): Worker => ({
  name: 'cpu-worker-0',
  minimum: 1,
  maximum: 3,
  machine: { type: 'm6i.large', image: { name: 'gardenlinux', version: '1592.1.0' } },
  volume: { type: 'gp3', size: '80Gi' },
  zones: ['eu-central-1a'],
  ...more,
});

const infrastructure: ExtensionSchemas['AwsInfrastructureConfig'] = {
  apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  networks: {
    vpc: { cidr: '10.250.0.0/16' },
    zones: [
      {
        name: 'eu-central-1a',
        workers: '10.250.0.0/19',
        public: '10.250.32.0/20',
        internal: '10.250.48.0/20',
      },
    ],
  },
};

/** A Shoot on AWS such as the infrastructure manager renders. */
export function shootOf(
  { namespace }: Pick<GardenerServer, 'namespace'>,
  name: string,
  { metadata = {}, ...spec }: Partial<ShootSpec> & { readonly metadata?: Partial<Shoot['metadata']> } = {},
): Shoot {
  return {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: { namespace, name, ...metadata },
    spec: {
      cloudProfileName: 'aws',
      region: 'eu-central-1',
      purpose: 'development',
      secretBindingName: 'aws-binding',
      networking: { type: 'calico', nodes: '10.250.0.0/16', pods: '10.96.0.0/13', services: '10.104.0.0/13' },
      kubernetes: { version: '1.31.8' },
      extensions: [{ type: 'shoot-oidc-service', disabled: false }],
      provider: {
        type: 'aws',
        infrastructureConfig: { ...infrastructure },
        controlPlaneConfig: {
          apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
          kind: 'ControlPlaneConfig',
        },
        workersSettings: { sshAccess: { enabled: false } },
        workers: [worker()],
      },
      ...spec,
    },
  };
}

/** The Shoot with other workers. */
export const withWorkers = (shoot: Shoot, workers: Worker[]): Shoot =>
  changed(shoot, (spec) => ({ ...spec, provider: { ...spec.provider, workers } }));

export function changed(shoot: Shoot, change: (spec: ShootSpec) => ShootSpec): Shoot {
  if (shoot.spec === undefined) throw new Error('a Shoot without spec');
  return { ...shoot, spec: change(shoot.spec) };
}

/** Creates a Shoot of a new name. */
export async function createShoot(
  server: GardenerServer,
  spec: Parameters<typeof shootOf>[2] = {},
): Promise<Shoot> {
  return server.client.create(shoots, shootOf(server, uniqueShootName(), spec));
}

/** Creates a Shoot and takes its creation to the end. */
export async function createdShoot(server: GardenerServer): Promise<Shoot> {
  const shoot = await createShoot(server);
  for (let stage = 0; stage < 3; stage++) await server.gardenlet.step(shoot.metadata.name);
  return current(server, shoot);
}

export const current = (
  { client, namespace }: GardenerServer,
  { metadata: { name } }: Shoot,
): Promise<Shoot> => client.get(shoots, { namespace, name });

/** The HTTP status of a refusal. */
export async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    return error.status;
  }
}
