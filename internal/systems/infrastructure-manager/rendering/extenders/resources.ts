import type { GardenerSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { AuditTenant } from '../../configuration/configuration.ts';
import { AUDIT_CREDENTIALS } from '../model/audit-log.ts';
import type { Extender, PatchInput } from '../model/extender.ts';
import { CACHE_SECRET_PREFIX, cachesOf, secretOf } from '../model/registry-caches.ts';

type Resource = GardenerSchemas['NamedResourceReference'];

const secret = (name: string, secretName: string): Resource => ({
  name,
  resourceRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
});

const credentials = ({ secretName }: AuditTenant): Resource => secret(AUDIT_CREDENTIALS, secretName);

/** References to Secrets for extensions. */
export const createResources: Extender = ({ audit }) =>
  audit === undefined ? {} : { spec: { resources: [credentials(audit)] } };

/** The references of the Shoot stay, with those to credentials of registry caches and of the audit log service as they should be. */
export const patchResources: Extender<PatchInput> = (input) => {
  const { live, audit } = input;
  const others = (live.spec?.resources ?? []).filter(({ name }) => !name.includes(CACHE_SECRET_PREFIX));
  const names = new Set(cachesOf(input).flatMap((cache) => secretOf(cache, input) ?? []));
  const found = [...others, ...[...names].map((name) => secret(name, name))];
  const resources = audit === undefined ? found : withOwn(found, credentials(audit));
  const isSame = live.spec?.resources === undefined && resources.length === 0;
  return isSame ? {} : { spec: { resources } };
};

const withOwn = (resources: readonly Resource[], own: Resource): Resource[] =>
  resources.some(({ name }) => name === own.name)
    ? resources.map((each) => (each.name === own.name ? own : each))
    : [...resources, own];
