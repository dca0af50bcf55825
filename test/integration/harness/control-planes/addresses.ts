import type { ControlPlaneAddress } from '../../../../hack/control-planes/access/access.ts';

/** The control planes that every test run has, by what they stand for. */
export const PLANES = ['management', 'kyma'] as const;

export type Plane = (typeof PLANES)[number];

/** How Jest's main process, which starts them, tells its workers where they are. */
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
