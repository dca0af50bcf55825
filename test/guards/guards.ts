import { observedOutput } from '../../internal/framework/base/telemetry/telemetry.ts';
import {
  observedConnections,
  observedRequests,
} from '../../internal/framework/http/transport/send-request.ts';
import { observedWrites, storedObjects } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import { observedStatements } from '../../internal/systems/reconciler/mothership/database/database.ts';
import { type DestinationGuard, guardDestinations } from './destinations.ts';
import { placeForeignCopies } from './foreign-copies.ts';
import { guardMemoryWrites, guardSentWrites } from './kube-writes.ts';
import { guardLiveRuns } from './live-run.ts';
import { guardTaint, type TaintGuard } from './taint.ts';
import { assertNoViolations, noteUnlisted, takeViolations, type Violation } from './violations.ts';

const writes = String(observedWrites.name);
const stored = String(storedObjects.name);
const output = String(observedOutput.name);
const requests = String(observedRequests.name);
const statements = String(observedStatements.name);
const connections = String(observedConnections.name);

let taint: TaintGuard | undefined;
let destinations: DestinationGuard | undefined;
let stops: readonly (() => void)[] = [];

/** Before the tests of a file: from now on all fakes of the process are watched. */
export function startGuards(): void {
  destinations = guardDestinations({ writes, stored, requests, connections });
  taint = guardTaint({ writes, stored, output, requests });
  stops = [
    guardMemoryWrites(writes),
    guardSentWrites(requests),
    placeForeignCopies(stored),
    guardLiveRuns({ writes, requests, statements, output }),
    taint.stop,
    destinations.stop,
  ];
}

/** The violations since the last call, after what is checked at the end of a test. */
export function violationsOfTest(): readonly Violation[] {
  taint?.check();
  destinations?.endTest();
  return takeViolations();
}

/**
 * Integration tests of `make test` leave what known.yaml lacks to its last stage: several tests meet it in the same environment.
 *
 * @param testPath of the test file
 * @throws if there are violations
 */
export function checkGuards(testPath: string): void {
  const violations = violationsOfTest();
  if (testPath.includes('/test/integration/') && noteUnlisted(violations)) return;
  assertNoViolations(violations);
}

export function stopGuards(): void {
  for (const stop of stops) stop();
}
