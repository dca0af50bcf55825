import type { Extender } from '../model/extender.ts';

/** Of a Runtime: its audit policy is an experimental one. The value counts without case. */
const annotationExperimental = 'operator.kyma-project.io/experimental-audit-policy';
const EXPERIMENTAL = 'experimental-audit-policy';

/** What the API server logs for audits. */
export const auditPolicy: Extender = ({ audit, configuration, runtime }) => {
  if (audit === undefined) return {};
  const isExperimental = runtime.metadata.annotations?.[annotationExperimental]?.toLowerCase() === 'true';
  const name = isExperimental ? EXPERIMENTAL : configuration.converter.auditLogging.policyConfigMapName;
  return { kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name } } } } };
};
