import type { AuditEvent } from '../../../hack/control-planes/access/access.ts';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { uniqueName } from './control-planes/control-planes.ts';
import type { TestEnvironment } from './test-environment.ts';

/** A namespace of the management cluster with a user who may write into it and into no other. */
export async function tenantNamespace({ management }: TestEnvironment): Promise<string> {
  const name = uniqueName('tenant');
  await management.apply(namespaces, namespaceManifest(name));
  return name;
}

/** Requests of the provider to the management cluster about objects of a namespace. */
export async function requestsAbout({ planes }: TestEnvironment, namespace: string): Promise<AuditEvent[]> {
  const events = await planes.management.auditEvents(namespace);
  return events.filter(
    ({ userAgent, objectRef }) => userAgent === 'provider-kyma' && objectRef?.namespace === namespace,
  );
}
