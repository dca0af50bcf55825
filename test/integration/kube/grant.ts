import type { KubeClient } from '../../../internal/framework/kube/client/client.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { grantRights } from '../../environment/rights.ts';

export interface Grant {
  readonly namespace: string;
  readonly user: string;
  readonly type: ResourceType;
  readonly verbs: readonly string[];
}

/** Grants a user verbs in one namespace. API servers apply it shortly after. */
export async function grant(admin: KubeClient, { namespace, user, type, verbs }: Grant): Promise<void> {
  const rules = [{ apiGroups: [type.group], resources: [type.plural], verbs }];
  const apply = (of: ResourceType, object: KubeObject) =>
    admin.apply(of, object, { fieldManager: 'test', force: true });
  const place = { name: `${user}-${type.plural}`, namespace };
  await grantRights({ apply }, place, { rules, subject: { kind: 'User', name: user } });
}
