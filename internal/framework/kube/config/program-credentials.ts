/**
 * Credentials of the operator's own kubeconfig from a program (exec) or an auth provider. The only file that loads
 * client-node. It is imported on demand, since client-node takes 25 MiB of memory and 100 ms.
 */
import { KubeConfig } from '@kubernetes/client-node';
import type { Credentials } from './cluster-config.ts';
import { type KubeconfigDocument, optional } from './kubeconfig-document.ts';

/** @param root with absolute paths; @returns a function that returns the current credentials */
export function programCredentials(root: KubeconfigDocument): () => Promise<Credentials> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(JSON.stringify(root));
  return async () => {
    const options: Parameters<typeof kubeConfig.applyToHTTPSOptions>[0] = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (typeof value === 'string') headers[name.toLowerCase()] = value.trim();
    }
    return {
      ...optional('ca', pem(options.ca)),
      ...optional('cert', pem(options.cert)),
      ...optional('key', pem(options.key)),
      headers,
    };
  };
}

function pem(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
