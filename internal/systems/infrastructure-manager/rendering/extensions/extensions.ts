import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { valueAt } from '../../../../framework/base/json/json-field.ts';
import type { Extender, PatchInput } from '../model/extender.ts';
import { ACCESS_CONTROL, accessControl } from './access-control.ts';
import { auditlogService } from './auditlog-service.ts';
import { certService } from './cert-service.ts';
import { dnsService } from './dns-service.ts';
import type { Extension } from './extension.ts';
import { networkingFilter } from './networking-filter.ts';
import { NVIDIA_OPENSHELL, nvidiaOpenshell } from './nvidia-openshell.ts';
import { oidcService } from './oidc-service.ts';
import { REGISTRY_CACHE, registryCache } from './registry-cache.ts';

/** The extensions of a new Shoot. It gets caches of registries later, when their credentials can be copied. */
export const createExtensions: Extender = (input) => {
  const all = [
    input.networkRestriction ? networkingFilter(input) : undefined,
    certService(),
    dnsService(input),
    oidcService(),
    input.audit === undefined ? undefined : auditlogService(input.audit),
    accessControl(input),
    nvidiaOpenshell(input),
  ];
  return { spec: { extensions: all.filter((each) => each !== undefined) } };
};

/** A change of the list; the identity if nothing changes. */
type Change = (list: readonly Extension[]) => readonly Extension[];

/** The extensions of the Shoot in their order, with those of the Runtime as they should be; new ones last. */
export const patchExtensions: Extender<PatchInput> = (input) => {
  const live = input.live.spec?.extensions ?? [];
  const changes: readonly Change[] = [
    place(patchedAuditlog(input, live)),
    place(input.networkRestriction ? networkingFilter(input) : undefined),
    place(patchedDnsService(input, live)),
    placeOr(registryCache(input), remove(REGISTRY_CACHE)),
    placeOr(accessControl(input), disable(ACCESS_CONTROL)),
    placeOr(nvidiaOpenshell(input), disable(NVIDIA_OPENSHELL)),
  ];
  return {
    spec: { extensions: [...changes.reduce<readonly Extension[]>((list, change) => change(list), live)] },
  };
};

const find = (list: readonly Extension[], wanted: string) => list.find(({ type }) => type === wanted);

const keep: Change = (list) => list;

/** Replaces the extension in its place, or appends it; undefined: nothing changes. */
const place = (extension: Extension | undefined): Change => placeOr(extension, keep);

const placeOr = (extension: Extension | undefined, otherwise: Change): Change =>
  extension === undefined
    ? otherwise
    : (list) =>
        find(list, extension.type) === undefined
          ? [...list, extension]
          : list.map((each) => (each.type === extension.type ? extension : each));

const remove =
  (wanted: string): Change =>
  (list) =>
    list.filter(({ type }) => type !== wanted);

/** Without its configuration, so that nothing of it counts when others enable it. */
const disable =
  (wanted: string): Change =>
  (list) =>
    list.map((each) => (each.type === wanted ? { type: wanted, disabled: true } : each));

/** Undefined: nothing changes. Without a tenant, audit logs go on as they do. */
function patchedAuditlog({ audit }: PatchInput, live: readonly Extension[]): Extension | undefined {
  if (audit === undefined) return undefined;
  const wanted = auditlogService(audit);
  const found = find(live, wanted.type);
  return found !== undefined && jsonEqual(found.providerConfig, wanted.providerConfig) ? undefined : wanted;
}

/** Undefined: nothing changes, as for a Shoot that was created without a provider, which it must not get. */
function patchedDnsService(input: PatchInput, live: readonly Extension[]): Extension | undefined {
  const wanted = dnsService(input);
  const found = find(live, wanted.type)?.providerConfig;
  if (found === undefined) return wanted;
  const providers = valueAt(found, ['providers']);
  const isEmpty = !Array.isArray(providers) || providers.length === 0;
  return isEmpty || jsonEqual(found, wanted.providerConfig) ? undefined : wanted;
}
