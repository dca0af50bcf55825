import type { ControlPlaneAddress } from '../../../../hack/control-planes/access/access.ts';
import type { Binaries } from '../../../../hack/control-planes/binaries/binaries.ts';
import { startGarden } from '../../../../hack/control-planes/gardener/garden.ts';
import { installLandscape } from '../../../environment/gardener/install-landscape.ts';
import { askOnDemand, type OnDemandService, serveOnDemand } from '../../../environment/on-demand.ts';

const VARIABLE = 'PROVIDER_KYMA_TEST_GARDEN';

/** Starts a garden for all test files of the run when the first one asks for it. */
export const serveGarden = (options: {
  readonly binaries: Binaries;
  readonly gardenerBinary: string;
}): Promise<OnDemandService> =>
  serveOnDemand<ControlPlaneAddress>(VARIABLE, async () => {
    const garden = await startGarden({ name: 'garden', ...options });
    await installLandscape(garden);
    const { name, server, directory } = garden;
    return { value: { name, server, directory }, stop: garden.stop };
  });

/** Waits for its start. */
export async function gardenAddress(): Promise<ControlPlaneAddress> {
  const address = await askOnDemand<ControlPlaneAddress>(VARIABLE).catch((cause: unknown) => {
    throw new Error('no garden', { cause });
  });
  if (address === undefined) throw new Error('no garden: run this test with `make test-integration`');
  return address;
}
