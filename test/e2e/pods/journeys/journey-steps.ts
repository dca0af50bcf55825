import type { Step } from '../../e2e-context.ts';
import type { PodsOptions } from '../pods-options.ts';
import { chartJourney } from './chart-journey.ts';
import { type Clone, freshClone } from './clone.ts';
import { oneProcessJourney } from './one-process-journey.ts';
import { installJourney, missingRightsJourney, packageJourney, uninstallJourney } from './package-journey.ts';
import { reconcilerJourney } from './reconciler/reconciler-journey.ts';
import { cleanCluster } from './user-environment.ts';

/**
 * The journeys of a new user, by the pages alone: commands are executed as the pages have them, in a fresh clone, and printed. Needs the
 * simulators, and a cluster without the provider.
 */
export function journeySteps(): readonly Step<PodsOptions>[] {
  let cloned: Clone | undefined;
  const clone = () => made(cloned);
  return [
    {
      title: 'a fresh clone, and a cluster that has Crossplane only',
      run: async ({ directory, report }) => {
        await cleanCluster();
        cloned = await freshClone(directory, report);
      },
    },
    ...missingRightsJourney(clone),
    ...installJourney(clone),
    ...packageJourney(clone),
    ...uninstallJourney(clone),
    ...installJourney(clone),
    ...chartJourney(clone),
    ...uninstallJourney(clone),
    ...oneProcessJourney(clone),
    ...reconcilerJourney(clone),
  ];
}

/** The journey of the reconciler alone: needs neither the simulators nor Crossplane. */
export function reconcilerSteps(): readonly Step<PodsOptions>[] {
  let cloned: Clone | undefined;
  return [
    {
      title: 'a fresh clone',
      run: async ({ directory, report }) => {
        cloned = await freshClone(directory, report);
      },
    },
    ...reconcilerJourney(() => made(cloned)),
  ];
}

function made(cloned: Clone | undefined): Clone {
  if (cloned === undefined) throw new Error('there is no clone');
  return cloned;
}
