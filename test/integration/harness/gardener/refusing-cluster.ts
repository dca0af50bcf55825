import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { eventually } from '../../../environment/eventually.ts';
import { bindingManifest } from '../../../environment/rights.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** Lets a runtime cluster refuse issuers of tokens and administrators whose name ends with a text, as its users may configure it. */
export async function refuseIn(plane: Pick<ControlPlaneAccess, 'request'>, ending: string): Promise<void> {
  const metadata = { name: 'refused.example.org' };
  const create = async (plural: string, kind: string, spec: object) => {
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata, spec };
    const { status } = await plane.request(`${POLICIES}/${plural}`, { method: 'POST', body });
    if (status !== 201) throw new Error(`cannot create a ${kind}: ${status}`);
  };
  const rule = (apiGroups: string[], resources: string[]) => ({
    ...{ apiGroups, resources, apiVersions: ['*'] },
    operations: ['CREATE', 'UPDATE'],
  });
  await create('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', {
    matchConstraints: {
      resourceRules: [
        rule(['authentication.gardener.cloud'], ['openidconnects']),
        rule(['rbac.authorization.k8s.io'], ['clusterrolebindings']),
      ],
    },
    validations: [
      { expression: `!has(object.spec) || !object.spec.issuerURL.endsWith('${ending}')` },
      { expression: `!has(object.subjects) || object.subjects.all(each, !each.name.endsWith('${ending}'))` },
    ],
  });
  await create('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', {
    policyName: metadata.name,
    validationActions: ['Deny'],
  });
  const body = bindingManifest(metadata, { kind: 'User', name: ending }, 'view');
  await eventually(async () => {
    const { status } = await plane.request(`${BINDINGS}?dryRun=All`, { method: 'POST', body });
    if (status !== 422) throw new Error(`it is not refused yet: ${status}`);
  });
}
