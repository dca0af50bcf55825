import type { ControlPlaneAddress } from '../../../../hack/control-planes/access/access.ts';

/** The control planes of every test run, by role. */
export const PLANES = ['management', 'kyma'] as const;

export type Plane = (typeof PLANES)[number];

/** Publishes the addresses from Jest's main process, which starts the control planes, to its workers. */
const VARIABLE = 'PROVIDER_KYMA_TEST_CONTROL_PLANES';

export function publishAddresses(addresses: Readonly<Record<Plane, ControlPlaneAddress>>): void {
  process.env[VARIABLE] = JSON.stringify(addresses);
}

export function publishedAddress(plane: Plane): ControlPlaneAddress {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('no control planes: run this test with `make test-integration`');
  const addresses: Record<Plane, ControlPlaneAddress> = JSON.parse(text);
  return addresses[plane];
}
