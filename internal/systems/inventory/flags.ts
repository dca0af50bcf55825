import {
  boolean,
  type FlagTable,
  type FlagValues,
  integer,
  string,
  type TextForm,
} from '../../framework/process/flag.ts';

const place: TextForm = {
  description: 'NAMESPACE/NAME of a ConfigMap',
  accepts: (text) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(text),
};

/** The ConfigMap of the SAP BTP service operator of a Kyma cluster. */
const OPERATOR_CONFIG = 'kyma-system/sap-btp-operator-config';

/** Flags of `start` about HANA Cloud. */
export const inventoryFlags = {
  'max-external-calls': integer(32, 1, 10_000, 'calls to the HANA Cloud API in flight at the same time'),
  'cluster-id-config-map': string(
    OPERATOR_CONFIG,
    place,
    'ConfigMap on this cluster with its ID, for KymaInstanceMappings without clusterIdConfigMapRef whose input objects are on this cluster',
    { env: 'CLUSTER_ID_CONFIG_MAP' },
  ),
  'token-cache': boolean(true, 'keep OAuth tokens in memory until they expire'),
} satisfies FlagTable;

export type InventoryFlags = FlagValues<typeof inventoryFlags>;
