import { jsonEqual } from '../../../../base/json/json-equal.ts';
import type { Extender, PatchInput } from '../model/extender.ts';
import { auditlogService } from './auditlog-service.ts';
import { certService } from './cert-service.ts';
import { dnsService } from './dns-service.ts';
import type { Extension } from './extension.ts';
import { networkingFilter } from './networking-filter.ts';
import { oidcService } from './oidc-service.ts';
import { REGISTRY_CACHE, registryCache } from './registry-cache.ts';

/** The extensions of a new Shoot. It gets caches of registries later, when the runtime can be asked for them. */
export const createExtensions: Extender = (input) => ({
  spec: {
    extensions: [
      networkingFilter(input),
      certService(),
      dnsService(input),
      oidcService(),
      ...(input.audit === undefined ? [] : [auditlogService(input.audit)]),
    ],
  },
});

/** The extensions of the Shoot in their order, with those of the Runtime as they should be; new ones last. */
export const patchExtensions: Extender<PatchInput> = (input) => {
  const live = input.live.spec?.extensions ?? [];
  const wanted = [patchedAuditlog(input, live), networkingFilter(input), patchedRegistryCache(input, live)];
  return {
    spec: {
      extensions: wanted.reduce<Extension[]>(
        (list, extension) => (extension === undefined ? list : replaceOrAppend(list, extension)),
        [...live],
      ),
    },
  };
};

const find = (list: readonly Extension[], wanted: string) => list.find(({ type }) => type === wanted);

const replaceOrAppend = (list: readonly Extension[], extension: Extension): Extension[] =>
  find(list, extension.type) === undefined
    ? [...list, extension]
    : list.map((each) => (each.type === extension.type ? extension : each));

/** Undefined: nothing changes. Without a tenant, audit logs go on as they do. */
function patchedAuditlog({ audit }: PatchInput, live: readonly Extension[]): Extension | undefined {
  if (audit === undefined) return undefined;
  const wanted = auditlogService(audit);
  const found = find(live, wanted.type);
  return found !== undefined && jsonEqual(found.providerConfig, wanted.providerConfig) ? undefined : wanted;
}

/** Undefined: nothing changes. A cache that is no longer wanted is disabled, since Gardener has no other way to remove it. */
function patchedRegistryCache(
  { spec, registryCaches }: PatchInput,
  live: readonly Extension[],
): Extension | undefined {
  const isEnabled = spec.imageRegistryCache?.enabled === true;
  if (isEnabled && registryCaches === undefined) return undefined;
  if (isEnabled && registryCaches !== undefined && registryCaches.length > 0)
    return registryCache(registryCaches);
  const found = find(live, REGISTRY_CACHE);
  return found === undefined ? undefined : { ...found, disabled: true };
}
