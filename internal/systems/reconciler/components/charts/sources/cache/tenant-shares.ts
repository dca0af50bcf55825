import type { Deps } from '../../../../../../framework/base/deps.ts';
import { SourceError } from '../model/source-error.ts';
import type { CacheBounds } from './eviction.ts';

/** Which revisions of the cache each tenant has used within `keepUsedMs`: they are not removed meanwhile. */
export interface TenantShares {
  used(tenant: string, revision: { readonly name: string; readonly bytes: number }): void;
  /** @throws SourceError if the tenant has its share; an empty one is the program itself, which has no share */
  assertRoom(tenant: string): void;
}

export interface TenantSharesOptions extends Pick<Deps, 'clock'> {
  readonly bounds: CacheBounds;
  /** Times the bounds: what one tenant may use. Less than what is refused, so that others have room. */
  readonly factor: number;
}

interface Use {
  readonly at: number;
  readonly bytes: number;
}

export function createTenantShares({ clock, bounds, factor }: TenantSharesOptions): TenantShares {
  const tenants = new Map<string, Map<string, Use>>();
  const forgetOld = () => {
    const oldest = clock.monotonic() - bounds.keepUsedMs;
    for (const [tenant, uses] of tenants) {
      for (const [name, { at }] of uses) if (at < oldest) uses.delete(name);
      if (uses.size === 0) tenants.delete(tenant);
    }
  };
  return {
    used: (tenant, { name, bytes }) => {
      const uses = tenants.get(tenant) ?? new Map<string, Use>();
      tenants.set(tenant, uses);
      uses.set(name, { at: clock.monotonic(), bytes });
    },
    assertRoom: (tenant) => {
      forgetOld();
      if (tenant === '') return;
      const uses = [...(tenants.get(tenant)?.values() ?? [])];
      const bytes = uses.reduce((sum, use) => sum + use.bytes, 0);
      if (uses.length < factor * bounds.maxRevisions && bytes < factor * bounds.maxBytes) return;
      throw new SourceError(
        'transient',
        `the share of the tenant in the cache of charts is full: ${uses.length} revisions are in use`,
      );
    },
  };
}
