import { messageOf, ProviderError, WaitingError, type WaitTarget } from '../../../base/errors/errors.ts';
import type { Heard } from '../../../kube/clusters/cluster-pool.ts';
import { isServerError, isSilent, isUnreachable } from '../../../kube/errors/errors.ts';
import { describeProblems, type Finding, isWaitedFor } from './finding.ts';

/**
 * The error that a broken chain amounts to: waiting if everything wrong is waited for, a failure as soon as one
 * thing needs mending. Either way it names all of it and wakes when one of the objects changes.
 *
 * @param access what to watch as well where the cluster itself refuses or does not answer
 */
export function connectionProblem(
  findings: readonly Finding[],
  access: readonly WaitTarget[] = [],
): ProviderError | undefined {
  const broken = findings.filter((finding) => finding.problems.length > 0);
  if (broken.length === 0) return undefined;
  const problems = broken.flatMap((finding) => finding.problems);
  const message = describeProblems(findings);
  const sources = broken.flatMap((finding): WaitTarget[] => (finding.target ? [finding.target] : []));
  const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
  const unreachable = problems.some((problem) => problem.kind === 'unreachable');
  const refused = problems.some((problem) => problem.kind === 'forbidden');
  // A watch on a cluster that does not answer tells nothing; the Secret that leads there may be mended.
  const targets = [...(unreachable ? [] : sources), ...(unreachable || refused ? access : [])];
  if (unreachable || problems.every(isWaitedFor)) {
    return new WaitingError(message, { targets, cause, retry: unreachable });
  }
  // What the cluster refused or failed to answer may pass by itself; what is malformed waits for an editor.
  const passing = refused || problems.some((problem) => problem.kind === 'failed');
  return new ProviderError(passing ? 'transient' : 'terminal', message, { targets, cause });
}

/** How the cluster responded to all reads together: the worst of them counts. */
export function clusterResponse(findings: readonly Finding[]): Heard {
  const problems = findings.flatMap((finding) => finding.problems);
  if (problems.some(({ cause }) => isSilent(cause))) return 'silent';
  return problems.some(({ cause }) => isUnreachable(cause) || isServerError(cause)) ? 'failed' : 'answered';
}

/**
 * The same error with `advice` appended to its message; what is not ours stays as it is.
 *
 * @param more wake it as well
 */
export function withAdvice(error: unknown, advice: string, more: readonly WaitTarget[] = []): unknown {
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
