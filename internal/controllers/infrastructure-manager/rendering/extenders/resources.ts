import type { GardenerSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { AuditTenant } from '../../configuration/configuration.ts';
import { AUDIT_CREDENTIALS } from '../model/audit-log.ts';
import type { Extender, PatchInput } from '../model/extender.ts';

type Resource = GardenerSchemas['NamedResourceReference'];

const credentials = ({ secretName }: AuditTenant): Resource => ({
  name: AUDIT_CREDENTIALS,
  resourceRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
});

/** References to Secrets for extensions. */
export const createResources: Extender = ({ audit }) =>
  audit === undefined ? {} : { spec: { resources: [credentials(audit)] } };

/** The references of the Shoot stay, with that to the credentials of the audit log service as it should be. */
export const patchResources: Extender<PatchInput> = ({ live, audit }) => {
  const found = live.spec?.resources;
  if (audit === undefined) return found === undefined ? {} : { spec: { resources: found } };
  const own = credentials(audit);
  const isOwn = ({ name }: Resource) => name === own.name;
  const resources = found ?? [];
  return {
    spec: {
      resources: resources.some(isOwn)
        ? resources.map((each) => (isOwn(each) ? own : each))
        : [...resources, own],
    },
  };
};
