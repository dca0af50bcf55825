import type { KnownViolation } from '../runner/campaign-module.ts';
import type { KymaClusterAction } from './kyma-cluster-module.ts';

/** Violations that exist today. */
export const knownKymaClusterViolations: readonly KnownViolation<KymaClusterAction>[] = [];
