import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ObservedRun, observedRuns } from '../../internal/controller/reconcile/observed-run.ts';
import type { ObservedRequest } from '../../internal/http/transport/observed-requests.ts';
import type { ObservedWrite } from '../../internal/kube/fakes/memory-cluster.ts';
import { originOfCall } from './origin.ts';
import { reportViolation } from './violations.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'discover', 'GET']);
/** An exchange of credentials for a token writes nothing; events are written in the background, after the reconcile. */
const EXEMPT = /\/oauth2?\/token$|\/events(\/[^/]+)?$/;
const KUBERNETES = /^\/(api\/v1|apis\/[^/]+\/[^/]+)\//;

/**
 * A write outside the API server of the reconciled object happens in a reconcile that has not ended and was not aborted, and
 * `assertMayWrite` of that reconcile allowed it: right before it, or as the fence of an HTTP request. Own objects are
 * protected by their versions, so that they may be written without that.
 */
export function guardLiveRuns(channels: { readonly writes: string; readonly requests: string }): () => void {
  const runs = new AsyncLocalStorage<ObservedRun>();
  const external = new WeakMap<ObservedRun, number>();
  const report = (what: string) => {
    const origin = originOfCall();
    if (origin?.isProgram) reportViolation({ guard: 'live-run', where: origin.where, what });
  };
  const isOver = ({ hasEnded, signal }: ObservedRun) => hasEnded() || signal.aborted;
  /** Whether each external write so far was allowed; one more happens now. */
  const isAllowed = (run: ObservedRun) => {
    const count = (external.get(run) ?? 0) + 1;
    external.set(run, count);
    return count <= run.allowedWrites();
  };
  const onWrite = (message: unknown) => {
    const { verb, type, subresource, clusterName, options } = message as ObservedWrite;
    const run = runs.getStore();
    if (run === undefined || READS.has(verb) || options.dryRun || type.plural === 'events') return;
    const target = type.plural;
    if (isOver(run)) report(`${verb} of ${target} after the end of its reconcile`);
    // A subresource that is created is an answer, such as a kubeconfig.
    const isAnswer = verb === 'create' && subresource !== undefined;
    if (clusterName !== run.home && !isAnswer && !isAllowed(run))
      report(`${verb} of ${target} that assertMayWrite did not allow`);
  };
  const onRequest = (message: unknown) => {
    const { method, url, fence } = message as ObservedRequest;
    const run = runs.getStore();
    if (run === undefined || READS.has(method) || EXEMPT.test(url.pathname)) return;
    if (isOver(run)) report(`${method} request after the end of its reconcile`);
    if (!KUBERNETES.test(url.pathname) && fence === undefined) report(`${method} request without a fence`);
  };
  subscribe(channels.writes, onWrite);
  subscribe(channels.requests, onRequest);
  observedRuns.bindStore(runs, (run) => run as ObservedRun);
  return () => {
    unsubscribe(channels.writes, onWrite);
    unsubscribe(channels.requests, onRequest);
    observedRuns.unbindStore(runs);
  };
}
