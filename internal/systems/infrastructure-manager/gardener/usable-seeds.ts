import type { Seed } from '../../../../apis/gardener/kinds.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';

/** Whether Gardener schedules Shoots of the provider to the seed. */
function isUsableSeed(seed: Seed, provider: string): boolean {
  const { spec, status } = seed;
  const isTrue = (type: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  return (
    spec?.provider.type === provider &&
    !wasDeleted(seed) &&
    spec.settings?.scheduling?.visible === true &&
    status?.lastOperation !== undefined &&
    isTrue('GardenletReady') &&
    (spec.backup === undefined || isTrue('BackupBucketsReady'))
  );
}

/** The regions with usable seeds of the provider, each once, in the order of the seeds. */
export const usableRegions = (seeds: readonly Seed[], provider: string): string[] => [
  ...new Set(
    seeds.flatMap((seed) => (isUsableSeed(seed, provider) && seed.spec ? [seed.spec.provider.region] : [])),
  ),
];
