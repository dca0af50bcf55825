/** The checks of the input objects. */
import { grantCommand } from '../../../../framework/kube/client/access-review.ts';
import { isForbidden, isUnknownKind } from '../../../../framework/kube/index.ts';

import type { Check, Remedy } from '../../../../framework/module/diagnosis.ts';
import { type Finding, isWaitedFor, type Problem } from '../../input/read-input.ts';
import { clusterRefOf, namedInputs } from '../inputs/input-refs.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { type Cause, inputFlags, remedies } from './remedies.ts';

/** @param user that of the kubeconfig, whose rights are missing; undefined: not known */
export function inputCheck(finding: Finding, resource: KymaInstanceMapping, user: string | undefined): Check {
  const { type, object, clusterName, problems } = finding;
  const [first] = problems;
  const base = { name: type.kind, object, cluster: clusterName };
  if (first === undefined) return { ...base, status: 'ok', detail: 'found and complete' };
  const fields = problems.flatMap((problem) => (problem.field === undefined ? [] : [problem.field]));
  return {
    ...base,
    status: problems.every(isWaitedFor) ? 'waiting' : 'failed',
    detail: problems.map((problem) => problem.text).join('; '),
    ...remedyOf(finding, first, resource, user),
    ...(fields.length === 0 ? {} : { field: fields.join(', ') }),
  };
}

function remedyOf(
  { type, key }: Finding,
  problem: Problem,
  resource: KymaInstanceMapping,
  user: string | undefined,
): Remedy {
  if (isForbidden(problem.cause)) {
    const right = { verb: 'get', type, ...key };
    return { remediation: grantCommand(right, { user, flags: inputFlags(resource) }) };
  }
  return remedies[causeOf(type.kind, problem, resource)](resource, key);
}

function causeOf(kind: string, problem: Problem, resource: KymaInstanceMapping): Cause {
  if (problem.kind === 'failed') return 'unknown';
  if (isUnknownKind(problem.cause)) return 'operatorMissing';
  const isMissing = problem.kind === 'missing';
  switch (kind) {
    case 'ServiceInstance':
      return isMissing ? 'serviceInstanceRef' : 'instanceNotReady';
    case 'ServiceBinding':
      return isMissing ? 'adminBindingRef' : 'bindingField';
    case 'Secret':
      return problem.kind === 'not-ready' ? 'bindingNotReady' : 'credentials';
    default:
      if (!isMissing) return 'clusterID';
      return isOfProvider(resource) ? 'clusterIdConfigMapFlag' : 'clusterIdConfigMapRef';
  }
}

/** Whether the ConfigMap is the one that a flag of the provider names. */
const isOfProvider = (resource: KymaInstanceMapping): boolean =>
  namedInputs(resource).clusterIdConfigMapRef === undefined && clusterRefOf(resource) === undefined;
