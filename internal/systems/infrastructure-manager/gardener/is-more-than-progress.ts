import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../framework/base/index.ts';

/** Gardener reports its progress every few seconds, and no state depends on it. */
export function isMoreThanProgress(old: Shoot, shoot: Shoot): boolean {
  return !jsonEqual(withoutProgress(old), withoutProgress(shoot));
}

function withoutProgress({ metadata, status, ...shoot }: Shoot): object {
  const { resourceVersion: _, ...kept } = metadata;
  const { lastOperation, ...others } = status ?? {};
  const { progress: _p, lastUpdateTime: _t, ...operation } = lastOperation ?? {};
  return { ...shoot, metadata: kept, status: { ...others, operation } };
}
