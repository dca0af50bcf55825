import { messageOf, ProviderError, WaitingError, type WatchedObject } from '../../../framework/base/index.ts';
import { type CallOutcome, isServerError, isTimedOut, isUnreachable } from '../../../framework/kube/index.ts';

import { describeProblems, type Finding, isWaitedFor } from './read-input.ts';

/**
 * The error for findings: `waiting` if every problem can be waited for, else `transient` or `terminal`. It names all
 * problems, and the resource is requeued when one of the objects changes.
 *
 * @param kubeconfig that of the cluster: its place for the message, and its Secret to watch in addition if the cluster refuses
 *   requests or is unreachable
 */
export function connectionProblem(
  findings: readonly Finding[],
  kubeconfig?: { readonly place: string; readonly target: WatchedObject },
): ProviderError | undefined {
  const broken = findings.filter((finding) => finding.problems.length > 0);
  if (broken.length === 0) return undefined;
  const problems = broken.flatMap((finding) => finding.problems);
  const message = describeProblems(findings, kubeconfig?.place);
  const access = kubeconfig === undefined ? [] : [kubeconfig.target];
  const inputs = broken.flatMap((finding): WatchedObject[] => (finding.target ? [finding.target] : []));
  const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
  const unreachable = problems.some((problem) => problem.kind === 'unreachable');
  const refused = problems.some(({ kind }) => kind === 'forbidden' || kind === 'refused');
  // An unreachable cluster cannot be watched; its kubeconfig Secret can.
  const targets = [...(unreachable ? [] : inputs), ...(unreachable || refused ? access : [])];
  if (unreachable || problems.every(isWaitedFor)) {
    return new WaitingError(message, { targets, cause, retry: unreachable });
  }
  // Refused and failed requests are retried; malformed content must be changed first.
  const passing = refused || problems.some((problem) => problem.kind === 'failed');
  return new ProviderError(passing ? 'transient' : 'terminal', message, { targets, cause });
}

/** The worst response of the cluster to the reads. */
export function clusterResponse(findings: readonly Finding[]): CallOutcome {
  const problems = findings.flatMap((finding) => finding.problems);
  if (problems.some(({ cause }) => isTimedOut(cause))) return 'timed-out';
  return problems.some(({ cause }) => isUnreachable(cause) || isServerError(cause)) ? 'failed' : 'answered';
}

/**
 * The same error with `advice` appended to its message. Errors other than ProviderError are returned unchanged.
 *
 * @param more further targets to watch
 */
export function withAdvice(error: unknown, advice: string, more: readonly WatchedObject[] = []): unknown {
  if (!(error instanceof ProviderError)) return error;
  const message = `${messageOf(error)}; ${advice}`;
  const { kind, retryAfterMs } = error;
  const targets = [...new Set([...error.targets, ...more])];
  if (error instanceof WaitingError) {
    return new WaitingError(message, { targets, retry: error.retry, cause: error });
  }
  const patience = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ProviderError(kind, message, { targets, cause: error, ...patience });
}
