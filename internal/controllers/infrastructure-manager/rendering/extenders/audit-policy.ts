import type { Extender } from '../model/extender.ts';

/** What the API server logs for audits. */
export const auditPolicy: Extender = ({ audit, configuration }) => {
  if (audit === undefined) return {};
  const { policyConfigMapName: name } = configuration.converter.auditLogging;
  return { kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name } } } } };
};
