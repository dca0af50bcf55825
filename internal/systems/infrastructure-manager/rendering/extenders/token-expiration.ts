import { formatDuration } from '../../../../framework/base/time/duration.ts';
import type { Extender } from '../model/extender.ts';

const HOUR_MS = 3_600_000;
/** Gardener accepts 30 to 90 days. */
const [LEAST_MS, MOST_MS] = [720 * HOUR_MS, 2160 * HOUR_MS];

/** How long tokens of service accounts live in a new Shoot. A Shoot that exists keeps its own. */
export const tokenExpiration: Extender = ({ configuration }) => {
  const { maxTokenExpiration = LEAST_MS } = configuration.converter.kubernetes.kubeApiServer;
  const lifetime = Math.min(Math.max(maxTokenExpiration, LEAST_MS), MOST_MS);
  return {
    kubeAPIServer: {
      serviceAccountConfig: {
        extendTokenExpiration: false,
        maxTokenExpiration: formatDuration(lifetime),
      },
    },
  };
};
