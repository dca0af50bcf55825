/** What the status of a Shoot says: whether Gardener's errors may pass by themselves, and whether a change is more than progress. */
import type { Shoot, ShootStatus } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../framework/base/index.ts';

export type LastErrors = NonNullable<ShootStatus['lastErrors']>;

/**
 * Only a change of credentials or rights helps. Other codes that Gardener itself does not retry (quotas, rate limits,
 * dependencies, configuration, webhooks) end when the account of the provider changes, so they are retryable here.
 */
const TERMINAL = ['ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'];

/** The codes, each once, in the order in which they occur. */
export const codesOf = (errors: LastErrors | undefined): string[] => [
  ...new Set((errors ?? []).flatMap(({ codes }) => codes ?? [])),
];

/** Unknown codes, and errors without a code, are retryable. Without errors nothing says that a retry helps. */
export const isRetryable = (errors: LastErrors | undefined): boolean =>
  errors !== undefined && errors.length > 0 && !codesOf(errors).some((code) => TERMINAL.includes(code));

/** All descriptions, numbered: `1) First description 2) Second description `. */
export const describeErrors = (errors: LastErrors | undefined): string =>
  (errors ?? []).map(({ description }, index) => `${index + 1}) ${description} `).join('');

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
