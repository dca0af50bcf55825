import { findCause, kindOf, messageOf, ProviderError, redact } from '../../../../framework/base/index.ts';
import { EndpointRefusedError } from '../../../../framework/http/index.ts';
import { KubeconfigError } from '../../../../framework/kube/config/kubeconfig-error.ts';
import { UntrustedServerError } from '../../../../framework/kube/errors/errors.ts';
import { UnreachableError } from '../../../../framework/kube/index.ts';
import type { Charts } from '../model/charts.ts';

/** How an attempt failed. */
export interface Failure {
  /** One line without credentials. */
  readonly reason: string;
  /** Another attempt would fail in the same way. */
  readonly isFinal: boolean;
}

/** The mothership takes a cluster for deleted if an operation of its deletion has this in its reason. */
const NO_HOST = 'no such host';
const OTHER_NAME = 'x509: certificate is valid';

/** @param isClusterGone whether the host of the cluster does not exist, proved by two calls */
export function failureOf(error: unknown, isClusterGone: boolean): Failure {
  // Others write these words too: webhooks, pulls of images, charts. They are not about the host of the cluster.
  const reason = redact(messageOf(error))
    .replaceAll(NO_HOST, 'unknown host')
    .replaceAll(OTHER_NAME, 'x509: the certificate is valid');
  if (isClusterGone) return { reason: `${reason}: ${NO_HOST}`, isFinal: true };
  if (findCause(error, UntrustedServerError) && reason.includes('altnames')) {
    return { reason: `${reason}: ${OTHER_NAME} for other names`, isFinal: true };
  }
  const cause =
    findCause(error, KubeconfigError) ??
    findCause(error, EndpointRefusedError) ??
    findCause(error, UnusableChartError);
  return { reason, isFinal: cause !== undefined };
}

/**
 * Whether the resolver says that the host of the cluster does not exist. The name of a proxy, or of another cluster, says
 * nothing of it.
 *
 * @param host of the cluster, with its port
 */
export function saysNoSuchHost(error: unknown, host: string): boolean {
  const missing = findCause(error, UnreachableError)?.missingHost;
  return missing !== undefined && hostnameOf(missing) === hostnameOf(host);
}

const hostnameOf = (host: string): string | undefined =>
  URL.parse(`https://${host}`)?.hostname.replace(/\.$/, '');

/** A chart that is missing or refused, or that cannot be rendered: another attempt renders the same. */
class UnusableChartError extends ProviderError {}

/** The charts, whose errors say whether they can pass by themselves. */
export function withFinalErrors(charts: Charts): Charts {
  const marked =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      call(...args).catch((error: unknown) => {
        const kind = kindOf(error);
        if (kind !== 'terminal' && kind !== 'not-found') throw error;
        throw new UnusableChartError(kind, messageOf(error), { cause: error });
      });
  return {
    workspace: marked(charts.workspace),
    render: marked(charts.render),
    crds: marked(charts.crds),
    values: marked(charts.values),
  };
}

/** The reasons of all attempts, numbered. Equal ones that follow each other are one: `#1-#5: … (5 times)`. */
export function numbered(reasons: readonly string[]): string {
  const groups: { readonly reason: string; readonly first: number; count: number }[] = [];
  for (const [index, reason] of reasons.entries()) {
    const last = groups.at(-1);
    if (last?.reason === reason) last.count++;
    else groups.push({ reason, first: index + 1, count: 1 });
  }
  const texts = groups.map(({ reason, first, count }) =>
    count === 1 ? `#${first}: ${reason}` : `#${first}-#${first + count - 1}: ${reason} (${count} times)`,
  );
  return texts.join('; ');
}
