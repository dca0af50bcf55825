import { type KubeObject, wasDeleted } from '../../../../../framework/kube/object/object.ts';
import type { AppliedState } from '../inventory/inventory.ts';
import { hasForeignFields } from './foreign-fields.ts';
import { ownedHash } from './hashes.ts';
import type { Strategy } from './strategy.ts';

/**
 * Whether an apply would change nothing: the same was sent before, and nobody has taken a field since. An API server takes
 * the ownership of a field from its owner when another one changes or removes it.
 */
export async function isCurrent(
  wanted: KubeObject,
  live: Pick<KubeObject, 'metadata'> & KubeObject,
  { sent, applied, strategy }: { sent: string; applied: AppliedState | undefined; strategy: Strategy },
): Promise<boolean> {
  return (
    applied?.sent === sent &&
    !wasDeleted(live) &&
    // Another component may have the object as well: it has the same field manager.
    includes(live.metadata.labels, wanted.metadata.labels) &&
    includes(live.metadata.annotations, wanted.metadata.annotations) &&
    !(strategy === 'exact' && hasForeignFields(live)) &&
    applied.owned === (await ownedHash(live))
  );
}

const includes = (
  live: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean =>
  Object.entries(wanted).every(([name, value]) => Object.hasOwn(live, name) && live[name] === value);
