import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { formatTimestamp } from '../../../internal/framework/base/time/formats.ts';
import { eventually } from '../eventually.ts';
import {
  CLOUD_PROFILES,
  KUBERNETES_VERSIONS,
  MACHINE_TYPES,
  PROVIDERS,
  type ProviderType,
  REGIONS,
  VOLUME_TYPES,
} from './catalog.ts';
import {
  type LandscapeObject,
  landscapeObjects,
  projectObjects,
  readySeedStatus,
  seed,
} from './landscape.ts';

type Plane = Pick<ControlPlaneAccess, 'request'>;

/** A seed of each provider, and of regions that scenarios name. */
export const SEEDS: readonly { readonly type: ProviderType; readonly region: string }[] = [
  { type: 'aws', region: 'eu-central-1' },
  { type: 'aws', region: 'us-east-1' },
  { type: 'aws', region: 'us-west-2' },
  { type: 'azure', region: 'westeurope' },
  { type: 'gcp', region: 'europe-west3' },
  { type: 'openstack', region: 'eu-de-1' },
  { type: 'alicloud', region: 'eu-central-1' },
  { type: 'gdch', region: 'us-gdch-1' },
];

/** What a garden has once: profiles, extensions and seeds that take Shoots. */
export async function installLandscape(plane: Plane): Promise<void> {
  for (const object of landscapeObjects()) await create(plane, object);
  await Promise.all(
    SEEDS.map(async ({ type, region }) => {
      const path = '/apis/core.gardener.cloud/v1beta1/seeds';
      const object = seed(type, region);
      await create(plane, { path, object });
      const status = { status: readySeedStatus(formatTimestamp(Date.now())) };
      const answer = await plane.request(`${path}/${object.metadata.name}/status`, {
        ...{ method: 'PATCH', contentType: 'application/merge-patch+json', body: status },
      });
      if (answer.status !== 200) throw new Error(`cannot make a seed ready: ${JSON.stringify(answer.body)}`);
    }),
  );
}

/** A project with credentials of each provider, which accepts Shoots. Its namespace is `garden-<project>`. */
export async function installProject(plane: Plane, project: string): Promise<void> {
  for (const object of projectObjects(project)) await create(plane, object);
  const path = `/apis/core.gardener.cloud/v1beta1/namespaces/garden-${project}/shoots?dryRun=All`;
  await eventually(async () => {
    const { status, body } = await plane.request(path, { method: 'POST', body: lastShoot() });
    if (status !== 201) throw new Error(`project ${project} accepts no Shoot: ${JSON.stringify(body)}`);
  });
}

/** Refers to the last object of a project: caches that know it know those before it. */
function lastShoot(): object {
  const type = PROVIDERS.at(-1) ?? 'aws';
  const [region, zones = []] = Object.entries(REGIONS[type])[0] ?? [];
  const worker = { name: 'one', minimum: 1, maximum: 1, machine: { type: MACHINE_TYPES[type][0] } };
  return {
    ...{ apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Shoot', metadata: { name: 'last' } },
    spec: {
      ...{ region, cloudProfileName: CLOUD_PROFILES[type], secretBindingName: `${type}-binding` },
      kubernetes: { version: KUBERNETES_VERSIONS[0] },
      networking: { type: 'calico', nodes: '10.250.0.0/16', pods: '10.96.0.0/13', services: '10.104.0.0/13' },
      provider: {
        type,
        workers: [
          { ...worker, zones: zones.slice(0, 1), volume: { type: VOLUME_TYPES[type][0], size: '50Gi' } },
        ],
      },
    },
  };
}

/** Admission plugins of Gardener read caches that learn of a new object a moment later. */
const create = (plane: Plane, { path, object }: LandscapeObject): Promise<void> =>
  eventually(async () => {
    const { status, body } = await plane.request(path, { method: 'POST', body: object });
    if (status !== 201 && status !== 409)
      throw new Error(`cannot create ${path}/${object.metadata.name}: ${JSON.stringify(body)}`);
  });
