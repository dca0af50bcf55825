import { KYMA_SYSTEM } from '../common/kyma-system.ts';

/** Objects that the reconciler itself creates. */
export const TLS = { name: 'connectivity-sm-operator-secrets-tls', namespace: KYMA_SYSTEM };
export const MAPPINGS = { name: 'connectivity-proxy-service-mappings', namespace: KYMA_SYSTEM };
export const SERVICE_KEY = { name: 'connectivity-proxy-service-key', namespace: KYMA_SYSTEM };
/** The configuration of the proxy, of its chart. */
export const CONFIGURATION = { name: 'connectivity-proxy', namespace: KYMA_SYSTEM };
