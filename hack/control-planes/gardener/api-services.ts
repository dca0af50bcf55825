import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';
import type { ControlPlaneAccess } from '../access/access.ts';

type Plane = Pick<ControlPlaneAccess, 'request'>;

/** Where the aggregator finds the gardener-apiserver: by the name `localhost`, since no pod runs. */
export const SERVICE = { namespace: 'kube-system', name: 'gardener-apiserver' } as const;

/** What gardener-apiserver 1.117 serves, with a kind of each that can be listed. */
const GROUP_VERSIONS = [
  { group: 'core.gardener.cloud', version: 'v1beta1', listed: 'shoots' },
  { group: 'core.gardener.cloud', version: 'v1', listed: 'controllerdeployments' },
  { group: 'seedmanagement.gardener.cloud', version: 'v1alpha1', listed: 'managedseeds' },
  { group: 'operations.gardener.cloud', version: 'v1alpha1', listed: 'bastions' },
  { group: 'security.gardener.cloud', version: 'v1alpha1', listed: 'credentialsbindings' },
  { group: 'settings.gardener.cloud', version: 'v1alpha1', listed: 'openidconnectpresets' },
] as const;

/** Passes requests for Gardener's kinds to the server on `port` of this machine. */
export async function writeApiServices(
  plane: Plane,
  { port, ca }: { readonly port: number; readonly ca: string },
): Promise<void> {
  await create(plane, `/api/v1/namespaces/${SERVICE.namespace}/services`, {
    metadata: { name: SERVICE.name },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await Promise.all(
    GROUP_VERSIONS.map(({ group, version }, index) =>
      create(plane, '/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: `${version}.${group}` },
        spec: {
          group,
          version,
          service: { ...SERVICE, port },
          caBundle: Buffer.from(ca).toString('base64'),
          groupPriorityMinimum: 10_000,
          versionPriority: 100 - index,
        },
      }),
    ),
  );
}

async function create(
  plane: Plane,
  path: string,
  body: { readonly metadata: { readonly name: string }; readonly spec: object },
): Promise<void> {
  const answer = await plane.request(path, { method: 'POST', body });
  if (answer.status !== 201) {
    throw new Error(`cannot create ${body.metadata.name}: ${JSON.stringify(answer.body)}`);
  }
}

const POLL_MS = 50;

/** How long the aggregator may take until it passes requests on; it retries at growing intervals. */
const LIMIT_MS = 120_000;

/** Waits until each group version answers a list. */
export async function waitUntilServed(plane: Plane, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + LIMIT_MS;
  for (const { group, version, listed } of GROUP_VERSIONS) {
    for (;;) {
      const { status, body } = await plane.request(`/apis/${group}/${version}/${listed}?limit=1`);
      if (status === 200) break;
      if (clock.monotonic() > deadline) {
        throw new Error(`${group}/${version} is not served: it answers ${status}: ${JSON.stringify(body)}`);
      }
      await sleep(clock, POLL_MS);
    }
  }
}
