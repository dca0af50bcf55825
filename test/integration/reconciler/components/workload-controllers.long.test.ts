/** On a control plane whose controllers of workloads run. It is one for all of these, since its start takes longer than their tests. */
import { forFile } from '../../harness/for-file.ts';
import { readinessTests } from './deploy-readiness.suite.ts';
import { cleanerTests } from './reconcilers/cleaner.suite.ts';
import { connectivityProxyTests } from './reconcilers/connectivity-proxy.suite.ts';
import { startReconcilers } from './reconcilers/reconciler-environment.ts';
import { rmaTests } from './reconcilers/rma.suite.ts';
import { workloadTests } from './reconcilers/workloads.suite.ts';

const environment = forFile(() => startReconcilers('workloads'));

readinessTests(() => environment.plane);
workloadTests(() => environment);
connectivityProxyTests(() => environment);
rmaTests(() => environment);
// The last one: it deletes the namespaces.
cleanerTests(() => environment);
