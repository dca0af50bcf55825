import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { parseTimestamp } from '../../../framework/base/time/timestamp.ts';

/** Phases in which the new authority signs certificates. The old one is trusted until the rotation is completed. */
const SIGNS = ['Prepared', 'Completing', 'Completed'];

/**
 * When the authority of the Shoot's certificates changed last, in ms since the epoch; 0: never. Kubeconfigs of before are not accepted
 * when the rotation is completed, and those of between trust the old authority as well.
 */
export function authorityChangedAt({ status }: Shoot): number {
  const rotation = status?.credentials?.rotation?.certificateAuthorities;
  if (rotation === undefined || !SIGNS.includes(rotation.phase)) return 0;
  const { lastInitiationTime, lastInitiationFinishedTime, lastCompletionTime } = rotation;
  const times = [lastInitiationTime, lastInitiationFinishedTime, lastCompletionTime];
  return Math.max(0, ...times.map((time) => parseTimestamp(time) ?? 0));
}
