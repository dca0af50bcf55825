import { ProviderError } from '../../base/errors/errors.ts';

/**
 * The faults of a kubeconfig, with the text that follows `kubeconfig …` in messages. The name of a field may follow, but
 * never content of the kubeconfig.
 */
const faults = {
  empty: 'is empty',
  'not-yaml': 'is not valid YAML',
  bytes: 'is refused: it is larger than 256 KiB',
  depth: 'is refused: it is nested deeper than 16 levels',
  tokens: 'is refused: it has more than 5000 YAML tokens; keep the context in use alone',
  anchors: 'is refused: it has more than 100 YAML anchors and aliases; write their values out',
  'not-a-kubeconfig': 'is not a kubeconfig: it is no YAML mapping',
  'not-text': 'has a field that is not text',
  'not-boolean': 'has a field that is neither true nor false',
  'no-current-context': 'has no current-context',
  'no-context': 'does not define its current-context',
  'no-cluster': 'does not define the cluster of its current-context',
  'no-user': 'does not define the user of its current-context',
  'no-server': 'names no server',
  'bad-server': 'has a server that is not an https URL of host, port and path',
  'no-credentials': 'has a user without token, client certificate or username',
  'half-certificate': 'has only one of client-certificate-data and client-key-data',
  'bad-certificate': 'has a certificate or key that cannot be read',
  'bad-token': 'has credentials that no HTTP header may hold: longer than 16 KiB, or with other characters',
  exec: 'is refused: it runs a program (exec); use a token or a client certificate',
  'auth-provider': 'is refused: it uses an auth-provider; use a token or a client certificate',
  file: 'is refused: it reads a file of this machine; embed the content',
  'insecure-skip-tls-verify':
    'is refused: it switches off the verification of the server (insecure-skip-tls-verify)',
  'long-key': 'is refused: its client key is an RSA key of more than 4096 bits',
  http: 'is refused: its server is http, so that credentials would be sent in the clear',
  impersonation: 'is refused: it impersonates another user (as)',
  proxy: 'is refused: its proxy-url is neither http nor https',
} as const;

export type KubeconfigFault = keyof typeof faults;

/** The kubeconfig must be changed; a retry does not help. Kind `terminal`. */
export class KubeconfigError extends ProviderError {
  readonly fault: KubeconfigFault;

  /** @param field of the kubeconfig format */
  constructor(fault: KubeconfigFault, field?: string) {
    super('terminal', `kubeconfig ${faults[fault]}${field === undefined ? '' : ` (${field})`}`);
    this.fault = fault;
  }
}
