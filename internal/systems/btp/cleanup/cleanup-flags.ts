import { boolean, duration, type FlagValues } from '../../../framework/process/flag.ts';
import { btpFlags } from '../settings/flags.ts';

/** Flags of `btp cleanup`. Those of `start` have the same environment variables. */
export const cleanupFlags = {
  timeout: duration('4m', '1s', '24h', 'time for everything', { env: 'CLEANUP_TIMEOUT' }),
  'delete-used': boolean(false, 'delete objects that KymaInstanceMappings on this cluster use, too', {
    env: 'CLEANUP_DELETE_USED',
  }),
  'stop-deployment': {
    ...btpFlags['release-namespace'],
    env: 'CLEANUP_STOP_DEPLOYMENT',
    help: 'with --all: Deployment of the operator in --release-namespace, which is scaled to 0 at the end, so that its pods release their Leases, which are deleted; empty: the operator goes on',
  },
  'release-namespace': {
    ...btpFlags['release-namespace'],
    help: 'namespace of the operator; empty: sap-btp-operator',
  },
  'management-namespace': btpFlags['management-namespace'],
  'allow-cluster-access': btpFlags['allow-cluster-access'],
  'allowed-namespaces': btpFlags['allowed-namespaces'],
};

export type CleanupFlags = FlagValues<typeof cleanupFlags> & {
  readonly all?: boolean;
  readonly namespace?: string;
};

/** Exit codes of `provider-kyma btp cleanup`. */
export const cleanupExitCodes = {
  /** Nothing is left. */
  clean: 0,
  /** Something is left, or it is not known. */
  left: 1,
  usage: 2,
} as const;
